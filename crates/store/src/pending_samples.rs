//! Samples that wait in the tracking row of their server. The tables of samples and roll-ups are written once in half an hour then,
//! not with every poll; readers add what waits.

use std::collections::HashMap;

use super::{Conn, Result, pad_values, placeholders};
use rollcall_model::buckets::{FIVE_MINUTES, PingSample, SampleBucket, bucket_start};
use rollcall_model::time::MINUTE;

/// How long samples wait. Each table keeps the rows of a server together, so that each write changes a page of its own.
const WAIT: i64 = 30 * MINUTE;

/// Pending samples, as [`PendingSamples::decode`] reads it.
pub(crate) const TEXT: &str = "t.pending_complete || '/' || t.pending";

/// The samples of one server that no table has yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PendingSamples {
    /// Oldest first. Each with the reported player count, if it is not plausible.
    pub samples: Vec<(PingSample, Option<i64>)>,
    /// The time that samples have covered, one bucket for each five minutes.
    pub buckets: Vec<SampleBucket>,
}

impl PendingSamples {
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty() && self.buckets.is_empty()
    }

    /// Adds a piece of at most five minutes.
    pub fn add_bucket(&mut self, piece: &SampleBucket) {
        match self.buckets.iter_mut().find(|bucket| bucket.at == piece.at) {
            Some(bucket) => bucket.merge(piece),
            None => self.buckets.push(*piece),
        }
    }

    /// Removes and returns what has waited long enough: what belongs to half hours before that of the newest sample. The half
    /// hours of servers begin at different times, so that not all are written at once.
    pub fn take_due(&mut self, server_n: i64) -> Self {
        let shift = server_n.rem_euclid(WAIT / FIVE_MINUTES) * FIVE_MINUTES;
        let Some((newest, _)) = self.samples.last() else { return Self::default() };
        let open = self.split_off(bucket_start(newest.at + shift, WAIT) - shift);
        std::mem::replace(self, open)
    }

    /// Removes and returns what begins at or after a five-minute border.
    fn split_off(&mut self, from: i64) -> Self {
        let (samples, later_samples) = self.samples.drain(..).partition(|(sample, _)| sample.at < from);
        let (buckets, later_buckets) = self.buckets.drain(..).partition(|bucket| bucket.at < from);
        *self = Self { samples, buckets };
        Self { samples: later_samples, buckets: later_buckets }
    }

    /// Drops what is later than `at`.
    pub(crate) fn drop_after(&mut self, at: i64) {
        self.samples.retain(|(sample, _)| sample.at <= at);
        self.buckets.retain(|bucket| bucket.at <= at);
    }

    /// The five minutes that are complete, and those of the newest sample, which change with every poll: what has not changed in
    /// a row costs nothing in the log of PostgreSQL.
    pub(crate) fn encode(mut self) -> [String; 2] {
        let Some((newest, _)) = self.samples.last() else { return [String::new(), self.encode_part()] };
        let open = self.split_off(bucket_start(newest.at, FIVE_MINUTES));
        [self.encode_part(), open.encode_part()]
    }

    /// `samples|buckets`: entries end with a semicolon, their fields are separated by commas, empty ones at the end are left out.
    /// Every poll writes it, so it is short: integers are in base 36, and times are differences to the one before.
    fn encode_part(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let mut text = String::from(COMPACT);
        let mut last_at = 0;
        for (sample, rejected) in &self.samples {
            let PingSample { at, online, players, latency_ms, tps } = *sample;
            let players = if online { players } else { !players };
            let tps = tps.map(|tps| tps.to_string()).unwrap_or_default();
            let rejected = rejected.map(base36).unwrap_or_default();
            push_entry(&mut text, &[base36(at - last_at), base36(players), base36(latency_ms), tps, rejected]);
            last_at = at;
        }
        text.push('|');
        for bucket in &self.buckets {
            let SampleBucket { at, watched_ms, online_ms, player_ms, peak, low, latency_sum, tps_ms, tps_sum } =
                *bucket;
            let optional = |n: i64| if n == 0 { String::new() } else { base36(n) };
            let latency_sum = latency_sum.map(base36).unwrap_or_default();
            push_entry(
                &mut text,
                &[
                    base36(at - last_at),
                    base36(watched_ms),
                    optional(watched_ms - online_ms),
                    optional(player_ms),
                    optional(peak),
                    optional(low),
                    latency_sum,
                    optional(tps_ms),
                    optional(tps_sum),
                ],
            );
            last_at = at;
        }
        text
    }

    pub(crate) fn decode(text: &str) -> Self {
        let mut pending = Self::default();
        for (samples, buckets) in text.split('/').filter_map(|part| part.split_once('|')) {
            match samples.strip_prefix(COMPACT) {
                Some(samples) => {
                    let mut last_at = 0;
                    let samples = samples.split_terminator(';').filter_map(|entry| decode_sample(entry, &mut last_at));
                    pending.samples.extend(samples);
                    let buckets = buckets.split_terminator(';').filter_map(|entry| decode_bucket(entry, &mut last_at));
                    pending.buckets.extend(buckets);
                }
                None => {
                    pending.samples.extend(samples.split_terminator(';').filter_map(earlier_format::sample));
                    pending.buckets.extend(buckets.split_terminator(';').filter_map(earlier_format::bucket));
                }
            }
        }
        pending
    }
}

