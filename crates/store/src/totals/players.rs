//! Totals of players over public servers, and their achievements.

use std::collections::{HashMap, HashSet};

use super::{NUMBER, ScopeSql, fill_temp_table};
use crate::values;
use crate::{Conn, Result, Row, Value};
use rollcall_model::achievements::{self, PlayerTotals};

pub(super) fn recompute(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    let counted = count(conn, scope)?;
    let changed = changed(conn, scope, &counted)?;
    write(conn, &changed)
}

/// Adds a row of `(player, server)` to the player's totals.
type Add<'a> = &'a mut dyn FnMut(&mut PlayerTotals, (i64, i64), &Row);

/// Sums the rows of the players in scope. Hidden servers do not count.
fn count(conn: &mut Conn, scope: &ScopeSql) -> Result<HashMap<i64, PlayerTotals>> {
    let hidden = conn.query("select n from servers where visibility <> 'PUBLIC'", &[], |row| row.get::<i64>(0))?;
    let hidden: HashSet<i64> = hidden.into_iter().collect();
    let mut counted: HashMap<i64, PlayerTotals> = HashMap::new();
    let mut each = |table: &str, columns: &str, add: Add| {
        let rows = scope.rows(table, "player_n", "players");
        conn.for_each(&format!("select r.player_n, r.server_n{columns} from {rows}"), &[], |row| {
            let place: (i64, i64) = (row.get(0), row.get(1));
            if !hidden.contains(&place.1) {
                add(counted.entry(place.0).or_default(), place, row);
            }
        })
    };
    let mut played: HashSet<(i64, i64)> = HashSet::new();
    each("sessions", ", r.play_time", &mut |totals, place, row| {
        totals.play_time_s += row.get::<i64>(2);
        totals.sessions += 1;
        totals.servers += i64::from(played.insert(place));
    })?;
    each("player_stats", ", r.kills_gain, r.deaths_gain, r.wins_gain", &mut |totals, _, row| {
        totals.kills += row.get::<i64>(2);
        totals.deaths += row.get::<i64>(3);
        totals.wins += row.get::<i64>(4);
    })?;
    each("votes", "", &mut |totals, _, _| totals.votes += 1)?;
    each("reviews", "", &mut |totals, _, _| totals.reviews += 1)?;
    Ok(counted)
}

/// The new totals of the players whose stored ones differ. An earned achievement is never lost.
fn changed(conn: &mut Conn, scope: &ScopeSql, counted: &HashMap<i64, PlayerTotals>) -> Result<Vec<Vec<Value>>> {
    let mut changed = Vec::new();
    conn.for_each(
        &format!(
            "select r.n, r.tier_points, r.achievements, r.total_play_time, r.session_count, r.servers_count,
                    r.total_kills, r.total_deaths, r.total_wins, r.vote_count, r.review_count
             from {}",
            scope.rows("players", "n", "players")
        ),
        &[],
        |row| {
            let n: i64 = row.get(0);
            let mut totals = counted.get(&n).copied().unwrap_or_default();
            totals.tier_points = row.get(1);
            let mask: i64 = row.get(2);
            let stored = PlayerTotals {
                play_time_s: row.get(3),
                sessions: row.get(4),
                servers: row.get(5),
                kills: row.get(6),
                deaths: row.get(7),
                wins: row.get(8),
                votes: row.get(9),
                reviews: row.get(10),
                tier_points: totals.tier_points,
            };
            let earned = mask | achievements::earned(&totals).cast_signed();
            if totals != stored || earned != mask {
                let PlayerTotals { play_time_s, sessions, servers, kills, deaths, wins, votes, reviews, .. } = totals;
                changed.push(
                    values![n, play_time_s, sessions, servers, kills, deaths, wins, votes, reviews, earned].to_vec(),
                );
            }
        },
    )?;
    Ok(changed)
}

fn write(conn: &mut Conn, changed: &[Vec<Value>]) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    let columns = [
        NUMBER,
        ("play_time", "bigint"),
        ("sessions", "bigint"),
        ("servers", "bigint"),
        ("kills", "bigint"),
        ("deaths", "bigint"),
        ("wins", "bigint"),
        ("votes", "bigint"),
        ("reviews", "bigint"),
        ("earned", "bigint"),
    ];
    fill_temp_table(conn, "counted", &columns, changed)?;
    conn.execute(
        "update players set total_play_time = c.play_time, session_count = c.sessions, servers_count = c.servers,
                total_kills = c.kills, total_deaths = c.deaths, total_wins = c.wins, vote_count = c.votes,
                review_count = c.reviews, achievements = c.earned
         from counted c where c.n = players.n",
        &[],
    )?;
    conn.execute_batch("drop table counted")
}
