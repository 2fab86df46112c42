//! The points of a page, from buckets and, where they are still kept, raw samples.

use std::collections::HashMap;

use super::range::{Fields, Range, cursor_of};
use rollcall_model::buckets::SampleBucket;
use rollcall_model::resources::{HistoryPlayers, HistoryPoint, Timestamp};
use rollcall_model::score::{self, ratio};
use rollcall_store::sample_history::{self, SampleSums};
use rollcall_store::samples::RAW_RETENTION;
use rollcall_store::{Conn, Result};

/// The points of each server, and the cursor of the next page.
pub struct Points {
    pub servers: Vec<Vec<HistoryPoint>>,
    pub next: Option<String>,
}

pub fn load(conn: &mut Conn, servers: &[i64], range: Range, fields: Fields) -> Result<Points> {
    let width = range.resolution.width();
    let rows = conn.batch_reads(|conn| {
        let read = |n: &i64| {
            // One more shows whether there is a next page.
            let buckets =
                sample_history::buckets(conn, *n, range.resolution, (range.start, range.to), range.limit + 1)?;
            let sums = match raw_range(range) {
                Some(kept) if fields.latency || fields.tps => sample_history::sample_sums(conn, *n, kept, width)?,
                _ => Vec::new(),
            };
            Ok((buckets, sums))
        };
        servers.iter().map(read).collect::<Result<Vec<_>>>()
    })?;
    // All servers continue at the same bucket.
    let limit = range.limit as usize;
    let end = rows.iter().filter_map(|(buckets, _)| buckets.get(limit)).map(|bucket| bucket.at).min();
    let points = rows.into_iter().map(|(buckets, sums)| {
        let sums: HashMap<i64, SampleSums> = sums.into_iter().map(|sums| (sums.at, sums)).collect();
        let shown = buckets.iter().filter(|bucket| end.is_none_or(|end| bucket.at < end));
        shown.map(|bucket| point(bucket, sums.get(&bucket.at), width, range.now, fields)).collect()
    });
    Ok(Points { servers: points.collect(), next: end.map(|at| cursor_of(range.resolution, at)) })
}

/// The part of the page whose buckets have all their raw samples.
fn raw_range(range: Range) -> Option<(i64, i64)> {
    let (width, oldest) = (range.resolution.width(), range.now - RAW_RETENTION);
    let first_whole = oldest + (-oldest).rem_euclid(width);
    let from = range.start.max(first_whole);
    // Whole buckets, like the roll-ups.
    let to = range.to + (-range.to).rem_euclid(width);
    (from < to).then_some((from, to))
}

fn point(bucket: &SampleBucket, sums: Option<&SampleSums>, width: i64, now: i64, fields: Fields) -> HistoryPoint {
    // The last bucket has just begun.
    let elapsed = (now - bucket.at).clamp(1, width).max(bucket.watched_ms);
    let latency = sums.filter(|sums| sums.samples > 0).map(|sums| ratio(sums.latency_ms, sums.samples, 1));
    let tps = sums.filter(|sums| sums.tps_samples > 0).map(|sums| score::round(sums.tps / sums.tps_samples as f64, 2));
    HistoryPoint {
        at: Timestamp(bucket.at),
        coverage: ratio(bucket.watched_ms, elapsed, 4),
        players: fields.players.then(|| HistoryPlayers {
            avg: bucket.average_players(2),
            peak: bucket.peak,
            low: bucket.low,
        }),
        latency: fields.latency.then_some(latency),
        tps: fields.tps.then_some(tps),
        uptime: fields.uptime.then(|| score::uptime(bucket.online_ms, bucket.watched_ms)),
    }
}