/// Begins what this version writes.
const COMPACT: char = '~';

fn push_entry(text: &mut String, fields: &[String]) {
    let used = fields.iter().rposition(|field| !field.is_empty()).map_or(0, |last| last + 1);
    text.push_str(&fields[..used].join(","));
    text.push(';');
}

fn base36(n: i64) -> String {
    const RADIX: u64 = 36;
    let (mut rest, mut digits) = (n.unsigned_abs(), Vec::with_capacity(14));
    loop {
        digits.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(rest % RADIX) as usize]);
        rest /= RADIX;
        if rest == 0 {
            break;
        }
    }
    if n < 0 {
        digits.push(b'-');
    }
    digits.iter().rev().map(|&digit| char::from(digit)).collect()
}

fn from_base36(text: &str) -> Option<i64> {
    i64::from_str_radix(text, 36).ok()
}

/// Reads an entry whose time is a difference to `last_at`.
fn decode_sample(entry: &str, last_at: &mut i64) -> Option<(PingSample, Option<i64>)> {
    let mut fields = entry.split(',');
    *last_at += from_base36(fields.next()?)?;
    let players = from_base36(fields.next()?)?;
    let sample = PingSample {
        at: *last_at,
        online: players >= 0,
        players: if players < 0 { !players } else { players },
        latency_ms: from_base36(fields.next()?)?,
        tps: fields.next().and_then(|tps| tps.parse().ok()),
    };
    Some((sample, fields.next().and_then(from_base36)))
}

fn decode_bucket(entry: &str, last_at: &mut i64) -> Option<SampleBucket> {
    let mut fields = entry.split(',').map(from_base36);
    *last_at += fields.next()??;
    let watched_ms = fields.next()??;
    let mut next = || fields.next().flatten();
    Some(SampleBucket {
        at: *last_at,
        watched_ms,
        online_ms: watched_ms - next().unwrap_or(0),
        player_ms: next().unwrap_or(0),
        peak: next().unwrap_or(0),
        low: next().unwrap_or(0),
        latency_sum: next(),
        tps_ms: next().unwrap_or(0),
        tps_sum: next().unwrap_or(0),
    })
}

/// Format of versions before schema 28.
mod earlier_format {
    use super::{PingSample, SampleBucket};

    pub(super) fn sample(entry: &str) -> Option<(PingSample, Option<i64>)> {
        let mut fields = entry.split(',');
        let sample = PingSample {
            at: fields.next()?.parse().ok()?,
            online: fields.next()? == "1",
            players: fields.next()?.parse().ok()?,
            latency_ms: fields.next()?.parse().ok()?,
            tps: fields.next()?.parse().ok(),
        };
        Some((sample, fields.next()?.parse().ok()))
    }

