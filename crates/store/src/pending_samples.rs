//! Samples that wait in the tracking row of their server until their five minutes are over. The tables of samples and roll-ups are
//! written once in five minutes then, not with every poll; readers add what waits.

use std::collections::HashMap;

use super::{Conn, Result, pad_values, placeholders};
use rollcall_model::buckets::{FIVE_MINUTES, PingSample, SampleBucket, bucket_start};

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

    /// Removes and returns what belongs to five minutes before those of the newest sample: nothing will be added to them.
    pub fn take_complete(&mut self) -> Self {
        let Some((newest, _)) = self.samples.last() else { return Self::default() };
        let current = bucket_start(newest.at, FIVE_MINUTES);
        let (samples, open_samples) = self.samples.drain(..).partition(|(sample, _)| sample.at < current);
        let (buckets, open_buckets) = self.buckets.drain(..).partition(|bucket| bucket.at < current);
        *self = Self { samples: open_samples, buckets: open_buckets };
        Self { samples, buckets }
    }

    /// Drops what is later than `at`.
    pub(crate) fn drop_after(&mut self, at: i64) {
        self.samples.retain(|(sample, _)| sample.at <= at);
        self.buckets.retain(|bucket| bucket.at <= at);
    }

    /// `samples|buckets`: entries end with a semicolon, their fields are separated by commas.
    pub(crate) fn encode(&self) -> String {
        if self.is_empty() {
            return String::new();
        }
        let optional = |value: Option<String>| value.unwrap_or_default();
        let samples = self.samples.iter().map(|(sample, rejected)| {
            let PingSample { at, online, players, latency_ms, tps } = *sample;
            let (tps, rejected) = (optional(tps.map(|n| n.to_string())), optional(rejected.map(|n| n.to_string())));
            format!("{at},{},{players},{latency_ms},{tps},{rejected};", i64::from(online))
        });
        let buckets = self.buckets.iter().map(|bucket| {
            let SampleBucket { at, watched_ms, online_ms, player_ms, peak, low, latency_sum, tps_ms, tps_sum } = bucket;
            let latency_sum = optional(latency_sum.map(|sum| sum.to_string()));
            format!("{at},{watched_ms},{online_ms},{player_ms},{peak},{low},{latency_sum},{tps_ms},{tps_sum};")
        });
        format!("{}|{}", samples.collect::<String>(), buckets.collect::<String>())
    }

    pub(crate) fn decode(text: &str) -> Self {
        let (samples, buckets) = text.split_once('|').unwrap_or_default();
        Self {
            samples: samples.split_terminator(';').filter_map(decode_sample).collect(),
            buckets: buckets.split_terminator(';').filter_map(decode_bucket).collect(),
        }
    }
}

fn decode_sample(entry: &str) -> Option<(PingSample, Option<i64>)> {
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

fn decode_bucket(entry: &str) -> Option<SampleBucket> {
    let mut fields = entry.split(',').map(|field| field.parse::<i64>().ok());
    let mut next = || fields.next().flatten();
    Some(SampleBucket {
        at: next()?,
        watched_ms: next()?,
        online_ms: next()?,
        player_ms: next()?,
        peak: next()?,
        low: next()?,
        // Earlier versions write none of these.
        latency_sum: next(),
        tps_ms: next().unwrap_or(0),
        tps_sum: next().unwrap_or(0),
    })
}

/// What waits of these servers.
pub(crate) fn of(conn: &mut Conn, servers: &[i64]) -> Result<HashMap<i64, PendingSamples>> {
    select(conn, servers, "")
}

/// The same. Nothing else changes it until the transaction ends.
pub(crate) fn lock(conn: &mut Conn, servers: &[i64]) -> Result<HashMap<i64, PendingSamples>> {
    let lock = if conn.is_postgres() { " order by server_n for update" } else { "" };
    select(conn, servers, lock)
}

fn select(conn: &mut Conn, servers: &[i64], lock: &str) -> Result<HashMap<i64, PendingSamples>> {
    if servers.is_empty() {
        return Ok(HashMap::new());
    }
    let sql = format!(
        "select server_n, pending from tracking where server_n in ({}) and pending <> ''{lock}",
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

    #[test]
    fn what_waits_survives_the_row() {
        let offline = PingSample { online: false, players: 0, latency_ms: 0, ..sample(T + MINUTE, None) };
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
        assert_eq!(PendingSamples::decode(&pending.encode()), pending);
        pending.buckets[0] = SampleBucket { latency_sum: None, tps_ms: 0, tps_sum: 0, ..bucket };
        assert_eq!(PendingSamples::decode(&pending.encode()), pending);
        let earlier = PendingSamples::decode(&format!("|{T},{MINUTE},1,2,3,0;"));
        assert_eq!(earlier.buckets, pending.buckets, "as earlier versions write it");
        assert_eq!(PendingSamples::decode(""), PendingSamples::default());
        assert_eq!(PendingSamples::default().encode(), "");
    }

    #[test]
    fn five_minutes_are_complete_when_a_later_sample_comes() {
        let piece = |at: i64| SampleBucket { at, watched_ms: MINUTE, online_ms: MINUTE, ..SampleBucket::default() };
        let mut pending = PendingSamples::default();
        for minute in 0..5 {
            pending.samples.push((sample(T + minute * MINUTE, None), None));
            pending.add_bucket(&piece(T));
            assert!(pending.take_complete().is_empty());
        }
        pending.samples.push((sample(T + FIVE_MINUTES, None), None));
        pending.add_bucket(&piece(T + FIVE_MINUTES));
        let complete = pending.take_complete();
        assert_eq!((complete.samples.len(), complete.buckets.len()), (5, 1));
        assert_eq!(complete.buckets[0].watched_ms, 5 * MINUTE);
        assert_eq!((pending.samples.len(), pending.buckets.len()), (1, 1));
    }
}
