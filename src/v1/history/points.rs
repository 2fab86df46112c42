//! The points of a page.

use super::range::{Fields, Range, cursor_of};
use rollcall_model::buckets::SampleBucket;
use rollcall_model::resources::{HistoryPlayers, HistoryPoint, Timestamp};
use rollcall_model::score::{self, ratio};
use rollcall_store::{Conn, Result, sample_history};

/// The points of each server, and the cursor of the next page.
pub struct Points {
    pub servers: Vec<Vec<HistoryPoint>>,
    pub next: Option<String>,
}

pub fn load(conn: &mut Conn, servers: &[i64], range: Range, fields: Fields) -> Result<Points> {
    let width = range.resolution.width();
    let rows = conn.batch_reads(|conn| {
        // One more shows whether there is a next page.
        let read =
            |n: &i64| sample_history::buckets(conn, *n, range.resolution, (range.start, range.to), range.limit + 1);
        servers.iter().map(read).collect::<Result<Vec<_>>>()
    })?;
    // All servers continue at the same bucket.
    let limit = range.limit as usize;
    let end = rows.iter().filter_map(|buckets| buckets.get(limit)).map(|bucket| bucket.at).min();
    let points = rows.into_iter().map(|buckets| {
        let shown = buckets.iter().filter(|bucket| end.is_none_or(|end| bucket.at < end));
        shown.map(|bucket| point(bucket, width, range.now, fields)).collect()
    });
    Ok(Points { servers: points.collect(), next: end.map(|at| cursor_of(range, at)) })
}

fn point(bucket: &SampleBucket, width: i64, now: i64, fields: Fields) -> HistoryPoint {
    // The last bucket has just begun.
    let elapsed = (now - bucket.at).clamp(1, width).max(bucket.watched_ms);
    HistoryPoint {
        at: Timestamp(bucket.at),
        coverage: ratio(bucket.watched_ms, elapsed, 4),
        players: fields.players.then(|| HistoryPlayers {
            avg: bucket.average_players(2),
            peak: bucket.peak,
            low: bucket.low,
        }),
        latency: fields.latency.then(|| bucket.average_latency(1)),
        tps: fields.tps.then(|| bucket.average_tps(2)),
        uptime: fields.uptime.then(|| score::uptime(bucket.online_ms, bucket.watched_ms)),
    }
}
