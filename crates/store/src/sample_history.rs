//! Buckets and sample means of a time range.

use super::samples::Resolution;
use super::{Conn, Result};
use crate::values;
use rollcall_model::buckets::SampleBucket;

/// Watched buckets that begin in `from..to`, oldest first, at most `limit`.
pub fn buckets(
    conn: &mut Conn,
    server_n: i64,
    resolution: Resolution,
    (from, to): (i64, i64),
    limit: i64,
) -> Result<Vec<SampleBucket>> {
    let sql = format!(
        "select at, watched_ms, online_ms, player_ms, peak, low from {}
         where server_n = $1 and at >= $2 and at < $3 and watched_ms > 0 order by at limit $4",
        resolution.table()
    );
    conn.query(&sql, values![server_n, from, to, limit], |row| SampleBucket {
        at: row.get(0),
        watched_ms: row.get(1),
        online_ms: row.get(2),
        player_ms: row.get(3),
        peak: row.get(4),
        low: row.get(5),
    })
}

/// The newest sample: what the server was found with, and the count it reported if that is not believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LatestSample {
    pub at: i64,
    pub online: bool,
    pub players: i64,
    pub rejected_players: Option<i64>,
}

pub fn latest(conn: &mut Conn, server_n: i64) -> Result<Option<LatestSample>> {
    conn.query_optional(
        "select at, online, players, rejected_players from samples where server_n = $1 order by at desc limit 1",
        values![server_n],
        |row| LatestSample { at: row.get(0), online: row.get(1), players: row.get(2), rejected_players: row.get(3) },
    )
}

/// Sums over the samples of one bucket in which the server answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSums {
    /// The start of the bucket.
    pub at: i64,
    pub samples: i64,
    pub latency_ms: i64,
    /// Samples that report ticks per second.
    pub tps_samples: i64,
    pub tps: f64,
}

/// The sums of samples in `from..to` by buckets of `width` milliseconds, oldest first. Buckets without answers are left out.
pub fn sample_sums(conn: &mut Conn, server_n: i64, (from, to): (i64, i64), width: i64) -> Result<Vec<SampleSums>> {
    conn.query(
        "select at - at % $4, count(*), cast(sum(latency) as bigint), count(tps), coalesce(sum(tps), 0.0)
         from samples where server_n = $1 and at >= $2 and at < $3 and online
         group by at - at % $4 order by at - at % $4",
        values![server_n, from, to, width],
        |row| SampleSums {
            at: row.get(0),
            samples: row.get(1),
            latency_ms: row.get(2),
            tps_samples: row.get(3),
            tps: row.get(4),
        },
    )
}
