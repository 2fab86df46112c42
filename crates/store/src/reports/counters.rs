//! Counters of players in reports: kills, deaths, wins and others that a server counts. They only grow.

use std::collections::HashMap;

use super::Report;
use crate::totals::stat_deltas::{self, Counters};
use crate::{Conn, Result, Value, pad_values, placeholders, player_totals, values};
use rollcall_model::id;
use rollcall_model::time::{HOUR, start_of_hour};
use serde_json::{Map, Value as Json};

/// Accepted increases of one counter: with the first report, and per hour after it.
const MAX_FIRST: i64 = 100_000;
const MAX_PER_HOUR: i64 = 10_000;

/// Counters of one player in a report, by the id of the game.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerCounters {
    pub uuid: String,
    /// Names and whole numbers, checked and bounded.
    pub counters: Map<String, Json>,
}

/// The newest stored counters of a player on a server.
struct Stored {
    n: i64,
    at: i64,
    counters: Map<String, Json>,
    gains: Counters,
}

/// Stores the counters of players who have played on the server. One row holds the counters of an hour.
pub(super) fn record(
    conn: &mut Conn,
    report: &Report,
    is_public: bool,
    rev: i64,
    notes: &mut Vec<String>,
) -> Result<()> {
    if report.counters.is_empty() {
        return Ok(());
    }
    let players = players_of(conn, report)?;
    let strangers = report.counters.iter().filter(|entry| !players.contains_key(&entry.uuid)).count();
    if strangers > 0 {
        notes.push(format!("counters of {strangers} players are not counted: they have not played here"));
    }
    let numbers: Vec<i64> = players.values().copied().collect();
    let stored = latest(conn, report.server_n, &numbers)?;
    let mut implausible = 0;
    for entry in &report.counters {
        let Some(player_n) = players.get(&entry.uuid) else { continue };
        let before = stored.get(player_n);
        let mut merged = before.map_or_else(Map::new, |stored| stored.counters.clone());
        merged.extend(entry.counters.clone());
        if before.is_some_and(|stored| stored.counters == merged) {
            continue;
        }
        let text = Json::Object(merged).to_string();
        let latest = before.map_or([0; 3], |stored| stat_deltas::counters(&stored.counters));
        let (gains, after) = stat_deltas::delta(&latest, &text);
        let hours = before.map_or(0, |stored| (report.at - stored.at).max(0) / HOUR + 1);
        let limit = if before.is_some() { MAX_PER_HOUR * hours } else { MAX_FIRST };
        if gains.iter().any(|gain| *gain > limit) {
            implausible += 1;
            continue;
        }
        let was_reset = latest.iter().zip(after).any(|(before, after)| after < *before);
        match before.filter(|stored| start_of_hour(stored.at) == start_of_hour(report.at) && !was_reset) {
            Some(stored) => extend(conn, stored, report.at, &text, gains)?,
            None => insert(conn, *player_n, report, &text, gains)?,
        }
        if is_public && gains != [0; 3] {
            player_totals::change(conn, *player_n, rev, |totals| {
                totals.kills += gains[0];
                totals.deaths += gains[1];
                totals.wins += gains[2];
            })?;
        }
    }
    if implausible > 0 {
        notes.push(format!("counters of {implausible} players are not counted: they grew too fast"));
    }
    Ok(())
}

/// The players of the report who have a session on the server: their numbers by id.
fn players_of(conn: &mut Conn, report: &Report) -> Result<HashMap<String, i64>> {
    let mut values: Vec<Value> = report.counters.iter().map(|entry| Value::from(&entry.uuid)).collect();
    let last = values[values.len() - 1].clone();
    values.resize(values.len().next_power_of_two(), last);
    let sql = format!(
        "select p.game_uuid, p.n from players p where p.game_uuid in ({})
           and exists (select 1 from sessions s where s.player_n = p.n and s.server_n = ${})",
        placeholders(report.counters.len()),
        values.len() + 1
    );
    values.push(report.server_n.into());
    Ok(conn.query(&sql, &values, |row| (row.get(0), row.get(1)))?.into_iter().collect())
}

/// The newest counters of these players on a server, by player.
fn latest(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, Stored>> {
    let mut stored = HashMap::with_capacity(players.len());
    if players.is_empty() {
        return Ok(stored);
    }
    let mut values = pad_values(players);
    let sql = format!(
        "select x.player_n, x.n, x.at, x.stats_json, x.kills_gain, x.deaths_gain, x.wins_gain from player_stats x
         where x.player_n in ({}) and x.server_n = ${} and x.at =
               (select max(y.at) from player_stats y where y.player_n = x.player_n and y.server_n = x.server_n)",
        placeholders(players.len()),
        values.len() + 1
    );
    values.push(server_n.into());
    conn.for_each(&sql, &values, |row| {
        let counters = serde_json::from_str(&row.get::<String>(3)).unwrap_or_default();
        let gains = [row.get(4), row.get(5), row.get(6)];
        stored.insert(row.get(0), Stored { n: row.get(1), at: row.get(2), counters, gains });
    })?;
    Ok(stored)
}

fn extend(conn: &mut Conn, stored: &Stored, at: i64, stats_json: &str, gains: Counters) -> Result<()> {
    conn.execute(
        "update player_stats set at = $2, stats_json = $3, kills_gain = $4, deaths_gain = $5, wins_gain = $6 where n = $1",
        values![
            stored.n,
            at,
            stats_json,
            stored.gains[0] + gains[0],
            stored.gains[1] + gains[1],
            stored.gains[2] + gains[2]
        ],
    )?;
    Ok(())
}

fn insert(conn: &mut Conn, player_n: i64, report: &Report, stats_json: &str, gains: Counters) -> Result<()> {
    conn.execute(
        "insert into player_stats (id, player_n, server_n, at, stats_json, kills_gain, deaths_gain, wins_gain)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            id::encode(rand::random()),
            player_n,
            report.server_n,
            report.at,
            stats_json,
            gains[0],
            gains[1],
            gains[2]
        ],
    )?;
    Ok(())
}
