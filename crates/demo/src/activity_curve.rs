//! The number of players on a server as a function of time, so that samples, status and history always agree.

use std::sync::LazyLock;

use super::rng::{DemoRng, Stream, WorldSeed};
use rollcall_model::buckets::PingSample;
use rollcall_model::hash::{splitmix64, unit_interval};
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND};

/// The Unix epoch was a Thursday, three days after the start of its week.
const EPOCH_WEEKDAY: i64 = 3 * DAY;
const WEEK: i64 = 7 * DAY;
const WEEK_HOURS: usize = 168;
/// Hours since Monday 00:00.
const FRIDAY_MORNING: f64 = 4.0 * 24.0 + 10.0;
const SUNDAY_NIGHT: f64 = 168.0;
/// The local hour with the most players.
const PEAK_HOUR: f64 = 20.0;
/// After `now`, each server has one outage per period: of the demo's 250, a few in any ten minutes.
const OUTAGE_PERIOD: i64 = 8 * HOUR;
const MIN_OUTAGE: i64 = 100 * SECOND;
const MAX_OUTAGE: i64 = 5 * MINUTE;
/// The daily peak relative to the daily average.
pub const DAILY_PEAK_FACTOR: f64 = 1.45;

#[derive(Clone)]
pub struct ActivityCurve {
    key: u64,
    /// Average players, at the time `now`.
    level: f64,
    /// Additional share of players on weekends.
    weekend: f64,
    /// Growth rate per 30 days, of the logarithm.
    growth: f64,
    max_players: i64,
    latency_ms: i64,
    utc_offset_ms: i64,
    now: i64,
    /// The time of the first sample.
    pub first_seen: i64,
    /// The time of the newest sample.
    pub last_at: i64,
    /// Start and end of each outage that began before `now`, sorted.
    outages: Vec<(i64, i64)>,
}

pub struct CurveParams {
    pub level: f64,
    pub max_players: i64,
    pub latency_ms: i64,
    pub utc_offset_ms: i64,
    pub first_seen: i64,
    pub offline_now: bool,
}

impl ActivityCurve {
    pub fn new(seed: WorldSeed, index: usize, now: i64, days: i64, params: &CurveParams) -> Self {
        let mut rng = seed.rng(Stream::ActivityCurve, index);
        // Pings are spread over the minute, as the tracker spreads them.
        let last_at = now - rng.between(2 * SECOND, 55 * SECOND);
        let growth = 0.03 + rng.normal() * 0.14;
        let outages = outages(&mut seed.rng(Stream::Outages, index), now, days, params.offline_now);
        Self {
            key: rng.next_u64(),
            level: params.level,
            weekend: -0.03 + 0.24 * rng.unit(),
            growth,
            max_players: params.max_players,
            latency_ms: params.latency_ms,
            utc_offset_ms: params.utc_offset_ms,
            now,
            first_seen: params.first_seen,
            last_at,
            outages,
        }
    }

    pub fn at(&self, at: i64) -> PingSample {
        if self.is_offline(at) {
            return PingSample { at, online: false, players: 0, latency_ms: 0, tps: None };
        }
        let months = (at - self.now) as f64 / (30 * DAY) as f64;
        let variation = 1.0
            + 0.08 * self.noise(1, at, 5 * DAY)
            + 0.09 * self.noise(2, at, 19 * HOUR)
            + 0.06 * self.noise(3, at, 2 * HOUR)
            + 0.025 * self.noise(4, at, 11 * MINUTE);
        let local = at + self.utc_offset_ms;
        let rhythm = daily_factor(local) * (1.0 + self.weekend * weekend_factor(local));
        let expected = self.level * (self.growth * months).exp() * rhythm * variation;
        // Dithered: 2.3 expected players are 3 players for 30 % of the time.
        let dither = self.noise(5, at, 25 * MINUTE) * 0.5 + 0.5;
        let players = ((expected + dither) as i64).clamp(0, self.max_players);
        let jitter = unit_interval(splitmix64(self.key ^ 6 ^ at as u64));
        PingSample {
            at,
            online: true,
            players,
            latency_ms: self.latency_ms + (jitter * jitter * 9.0) as i64,
            tps: Some(20.0 - (jitter.powi(6) * 30.0).round() / 10.0),
        }
    }

