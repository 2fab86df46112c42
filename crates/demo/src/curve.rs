//! How many play on a server at any moment: a function of time, so that every level of samples tells one story.

use std::sync::LazyLock;

use super::rng::{Dice, Of, Seed, mix};
use rollcall_model::buckets::Sample;
use rollcall_model::time::{DAY, HOUR, MINUTE, SECOND};

/// The epoch fell on a Thursday; three days earlier a week began on Monday.
const THURSDAY: i64 = 3 * DAY;
const WEEK: i64 = 7 * DAY;
const WEEK_HOURS: usize = 168;
/// Hours since the week began.
const FRIDAY_MORNING: f64 = 4.0 * 24.0 + 10.0;
const SUNDAY_NIGHT: f64 = 168.0;
/// The hour of the evening with most players.
const BUSIEST_HOUR: f64 = 20.0;
/// Once in so long a server goes down after `now`: of the demo's 250, a handful in any ten minutes.
const SPELL: i64 = 8 * HOUR;
const BRIEFEST: i64 = 100 * SECOND;
const LONGEST: i64 = 5 * MINUTE;
/// The day at its highest: what a server's limit must leave room for.
pub const BUSIEST: f64 = 1.45;

#[derive(Clone)]
pub struct Curve {
    key: u64,
    /// Players at an average moment, now.
    level: f64,
    /// How many more come on a weekend.
    weekend: f64,
    /// Growth of the logarithm per 30 days.
    growth: f64,
    limit: i64,
    latency: i64,
    utc_offset_ms: i64,
    now: i64,
    /// Nothing is known before this.
    pub first_seen: i64,
    /// The newest sample.
    pub last_at: i64,
    outages: Vec<(i64, i64)>,
}

pub struct Shape {
    pub level: f64,
    pub limit: i64,
    pub latency: i64,
    pub utc_offset_ms: i64,
    pub first_seen: i64,
    pub offline_now: bool,
}

impl Curve {
    pub fn new(seed: Seed, index: usize, now: i64, days: i64, shape: &Shape) -> Self {
        let mut dice = seed.dice(Of::Curve, index);
        // Pings are spread over the minute, as a scheduler spreads them.
        let last_at = now - dice.between(2 * SECOND, 55 * SECOND);
        let growth = 0.03 + dice.normal() * 0.14;
        let outages = outages(&mut seed.dice(Of::Outages, index), now, days, shape.offline_now);
        Self {
            key: dice.bits(),
            level: shape.level,
            weekend: -0.03 + 0.24 * dice.unit(),
            growth,
            limit: shape.limit,
            latency: shape.latency,
            utc_offset_ms: shape.utc_offset_ms,
            now,
            first_seen: shape.first_seen,
            last_at,
            outages,
        }
    }

    pub fn at(&self, at: i64) -> Sample {
        if self.is_out(at) {
            return Sample { at, online: false, players: 0, latency_ms: 0, tps: Some(0.0) };
        }
        let months = (at - self.now) as f64 / (30 * DAY) as f64;
        let weather = 1.0
            + 0.08 * self.noise(1, at, 5 * DAY)
            + 0.09 * self.noise(2, at, 19 * HOUR)
            + 0.06 * self.noise(3, at, 2 * HOUR)
            + 0.025 * self.noise(4, at, 11 * MINUTE);
        let local = at + self.utc_offset_ms;
        let rhythm = by_day(local) * (1.0 + self.weekend * weekend(local));
        let expected = self.level * (self.growth * months).exp() * rhythm * weather;
        // A fraction of a player is there for that fraction of the time.
        let fraction = self.noise(5, at, 25 * MINUTE) * 0.5 + 0.5;
        let players = ((expected + fraction) as i64).clamp(0, self.limit);
        let jitter = unit(mix(self.key ^ 6 ^ at as u64));
        Sample {
            at,
            online: true,
            players,
            latency_ms: self.latency + (jitter * jitter * 9.0) as i64,
            tps: Some(20.0 - (jitter.powi(6) * 30.0).round() / 10.0),
        }
    }

    pub fn is_out(&self, at: i64) -> bool {
        let after = self.outages.partition_point(|(start, _)| *start <= at);
        after > 0 && at < self.outages[after - 1].1 || at > self.now && self.will_be_out(at)
    }

    /// What lies ahead has no end, so it is no list.
    fn will_be_out(&self, at: i64) -> bool {
        // They do not fall together.
        let shift = (self.key % SPELL as u64) as i64;
        let spell = (at + shift).div_euclid(SPELL);
        let chance = |salt: u64| unit(mix(self.key ^ salt << 40 ^ spell as u64));
        let length = BRIEFEST + (chance(7) * (LONGEST - BRIEFEST) as f64) as i64;
        let start = spell * SPELL - shift + (chance(8) * (SPELL - length) as f64) as i64;
        start > self.now && (start..start + length).contains(&at)
    }

    /// Smooth chance between -1 and 1 that changes over `period`.
    fn noise(&self, salt: u64, at: i64, period: i64) -> f64 {
        let (step, within) = (at.div_euclid(period), at.rem_euclid(period) as f64 / period as f64);
        let value = |step: i64| unit(mix(self.key ^ salt << 40 ^ step as u64)) * 2.0 - 1.0;
        let ease = within * within * (3.0 - 2.0 * within);
        value(step) * (1.0 - ease) + value(step + 1) * ease
    }
}

fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

