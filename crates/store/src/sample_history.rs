//! Buckets and sample means of a time range.

use super::pending_samples::{self, PendingSamples};
use super::samples::Resolution;
use super::{Conn, Result};
use crate::values;
use rollcall_model::buckets::{PingSample, SampleBucket, bucket_start};

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
    let mut buckets = conn.query(&sql, values![server_n, from, to, limit], |row| SampleBucket {
        at: row.get(0),
        watched_ms: row.get(1),
        online_ms: row.get(2),
        player_ms: row.get(3),
        peak: row.get(4),
        low: row.get(5),
    })?;
    for piece in pending(conn, server_n)?.buckets {
        let at = bucket_start(piece.at, resolution.width());
        if (from..to).contains(&at) && piece.watched_ms > 0 {
            let place = buckets.binary_search_by_key(&at, |bucket| bucket.at).unwrap_or_else(|place| {
                buckets.insert(place, SampleBucket::empty(at));
                place
            });
            buckets[place].merge(&piece);
        }
    }
    buckets.truncate(limit as usize);
    Ok(buckets)
}

fn pending(conn: &mut Conn, server_n: i64) -> Result<PendingSamples> {
    Ok(pending_samples::of(conn, &[server_n])?.remove(&server_n).unwrap_or_default())
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
    if let Some((sample, rejected_players)) = pending(conn, server_n)?.samples.pop() {
        let PingSample { at, online, players, .. } = sample;
        return Ok(Some(LatestSample { at, online, players, rejected_players }));
    }
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
    let mut sums = conn.query(
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
    )?;
    let pending = pending(conn, server_n)?.samples.into_iter().map(|(sample, _)| sample);
    for sample in pending.filter(|sample| sample.online && (from..to).contains(&sample.at)) {
        let at = sample.at - sample.at % width;
        if sums.last().is_none_or(|last| last.at < at) {
            sums.push(SampleSums { at, samples: 0, latency_ms: 0, tps_samples: 0, tps: 0.0 });
        }
        let sum = sums.last_mut().expect("just added");
        sum.samples += 1;
        sum.latency_ms += sample.latency_ms;
        sum.tps_samples += i64::from(sample.tps.is_some());
        sum.tps += sample.tps.unwrap_or(0.0);
    }
    Ok(sums)
}
