//! Player-count samples of each server and of all servers together: raw, and rolled up by five minutes, hour and day.

use std::sync::mpsc::sync_channel;

use super::activity_curve::ActivityCurve;
use super::progress::GenerateProgress;
use super::servers::{self, DemoServer};
use super::world_size::WorldSize;
use rollcall_model::buckets::{
    DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, PingSample, SampleBucket, bucket_start, split_into_buckets,
};
use rollcall_model::time::{DAY, SECOND};
use rollcall_store::samples::{ALL_SERVERS, Resolution};
use rollcall_store::{Conn, Result, bulk_load};

/// Rows per batch between the two threads: large enough that neither waits, small enough for memory.
const BATCH_ROWS: usize = 200_000;
/// The sample of all servers is taken shortly after the last server was polled.
const ALL_SERVERS_DELAY: i64 = SECOND;

/// Rows of a batch of servers, in the order of their tables.
#[derive(Default)]
struct SampleRows {
    raw: Vec<(i64, PingSample)>,
    five_minutes: Vec<(i64, SampleBucket)>,
    hours: Vec<(i64, SampleBucket)>,
    days: Vec<(i64, SampleBucket)>,
}

/// From when on rows of each resolution are kept.
#[derive(Clone, Copy)]
struct SampleRetention {
    interval: i64,
    raw_from: i64,
    five_minutes_from: i64,
    hours_from: i64,
}

impl SampleRetention {
    fn new(size: &WorldSize, now: i64) -> Self {
        Self {
            interval: size.raw_interval_ms,
            // At least the newest sample is kept.
            raw_from: now - size.raw_ms.max(size.raw_interval_ms),
            five_minutes_from: now - size.five_minutes_ms,
            hours_from: now - size.hours_ms,
        }
    }
}

/// One thread generates while the calling thread inserts.
pub fn insert(
    conn: &mut Conn,
    servers: &[DemoServer],
    size: &WorldSize,
    now: i64,
    progress: &GenerateProgress,
) -> Result<()> {
    let steps = (size.days * DAY / size.raw_interval_ms) as usize;
    let per_server = (size.rows() as usize / size.servers.max(1)).max(1);
    let batch_servers = (BATCH_ROWS / per_server).max(1);
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel::<SampleRows>(1);
        scope.spawn(move || {
            let retention = SampleRetention::new(size, now);
            let mut sums = vec![SampleSum::default(); steps];
            for (chunk, start) in servers.chunks(batch_servers).zip((0..).step_by(batch_servers)) {
                let mut rows = SampleRows::default();
                for (offset, server) in chunk.iter().enumerate() {
                    let samples = samples(&server.curve, steps, retention.interval);
                    if server.public {
                        sums.iter_mut().rev().zip(samples.iter().rev()).for_each(|(sum, sample)| sum.add(sample));
                    }
                    rows.push(servers::row_n(start + offset), &samples, retention);
                }
                if send.send(rows).is_err() {
                    return;
                }
            }
            let mut rows = SampleRows::default();
            // The history of all servers is shown by the hour, even where that of single servers is shorter.
            let hours_from = retention.hours_from.min(now - size.days * DAY);
            let retention = SampleRetention { hours_from, ..retention };
            let all_samples = summed_samples(&sums, now - ALL_SERVERS_DELAY, retention.interval);
            rows.push(ALL_SERVERS, &all_samples, retention);
            let _ = send.send(rows);
        });
        for rows in receive {
            progress.advance(rows.insert(conn)?);
        }
        Ok(())
    })
}

/// Oldest first. The newest is at `curve.last_at`.
fn samples(curve: &ActivityCurve, steps: usize, interval: i64) -> Vec<PingSample> {
    let known = ((curve.last_at - curve.first_seen).max(0) / interval) as usize + 1;
    let count = steps.min(known) as i64;
    (0..count).map(|step| curve.at(curve.last_at - (count - 1 - step) * interval)).collect()
}

#[derive(Clone, Copy, Default)]
struct SampleSum {
    players: i64,
    latency_ms: i64,
    online: i64,
}

impl SampleSum {
    fn add(&mut self, sample: &PingSample) {
        self.players += sample.counted_players();
        self.latency_ms += sample.latency_ms;
        self.online += i64::from(sample.online);
    }
}

fn summed_samples(sums: &[SampleSum], last_at: i64, interval: i64) -> Vec<PingSample> {
    let first_at = last_at - (sums.len() as i64 - 1) * interval;
    sums.iter()
        .zip(0..)
        .map(|(sum, step)| PingSample {
            at: first_at + step * interval,
            online: sum.online > 0,
            players: sum.players,
            latency_ms: sum.latency_ms / sum.online.max(1),
            tps: None,
        })
        .collect()
}

impl SampleRows {
    /// Each sample counts until the next one, as in live tracking. The newest does not count yet.
    fn push(&mut self, server_n: i64, samples: &[PingSample], retention: SampleRetention) {
        self.raw
            .extend(samples.iter().filter(|sample| sample.at > retention.raw_from).map(|sample| (server_n, *sample)));
        // Hourly samples are too coarse for five-minute buckets.
        let width = if retention.interval >= HOUR_BUCKET { HOUR_BUCKET } else { FIVE_MINUTES };
        let pieces =
            samples.windows(2).flat_map(|pair| split_into_buckets(&pair[0], pair[1].at, retention.interval, width));
        let fine = merged(pieces, width);
        let hours = merged(fine.iter().copied(), HOUR_BUCKET);
        let days = merged(hours.iter().copied(), DAY_BUCKET);
        let with_server = |bucket: SampleBucket| (server_n, bucket);
        if width == FIVE_MINUTES {
            self.five_minutes
                .extend(fine.into_iter().filter(|bucket| bucket.at >= retention.five_minutes_from).map(with_server));
        }
        self.hours.extend(hours.into_iter().filter(|bucket| bucket.at >= retention.hours_from).map(with_server));
        self.days.extend(days.into_iter().map(with_server));
    }

    fn insert(&self, conn: &mut Conn) -> Result<u64> {
        bulk_load::insert_samples(conn, &self.raw)?;
        let rollups = [
            (Resolution::FiveMinutes, &self.five_minutes),
            (Resolution::Hour, &self.hours),
            (Resolution::Day, &self.days),
        ];
        for (resolution, rows) in rollups {
            bulk_load::insert_sample_buckets(conn, resolution, rows)?;
        }
        Ok((self.raw.len() + rollups.iter().map(|(_, rows)| rows.len()).sum::<usize>()) as u64)
    }
}

/// Merges pieces, ordered by time, into buckets of this width.
fn merged(pieces: impl Iterator<Item = SampleBucket>, width: i64) -> Vec<SampleBucket> {
    let mut buckets: Vec<SampleBucket> = Vec::new();
    for piece in pieces {
        let at = bucket_start(piece.at, width);
        if buckets.last().is_none_or(|last| last.at != at) {
            buckets.push(SampleBucket::empty(at));
        }
        buckets.last_mut().expect("a bucket was just pushed").merge(&piece);
    }
    buckets
}
