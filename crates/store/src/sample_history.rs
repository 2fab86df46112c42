//! Buckets of a time range, and the newest sample.

use super::pending_samples::{self, PendingSamples};
use super::samples::{BUCKET_COLUMNS, Resolution, bucket_at};
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
        "select {BUCKET_COLUMNS} from {}
         where server_n = $1 and at >= $2 and at < $3 and watched_ms > 0 order by at limit $4",
        resolution.table()
    );
    let mut buckets = conn.query(&sql, values![server_n, from, to, limit], |row| bucket_at(row, 0))?;
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

/// The newest sample: the stored state, and the reported count if it was not accepted.
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
