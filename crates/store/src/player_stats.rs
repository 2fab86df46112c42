//! Player counters reported by servers, hidden servers included.

use super::{Conn, Result, pad_values, placeholders, range_or_list};
use crate::values;

pub struct StatsRow {
    pub n: i64,
    pub server_n: i64,
    pub at: i64,
    pub stats_json: String,
}

/// A player's reports, newest first; equal times come in any order.
pub fn of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<StatsRow>> {
    conn.query(
        "select n, server_n, at, stats_json from player_stats where player_n = $1 order by at desc limit $2",
        values![player_n, limit],
        |row| StatsRow { n: row.get(0), server_n: row.get(1), at: row.get(2), stats_json: row.get(3) },
    )
}

/// The part of a report that leaderboards count: the increase since the one before.
pub struct StatGain {
    pub player_n: i64,
    pub server_n: i64,
    pub at: i64,
    pub kills: i64,
    pub wins: i64,
}

/// Streams the reports of some players since a time, like [`super::player_sessions::of_players`].
pub fn of_players(conn: &mut Conn, numbers: &[i64], since: i64, mut each: impl FnMut(StatGain)) -> Result<()> {
    let (of_players, mut values) = range_or_list("player_n", numbers);
    values.push(since.into());
    let sql = format!(
        "select player_n, server_n, at, kills_gain, wins_gain from player_stats where {of_players} and at >= ${}",
        values.len()
    );
    conn.for_each(&sql, &values, |row| {
        each(StatGain {
            player_n: row.get(0),
            server_n: row.get(1),
            at: row.get(2),
            kills: row.get(3),
            wins: row.get(4),
        });
    })
}

/// Players with a report at or after `from` and before `to`.
pub fn players_between(conn: &mut Conn, from: i64, to: i64) -> Result<Vec<i64>> {
    let sql = "select distinct player_n from player_stats where at >= $1 and at < $2";
    conn.query(sql, values![from, to], |row| row.get(0))
}

/// Players reported by one of these servers since a time. Scans all reports since then.
pub fn players_on(conn: &mut Conn, servers: &[i64], since: i64) -> Result<Vec<i64>> {
    let mut values = pad_values(servers);
    values.push(since.into());
    let sql = format!(
        "select distinct player_n from player_stats where server_n in ({}) and at >= ${}",
        placeholders(servers.len()),
        values.len()
    );
    conn.query(&sql, &values, |row| row.get(0))
}