    /// The latency of the last ping before or at `at` that was answered; 0 if none was.
    pub fn last_latency_ms(&self, at: i64) -> i64 {
        let outage = self.outages.iter().find(|(start, end)| (*start..*end).contains(&at));
        let answered_at = outage.map_or(at, |(start, _)| start - 1);
        if answered_at < self.first_seen { 0 } else { self.at(answered_at).latency_ms }
    }

    pub fn is_offline(&self, at: i64) -> bool {
        let after = self.outages.partition_point(|(start, _)| *start <= at);
        after > 0 && at < self.outages[after - 1].1 || at > self.now && self.is_in_future_outage(at)
    }

    /// Start and end of the outages until `now`; without an end, it still lasts.
    pub fn past_outages(&self) -> impl Iterator<Item = (i64, Option<i64>)> {
        let seen = self.outages.iter().filter(|(_, end)| *end > self.first_seen);
        seen.map(|&(start, end)| (start.max(self.first_seen), Some(end).filter(|end| *end <= self.last_at)))
    }

    /// Outages after `now` are computed on demand, since a list of them would never end.
    fn is_in_future_outage(&self, at: i64) -> bool {
        // Shifted per server, so that outages do not coincide.
        let shift = (self.key % OUTAGE_PERIOD as u64) as i64;
        let period = (at + shift).div_euclid(OUTAGE_PERIOD);
        let random = |salt: u64| unit_interval(splitmix64(self.key ^ salt << 40 ^ period as u64));
        let length = MIN_OUTAGE + (random(7) * (MAX_OUTAGE - MIN_OUTAGE) as f64) as i64;
        let start = period * OUTAGE_PERIOD - shift + (random(8) * (OUTAGE_PERIOD - length) as f64) as i64;
        start > self.now && (start..start + length).contains(&at)
    }

    /// Smooth noise between -1 and 1, with one random value per `period`.
    fn noise(&self, salt: u64, at: i64, period: i64) -> f64 {
        let (step, within) = (at.div_euclid(period), at.rem_euclid(period) as f64 / period as f64);
        let value = |step: i64| unit_interval(splitmix64(self.key ^ salt << 40 ^ step as u64)) * 2.0 - 1.0;
        let ease = within * within * (3.0 - 2.0 * within);
        value(step) * (1.0 - ease) + value(step + 1) * ease
    }
}

/// High in the evening, low at night; 1 on average.
fn daily_factor(local: i64) -> f64 {
    static HOURS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let hour = |hour: usize| {
            let angle = (hour as f64 - PEAK_HOUR) / 24.0 * std::f64::consts::TAU;
            0.96 + 0.40 * angle.cos() + 0.09 * (2.0 * angle).cos()
        };
        (0..=24).map(hour).collect()
    });
    interpolate_hours(&HOURS, local.rem_euclid(DAY))
}

/// 0 on weekdays, 1 on weekends; rises through Friday and falls on Sunday evening.
fn weekend_factor(local: i64) -> f64 {
    static HOURS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let hour = |hour: usize| {
            let rising = (hour as f64 - FRIDAY_MORNING) / 10.0;
            let falling = (SUNDAY_NIGHT - hour as f64) / 6.0;
            rising.min(falling).clamp(0.0, 1.0)
        };
        (0..=WEEK_HOURS).map(hour).collect()
    });
    interpolate_hours(&HOURS, (local + EPOCH_WEEKDAY).rem_euclid(WEEK))
}

/// Interpolates between the values of full hours.
fn interpolate_hours(hours: &[f64], offset: i64) -> f64 {
    let (hour, within) = ((offset / HOUR) as usize, (offset % HOUR) as f64 / HOUR as f64);
    hours[hour] * (1.0 - within) + hours[hour + 1] * within
}