    pub(super) fn bucket(entry: &str) -> Option<SampleBucket> {
        let mut fields = entry.split(',').map(|field| field.parse::<i64>().ok());
        let mut next = || fields.next().flatten();
        Some(SampleBucket {
            at: next()?,
            watched_ms: next()?,
            online_ms: next()?,
            player_ms: next()?,
            peak: next()?,
            low: next()?,
            latency_sum: next(),
            tps_ms: next().unwrap_or(0),
            tps_sum: next().unwrap_or(0),
        })
    }
}

/// Pending samples of these servers.
pub(crate) fn of(conn: &mut Conn, servers: &[i64]) -> Result<HashMap<i64, PendingSamples>> {
    select(conn, servers, "")
}

/// The same. Nothing else changes it until the transaction ends.
pub(crate) fn lock(conn: &mut Conn, servers: &[i64]) -> Result<HashMap<i64, PendingSamples>> {
    let lock = if conn.is_postgres() { " order by t.server_n for update" } else { "" };
    select(conn, servers, lock)
}

fn select(conn: &mut Conn, servers: &[i64], lock: &str) -> Result<HashMap<i64, PendingSamples>> {
    if servers.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select t.server_n, {TEXT} from tracking t where t.server_n in ({}) and t.pending <> ''{lock}",
        placeholders(servers.len())
    );
    let rows =
        conn.query(&sql, &pad_values(servers), |row| (row.get(0), PendingSamples::decode(&row.get::<String>(1))))?;
    Ok(rows.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::time::MINUTE;

    const T: i64 = 1_780_495_200_000;

    fn sample(at: i64, tps: Option<f64>) -> PingSample {
        PingSample { at, online: true, players: 7, latency_ms: 30, tps }
    }

    fn stored(pending: &PendingSamples) -> String {
        pending.clone().encode().join("/")
    }

    #[test]
    fn what_waits_survives_the_row() {
        let offline = PingSample { online: false, players: 0, latency_ms: 0, ..sample(T + 6 * MINUTE, None) };
        let mut pending =
            PendingSamples { samples: vec![(sample(T, Some(19.97)), Some(90_000)), (offline, None)], buckets: vec![] };
        let bucket = SampleBucket {
            at: T,
            watched_ms: MINUTE,
            online_ms: 1,
            player_ms: 2,
            peak: 3,
            low: 0,
            latency_sum: Some(30),
            tps_ms: 1,
            tps_sum: 19_970,
        };
        pending.add_bucket(&bucket);
        assert_eq!(PendingSamples::decode(&stored(&pending)), pending);
        assert_eq!(pending.clone().encode().map(|part| part.matches(';').count()), [2, 1], "the first is complete");
        pending.buckets[0] = SampleBucket { latency_sum: None, tps_ms: 0, tps_sum: 0, ..bucket };
        assert_eq!(PendingSamples::decode(&stored(&pending)), pending);
        let earlier = format!("{T},1,7,30,19.97,90000;|/|{T},{MINUTE},1,2,3,0;");
        pending.samples.pop();
        assert_eq!(PendingSamples::decode(&earlier), pending, "as earlier versions wrote it");
        assert_eq!(PendingSamples::decode("/"), PendingSamples::default());
        assert_eq!(PendingSamples::default().encode(), ["", ""]);
    }

    #[test]
    fn each_server_has_half_hours_of_its_own() {
        let piece = |at: i64| SampleBucket { at, watched_ms: MINUTE, online_ms: MINUTE, ..SampleBucket::default() };
        for server_n in 0..7 {
            let (mut pending, mut written) = (PendingSamples::default(), Vec::new());
            for minute in 0..120 {
                let at = T + minute * MINUTE;
                pending.samples.push((sample(at, None), None));
                pending.add_bucket(&piece(bucket_start(at, FIVE_MINUTES)));
                let due = pending.take_due(server_n);
                if !due.is_empty() {
                    written.push((minute, due.samples.len(), due.buckets.len()));
                }
            }
            let first = 30 - 5 * (server_n % 6);
            let expected = [(0, first as usize), (30, 30), (60, 30), (90, 30)];
            let expected = expected.map(|(after, samples)| (first + after, samples, samples / 5));
            assert_eq!(written, expected.into_iter().filter(|(minute, ..)| *minute < 120).collect::<Vec<_>>());
        }
    }
}
