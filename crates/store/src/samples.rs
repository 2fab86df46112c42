//! What was heard of each server: raw samples and their roll-ups.

use std::collections::{BTreeMap, HashMap};

use super::{Conn, Result, Value, pad, placeholders};
use crate::values;
use rollcall_model::buckets::{Bucket, DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, Sample, bucket_start};
use rollcall_model::time::{DAY, HOUR};

/// The sum of all public servers is sampled like a server of its own.
pub const WHOLE_ROLL: i64 = 0;

/// How finely a history is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    FiveMinutes,
    Hour,
    Day,
}

/// Raw samples are kept for so long; what they came to is in the levels above.
const KEEP_RAW: i64 = 48 * HOUR;

impl Level {
    pub const ALL: [Self; 3] = [Self::FiveMinutes, Self::Hour, Self::Day];

    /// Milliseconds of one bucket.
    pub fn width(self) -> i64 {
        match self {
            Self::FiveMinutes => FIVE_MINUTES,
            Self::Hour => HOUR_BUCKET,
            Self::Day => DAY_BUCKET,
        }
    }

    /// How long buckets are kept; `None`: for ever.
    fn keep(self) -> Option<i64> {
        match self {
            Self::FiveMinutes => Some(14 * DAY),
            Self::Hour => Some(366 * DAY),
            Self::Day => None,
        }
    }

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

/// Players on each of some servers at its last sample at or before a moment, if one was taken within `reach` before it.
pub fn players_at(conn: &mut Conn, servers: &[i64], at: i64, reach: i64) -> Result<HashMap<i64, i64>> {
    if servers.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = pad(servers);
    let sql = format!(
        "select s.n, (select case when x.online then x.players else 0 end from samples x
                      where x.server_n = s.n and x.at <= ${} and x.at >= ${} order by x.at desc limit 1)
         from servers s where s.n in ({})",
        values.len() + 1,
        values.len() + 2,
        placeholders(servers.len()),
    );
    values.extend_from_slice(values![at, at - reach]);
    let found = conn.query(&sql, &values, |row| Some((row.get(0), row.get::<Option<i64>>(1)?)))?;
    Ok(found.into_iter().flatten().collect())
}

/// The highest peak of the hours that begin at or after a moment.
pub fn peak_since(conn: &mut Conn, server_n: i64, since: i64) -> Result<i64> {
    conn.one(
        "select coalesce(max(peak), 0) from samples_hour where server_n = $1 and at >= $2",
        values![server_n, since],
        |row| row.get(0),
    )
}

/// Adds samples; one of the same moment stays as it is.
pub fn insert(conn: &mut Conn, samples: &[(i64, Sample)]) -> Result<()> {
    let rows: Vec<Vec<Value>> =
        samples.iter().map(|(n, s)| values![*n, s.at, s.online, s.players, s.latency_ms, s.tps].to_vec()).collect();
    conn.execute_many(
        "insert into samples (server_n, at, online, players, latency, tps) values {rows}
         on conflict (server_n, at) do nothing",
        &["bigint", "bigint", "boolean", "bigint", "bigint", "double precision"],
        &rows,
    )
}

/// Adds pieces of five minutes or less to the buckets of every level. What is added once must not be added again: it belongs
/// into the transaction of the samples that end these pieces.
pub fn add(conn: &mut Conn, pieces: &[(i64, Bucket)]) -> Result<()> {
    for level in Level::ALL {
        let mut sums: BTreeMap<(i64, i64), Bucket> = BTreeMap::new();
        for (server_n, piece) in pieces {
            let at = bucket_start(piece.at, level.width());
            sums.entry((*server_n, at)).or_insert_with(|| Bucket::empty(at)).merge(piece);
        }
        let rows: Vec<Vec<Value>> = sums
            .iter()
            .map(|((n, at), b)| values![*n, *at, b.watched_ms, b.online_ms, b.player_ms, b.peak, b.low].to_vec())
            .collect();
        let table = level.table();
        conn.execute_many(
            &format!(
                "insert into {table} (server_n, at, watched_ms, online_ms, player_ms, peak, low) values {{rows}}
                 on conflict (server_n, at) do update set
                     watched_ms = {table}.watched_ms + excluded.watched_ms,
                     online_ms = {table}.online_ms + excluded.online_ms,
                     player_ms = {table}.player_ms + excluded.player_ms,
                     peak = case when excluded.peak > {table}.peak then excluded.peak else {table}.peak end,
                     low = case when excluded.low < {table}.low then excluded.low else {table}.low end"
            ),
            &["bigint"; 7],
            &rows,
        )?;
    }
    Ok(())
}

/// Forgets what a server's samples and finer buckets have outlived.
pub fn forget_old(conn: &mut Conn, server_n: i64, now: i64) -> Result<()> {
    let levels = Level::ALL.into_iter().filter_map(|level| Some((level.table(), level.keep()?)));
    for (table, keep) in levels.chain([("samples", KEEP_RAW)]) {
        conn.execute(&format!("delete from {table} where server_n = $1 and at < $2"), values![server_n, now - keep])?;
    }
    Ok(())
}

/// Forgets a server's whole history.
pub fn forget_all(conn: &mut Conn, server_n: i64) -> Result<()> {
    for table in Level::ALL.map(Level::table).into_iter().chain(["samples"]) {
        conn.execute(&format!("delete from {table} where server_n = $1"), values![server_n])?;
    }
    Ok(())
}