/// Sorted and disjoint. Most servers have one short outage per month, a few have several long ones.
fn outages(rng: &mut DemoRng, now: i64, days: i64, offline_now: bool) -> Vec<(i64, i64)> {
    let (per_month, median_minutes) = match rng.below(20) {
        0..12 => (1.0, 6.0),
        12..17 => (3.0, 18.0),
        17..19 => (7.0, 45.0),
        _ => (10.0, 240.0),
    };
    let count = (per_month * days as f64 / 30.0 * (0.5 + rng.unit())).round() as usize;
    let mut found: Vec<(i64, i64)> = (0..count)
        .map(|_| {
            let start = now - (rng.unit() * (days * DAY) as f64) as i64;
            let minutes = rng.log_normal(median_minutes, 0.9).clamp(2.0, 3_000.0);
            (start, start + (minutes * MINUTE as f64) as i64)
        })
        // Whether the server is offline now is decided below.
        .filter(|(_, end)| *end < now - 10 * MINUTE)
        .collect();
    if offline_now {
        let start = now - rng.log_uniform(4.0 * MINUTE as f64, 3.0 * DAY as f64) as i64;
        // Some servers come back minutes after `now`, while the demo runs.
        found.push((start, now + rng.log_uniform(2.0 * MINUTE as f64, 2.0 * DAY as f64) as i64));
    }
    found.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::with_capacity(found.len());
    for outage in found {
        match merged.last_mut() {
            Some(last) if outage.0 <= last.1 => last.1 = last.1.max(outage.1),
            _ => merged.push(outage),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_763_200_000_000;

    fn curve(index: usize, offline_now: bool) -> ActivityCurve {
        let params = CurveParams {
            level: 400.0,
            max_players: 1_000,
            latency_ms: 20,
            utc_offset_ms: 0,
            first_seen: NOW - 90 * DAY,
            offline_now,
        };
        ActivityCurve::new(WorldSeed(5), index, NOW, 90, &params)
    }

    #[test]
    fn evenings_and_weekends_have_more_players() {
        let monday = 4 * DAY;
        assert!(daily_factor(monday + 20 * HOUR) > 1.5 * daily_factor(monday + 8 * HOUR));
        assert_eq!(weekend_factor(monday + DAY), 0.0);
        assert_eq!(weekend_factor(monday + 5 * DAY + 12 * HOUR), 1.0);
        let peak = (0..24).map(|hour| daily_factor(hour * HOUR)).fold(0.0, f64::max);
        assert!((peak - DAILY_PEAK_FACTOR).abs() < 0.01, "{peak}");
    }

    #[test]
    fn the_last_sample_is_offline_only_where_asked_for() {
        let (up, down) = (curve(3, false), curve(3, true));
        assert!(up.at(up.last_at).online);
        assert!(!down.at(down.last_at).online);
        assert!((1..90).any(|day| down.at(NOW - day * DAY).online));
        assert!(NOW - up.last_at < MINUTE);
    }

    #[test]
    fn a_few_servers_have_a_short_outage_in_any_ten_minutes() {
        let curves: Vec<ActivityCurve> = (0..250).map(|index| curve(index, false)).collect();
        let out = |curve: &ActivityCurve, from: i64, minutes: i64| {
            (0..minutes * 6).filter(|step| curve.is_offline(from + 1 + step * 10 * SECOND)).count()
        };
        for from in (0..60).map(|step| NOW + step * 2 * HOUR) {
            let down = curves.iter().filter(|curve| out(curve, from, 10) > 0).count();
            assert!((1..=15).contains(&down), "{down}");
        }
        for curve in &curves {
            assert!(!curve.is_offline(NOW));
            let steps = out(curve, NOW, 24 * 60);
            assert!((2 * 10..=4 * 30).contains(&steps), "two to four outages of at most five minutes: {steps}");
        }
        let offline: Vec<ActivityCurve> = (0..20).map(|index| curve(index, true)).collect();
        assert!(offline.iter().all(|curve| curve.is_offline(NOW) && !curve.is_offline(NOW + 3 * DAY)));
        let back = offline.iter().filter(|curve| !curve.is_offline(NOW + HOUR)).count();
        assert!((4..16).contains(&back), "{back}");
    }
}
