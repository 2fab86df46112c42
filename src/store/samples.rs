//! What was heard of each server: raw samples and their roll-ups.

use super::{Conn, Result};
use crate::model::buckets::Bucket;
use crate::values;

/// The sum of all public servers is sampled like a server of its own.
pub const WHOLE_ROLL: i64 = 0;

/// How finely a history is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    FiveMinutes,
    Hour,
    Day,
}

impl Level {
    pub fn table(self) -> &'static str {
        match self {
            Self::FiveMinutes => "samples_5m",
            Self::Hour => "samples_hour",
            Self::Day => "samples_day",
        }
    }
}

/// Buckets that begin at or after a moment, the earliest first.
pub fn buckets(conn: &mut Conn, server_n: i64, level: Level, since: i64) -> Result<Vec<Bucket>> {
    let sql = format!(
        "select at, watched_ms, online_ms, player_ms, peak, low from {} where server_n = $1 and at >= $2 order by at",
        level.table()
    );
    conn.query(&sql, values![server_n, since], |row| Bucket {
        at: row.get(0),
        watched_ms: row.get(1),
        online_ms: row.get(2),
        player_ms: row.get(3),
        peak: row.get(4),
        low: row.get(5),
    })
}

/// Raw `(at, players)` since a moment, or `None` when there are more than `most`.
pub fn raw(conn: &mut Conn, server_n: i64, since: i64, most: i64) -> Result<Option<Vec<(i64, i64)>>> {
    let samples = conn.query(
        "select at, players, online from samples where server_n = $1 and at >= $2 order by at limit $3",
        values![server_n, since, most + 1],
        |row| (row.get(0), if row.get(2) { row.get(1) } else { 0 }),
    )?;
    Ok((samples.len() as i64 <= most).then_some(samples))
}

/// Players at the last sample at or before a moment, if one was taken within `reach` before it.
pub fn players_at(conn: &mut Conn, server_n: i64, at: i64, reach: i64) -> Result<Option<i64>> {
    conn.first(
        "select players, online from samples where server_n = $1 and at <= $2 and at >= $3 order by at desc limit 1",
        values![server_n, at, at - reach],
        |row| if row.get(1) { row.get(0) } else { 0 },
    )
}

/// The highest peak of the hours that begin at or after a moment.
pub fn peak_since(conn: &mut Conn, server_n: i64, since: i64) -> Result<i64> {
    conn.one(
        "select coalesce(max(peak), 0) from samples_hour where server_n = $1 and at >= $2",
        values![server_n, since],
        |row| row.get(0),
    )
}
