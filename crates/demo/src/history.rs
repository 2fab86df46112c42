//! The samples of every server and of the whole roll, at four levels that agree: the coarser are made of the finer.

use std::sync::mpsc::sync_channel;

use super::curve::Curve;
use super::progress::Progress;
use super::scale::Scale;
use super::servers::{self, Server};
use rollcall_model::buckets::{Bucket, DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, Sample, bucket_start, spread};
use rollcall_model::time::{DAY, SECOND};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

/// The whole roll.
const ROLL: i64 = 0;
/// Rows made ahead of the writing: enough that neither thread waits, little enough to stay in memory.
const ROWS_AT_ONCE: usize = 200_000;
/// The roll's sample is taken once the last server has answered.
const ROLL_DELAY: i64 = SECOND;

/// Rows of some servers, each level in the order of its table.
#[derive(Default)]
struct Levels {
    raw: Vec<(i64, Sample)>,
    five_minutes: Vec<(i64, Bucket)>,
    hours: Vec<(i64, Bucket)>,
    days: Vec<(i64, Bucket)>,
}

/// How far back the levels of one server reach.
#[derive(Clone, Copy)]
struct Reach {
    interval: i64,
    raw_from: i64,
    five_minutes_from: i64,
    hours_from: i64,
}

impl Reach {
    fn new(scale: &Scale, now: i64) -> Self {
        Self {
            interval: scale.raw_interval_ms,
            // A level that keeps nothing still has the newest sample.
            raw_from: now - scale.raw_ms.max(scale.raw_interval_ms),
            five_minutes_from: now - scale.five_minutes_ms,
            hours_from: now - scale.hours_ms,
        }
    }
}

/// One thread imagines, this one writes.
pub fn write(conn: &mut Conn, servers: &[Server], scale: &Scale, now: i64, progress: &Progress) -> Result<()> {
    let steps = (scale.days * DAY / scale.raw_interval_ms) as usize;
    let per_server = (scale.rows() as usize / scale.servers.max(1)).max(1);
    let at_once = (ROWS_AT_ONCE / per_server).max(1);
    std::thread::scope(|scope| {
        let (send, receive) = sync_channel::<Levels>(1);
        scope.spawn(move || {
            let reach = Reach::new(scale, now);
            let mut roll = vec![Sum::default(); steps];
            for (chunk, start) in servers.chunks(at_once).zip((0..).step_by(at_once)) {
                let mut levels = Levels::default();
                for (offset, server) in chunk.iter().enumerate() {
                    let samples = samples(&server.curve, steps, reach.interval);
                    if server.public {
                        roll.iter_mut().rev().zip(samples.iter().rev()).for_each(|(sum, sample)| sum.add(sample));
                    }
                    levels.push(servers::number(start + offset), &samples, reach);
                }
                if send.send(levels).is_err() {
                    return;
                }
            }
            let mut levels = Levels::default();
            // The history of the whole roll is shown by the hour, however short the servers' own is kept.
            let reach = Reach { hours_from: reach.hours_from.min(now - scale.days * DAY), ..reach };
            levels.push(ROLL, &roll_samples(&roll, now - ROLL_DELAY, reach.interval), reach);
            let _ = send.send(levels);
        });
        for levels in receive {
            let rows = levels.write(conn)?;
            progress.add(rows);
        }
        Ok(())
    })
}

/// Oldest first, the newest at the curve's own moment.
fn samples(curve: &Curve, steps: usize, interval: i64) -> Vec<Sample> {
    let known = ((curve.last_at - curve.first_seen).max(0) / interval) as usize + 1;
    let count = steps.min(known) as i64;
    (0..count).map(|step| curve.at(curve.last_at - (count - 1 - step) * interval)).collect()
}

#[derive(Clone, Copy, Default)]
struct Sum {
    players: i64,
    latency_ms: i64,
    online: i64,
}

impl Sum {
    fn add(&mut self, sample: &Sample) {
        self.players += sample.counted_players();
        self.latency_ms += sample.latency_ms;
        self.online += i64::from(sample.online);
    }
}

fn roll_samples(roll: &[Sum], last_at: i64, interval: i64) -> Vec<Sample> {
    let first_at = last_at - (roll.len() as i64 - 1) * interval;
    roll.iter()
        .zip(0..)
        .map(|(sum, step)| Sample {
            at: first_at + step * interval,
            online: sum.online > 0,
            players: sum.players,
            latency_ms: sum.latency_ms / sum.online.max(1),
            tps: None,
        })
        .collect()
}

impl Levels {
    /// A sample holds until the next one, as in live watching; the newest does not hold yet.
    fn push(&mut self, server: i64, samples: &[Sample], reach: Reach) {
        self.raw.extend(samples.iter().filter(|sample| sample.at > reach.raw_from).map(|sample| (server, *sample)));
        // Samples an hour apart say nothing about five minutes.
        let width = if reach.interval >= HOUR_BUCKET { HOUR_BUCKET } else { FIVE_MINUTES };
        let pieces = samples.windows(2).flat_map(|pair| spread(&pair[0], pair[1].at, reach.interval, width));
        let fine = merged(pieces, width);
        let hours = merged(fine.iter().copied(), HOUR_BUCKET);
        let days = merged(hours.iter().copied(), DAY_BUCKET);
        let own = |bucket: Bucket| (server, bucket);
        if width == FIVE_MINUTES {
            self.five_minutes.extend(fine.into_iter().filter(|bucket| bucket.at >= reach.five_minutes_from).map(own));
        }
        self.hours.extend(hours.into_iter().filter(|bucket| bucket.at >= reach.hours_from).map(own));
        self.days.extend(days.into_iter().map(own));
    }

    fn write(&self, conn: &mut Conn) -> Result<u64> {
        let columns = ["server_n", "at", "online", "players", "latency", "tps"];
        conn.bulk_insert("samples", &columns, |insert| {
            self.raw.iter().try_for_each(|(server, sample)| {
                insert(values![*server, sample.at, sample.online, sample.players, sample.latency_ms, sample.tps])
            })
        })?;
        let levels = [("samples_5m", &self.five_minutes), ("samples_hour", &self.hours), ("samples_day", &self.days)];
        for (table, rows) in levels {
            let columns = ["server_n", "at", "watched_ms", "online_ms", "player_ms", "peak", "low"];
            conn.bulk_insert(table, &columns, |insert| {
                rows.iter().try_for_each(|(server, b)| {
                    insert(values![*server, b.at, b.watched_ms, b.online_ms, b.player_ms, b.peak, b.low])
                })
            })?;
        }
        Ok((self.raw.len() + levels.iter().map(|(_, rows)| rows.len()).sum::<usize>()) as u64)
    }
}

/// Joins pieces, which come in the order of time, into buckets of this width.
fn merged(pieces: impl Iterator<Item = Bucket>, width: i64) -> Vec<Bucket> {
    let mut buckets: Vec<Bucket> = Vec::new();
    for piece in pieces {
        let at = bucket_start(piece.at, width);
        if buckets.last().is_none_or(|last| last.at != at) {
            buckets.push(Bucket::empty(at));
        }
        buckets.last_mut().expect("pushed just now").merge(&piece);
    }
    buckets
}