/// Busy evenings and quiet nights; 1 on average.
fn by_day(local: i64) -> f64 {
    static HOURS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let hour = |hour: usize| {
            let angle = (hour as f64 - BUSIEST_HOUR) / 24.0 * std::f64::consts::TAU;
            0.96 + 0.40 * angle.cos() + 0.09 * (2.0 * angle).cos()
        };
        (0..=24).map(hour).collect()
    });
    between_hours(&HOURS, local.rem_euclid(DAY))
}

/// From 0 in the week to 1 on the weekend, rising through Friday and falling on Sunday evening.
fn weekend(local: i64) -> f64 {
    static HOURS: LazyLock<Vec<f64>> = LazyLock::new(|| {
        let hour = |hour: usize| {
            let rising = (hour as f64 - FRIDAY_MORNING) / 10.0;
            let falling = (SUNDAY_NIGHT - hour as f64) / 6.0;
            rising.min(falling).clamp(0.0, 1.0)
        };
        (0..=WEEK_HOURS).map(hour).collect()
    });
    between_hours(&HOURS, (local + THURSDAY).rem_euclid(WEEK))
}

fn between_hours(hours: &[f64], place: i64) -> f64 {
    let (hour, within) = ((place / HOUR) as usize, (place % HOUR) as f64 / HOUR as f64);
    hours[hour] * (1.0 - within) + hours[hour + 1] * within
}

/// From reliable machines that blink once a month to those that fall over twice a week; sorted, apart.
fn outages(dice: &mut Dice, now: i64, days: i64, offline_now: bool) -> Vec<(i64, i64)> {
    let (per_month, median_minutes) = match dice.below(20) {
        0..12 => (1.0, 6.0),
        12..17 => (3.0, 18.0),
        17..19 => (7.0, 45.0),
        _ => (10.0, 240.0),
    };
    let count = (per_month * days as f64 / 30.0 * (0.5 + dice.unit())).round() as usize;
    let mut found: Vec<(i64, i64)> = (0..count)
        .map(|_| {
            let start = now - (dice.unit() * (days * DAY) as f64) as i64;
            let minutes = dice.log_normal(median_minutes, 0.9).clamp(2.0, 3_000.0);
            (start, start + (minutes * MINUTE as f64) as i64)
        })
        // What lasts until now would make the server offline now.
        .filter(|(_, end)| *end < now - 10 * MINUTE)
        .collect();
    if offline_now {
        let start = now - dice.log_even(4.0 * MINUTE as f64, 3.0 * DAY as f64) as i64;
        // Some of them come back while somebody watches.
        found.push((start, now + dice.log_even(2.0 * MINUTE as f64, 2.0 * DAY as f64) as i64));
    }
    found.sort_unstable();
    let mut apart: Vec<(i64, i64)> = Vec::with_capacity(found.len());
    for outage in found {
        match apart.last_mut() {
            Some(last) if outage.0 <= last.1 => last.1 = last.1.max(outage.1),
            _ => apart.push(outage),
        }
    }
    apart
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_763_200_000_000;

    fn curve(offline_now: bool) -> Curve {
        one_of_many(3, offline_now)
    }

    fn one_of_many(index: usize, offline_now: bool) -> Curve {
        let shape = Shape {
            level: 400.0,
            limit: 1_000,
            latency: 20,
            utc_offset_ms: 0,
            first_seen: NOW - 90 * DAY,
            offline_now,
        };
        Curve::new(Seed(5), index, NOW, 90, &shape)
    }

    #[test]
    fn evenings_are_busier_than_nights_and_weekends_than_weeks() {
        let monday = 4 * DAY;
        assert!(by_day(monday + 20 * HOUR) > 1.5 * by_day(monday + 8 * HOUR));
        assert_eq!(weekend(monday + DAY), 0.0);
        assert_eq!(weekend(monday + 5 * DAY + 12 * HOUR), 1.0);
        let busiest = (0..24).map(|hour| by_day(hour * HOUR)).fold(0.0, f64::max);
        assert!((busiest - BUSIEST).abs() < 0.01, "{busiest}");
    }

    #[test]
    fn an_outage_lasts_until_now_or_ends_before() {
        let (up, down) = (curve(false), curve(true));
        assert!(up.at(up.last_at).online);
        assert!(!down.at(down.last_at).online);
        assert!((1..90).any(|day| down.at(NOW - day * DAY).online));
        assert!(NOW - up.last_at < MINUTE);
    }

    #[test]
    fn a_handful_goes_down_in_any_ten_minutes_and_comes_back() {
        let curves: Vec<Curve> = (0..250).map(|index| one_of_many(index, false)).collect();
        let out = |curve: &Curve, from: i64, minutes: i64| {
            (0..minutes * 6).filter(|step| curve.is_out(from + 1 + step * 10 * SECOND)).count()
        };
        for from in (0..60).map(|step| NOW + step * 2 * HOUR) {
            let down = curves.iter().filter(|curve| out(curve, from, 10) > 0).count();
            assert!((1..=15).contains(&down), "{down}");
        }
        for curve in &curves {
            assert!(!curve.is_out(NOW));
            let steps = out(curve, NOW, 24 * 60);
            assert!((2 * 10..=4 * 30).contains(&steps), "two to four outages of at most five minutes: {steps}");
        }
        let offline: Vec<Curve> = (0..20).map(|index| one_of_many(index, true)).collect();
        assert!(offline.iter().all(|curve| curve.is_out(NOW) && !curve.is_out(NOW + 3 * DAY)));
        let back = offline.iter().filter(|curve| !curve.is_out(NOW + HOUR)).count();
        assert!((4..16).contains(&back), "{back}");
    }
}
