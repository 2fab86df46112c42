//! Time-weighted roll-ups of samples. A sample counts for as long as it held, so an uneven rhythm of
//! pings shifts no average, and time in which we did not watch counts neither way.

use super::score::{round, uptime};
use super::time::{DAY, HOUR, MINUTE};

pub const FIVE_MINUTES: i64 = 5 * MINUTE;
pub const HOUR_BUCKET: i64 = HOUR;
pub const DAY_BUCKET: i64 = DAY;

/// What one ping saw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub at: i64,
    pub online: bool,
    pub players: i64,
    pub latency_ms: i64,
    pub tps: Option<f64>,
}

impl Sample {
    /// An offline server has no players, whatever the last answer said.
    pub fn counted_players(&self) -> i64 {
        if self.online { self.players.max(0) } else { 0 }
    }
}

/// The sums of one stretch of time. `peak` and `low` mean something only when `watched_ms > 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// The start, a multiple of the width.
    pub at: i64,
    pub watched_ms: i64,
    pub online_ms: i64,
    /// Players times the milliseconds they were there.
    pub player_ms: i64,
    pub peak: i64,
    pub low: i64,
}

impl Bucket {
    /// A bucket in which nothing was watched: merging it changes no figure.
    pub fn empty(at: i64) -> Bucket {
        Bucket { at, ..Bucket::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.watched_ms == 0
    }

    /// Associative and commutative, so that buckets may arrive in any order and grouping.
    /// The earlier start is kept: merged into `empty(start)`, finer buckets make a coarser one.
    pub fn merge(&mut self, other: &Bucket) {
        let at = self.at.min(other.at);
        if self.is_empty() {
            *self = *other;
        } else if !other.is_empty() {
            self.watched_ms = self.watched_ms.saturating_add(other.watched_ms);
            self.online_ms = self.online_ms.saturating_add(other.online_ms);
            self.player_ms = self.player_ms.saturating_add(other.player_ms);
            self.peak = self.peak.max(other.peak);
            self.low = self.low.min(other.low);
        }
        self.at = at;
    }
}

/// The start of the bucket of this width that holds `at`, aligned to UTC.
pub fn bucket_start(at: i64, width_ms: i64) -> i64 {
    at - at.rem_euclid(width_ms.max(1))
}

/// From when to when a sample holds: until the next one, but for at most `max_gap`.
/// Samples out of order make an empty segment, never a negative one.
pub fn segments(prev: &Sample, next_at: i64, max_gap: i64) -> (i64, i64) {
    let latest = prev.at.saturating_add(max_gap.max(0));
    (prev.at, next_at.min(latest).max(prev.at))
}

/// The sample's segment cut at the borders of the buckets; the parts add up to the whole.
pub fn spread(prev: &Sample, next_at: i64, max_gap: i64, width_ms: i64) -> impl Iterator<Item = Bucket> + use<> {
    let (mut from, to) = segments(prev, next_at, max_gap);
    let online = prev.online;
    let players = prev.counted_players();
    let width_ms = width_ms.max(1);
    std::iter::from_fn(move || {
        if from >= to {
            return None;
        }
        let at = bucket_start(from, width_ms);
        let end = at.saturating_add(width_ms).min(to);
        let watched_ms = end - from;
        from = end;
        Some(Bucket {
            at,
            watched_ms,
            online_ms: if online { watched_ms } else { 0 },
            player_ms: players.saturating_mul(watched_ms),
            peak: players,
            low: players,
        })
    })
}

/// The figures of a period; all zero when nothing was watched in it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PeriodFigures {
    /// Two decimals.
    pub avg_players: f64,
    pub peak_players: i64,
    pub min_players: i64,
    pub uptime_pct: f64,
}

pub fn period_figures(buckets: impl IntoIterator<Item = Bucket>) -> PeriodFigures {
    let mut sum = Bucket::default();
    for bucket in buckets {
        sum.merge(&bucket);
    }
    if sum.is_empty() {
        return PeriodFigures::default();
    }
    PeriodFigures {
        avg_players: round(sum.player_ms as f64 / sum.watched_ms as f64, 2),
        peak_players: sum.peak,
        min_players: sum.low,
        uptime_pct: uptime(sum.online_ms, sum.watched_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(at: i64, online: bool, players: i64) -> Sample {
        Sample { at, online, players, latency_ms: 20, tps: None }
    }

    fn merged(buckets: impl IntoIterator<Item = Bucket>, at: i64) -> Bucket {
        let mut sum = Bucket::empty(at);
        for bucket in buckets {
            sum.merge(&bucket);
        }
        sum
    }

    #[test]
    fn a_sample_holds_until_the_next_or_the_gap() {
        let prev = sample(1_000, true, 5);
        assert_eq!(segments(&prev, 1_600, 500), (1_000, 1_500));
        assert_eq!(segments(&prev, 1_400, 500), (1_000, 1_400));
        assert_eq!(segments(&prev, 900, 500), (1_000, 1_000));
        assert_eq!(segments(&prev, i64::MAX, i64::MAX), (1_000, i64::MAX));
        assert_eq!(spread(&prev, 1_000, 500, 100).count(), 0);
    }

    #[test]
    fn splits_at_the_borders() {
        let prev = sample(4 * MINUTE, true, 10);
        let parts: Vec<_> = spread(&prev, 11 * MINUTE, HOUR, FIVE_MINUTES).collect();
        let shape: Vec<_> = parts.iter().map(|b| (b.at, b.watched_ms)).collect();
        assert_eq!(shape, [(0, MINUTE), (5 * MINUTE, 5 * MINUTE), (10 * MINUTE, MINUTE)]);
        assert_eq!(parts[1].player_ms, 10 * 5 * MINUTE);
    }

    #[test]
    fn figures_weigh_by_time_and_leave_gaps_out() {
        let hour = |at, online, players| spread(&sample(at, online, players), at + DAY, HOUR, HOUR_BUCKET);
        // Three hours watched of a day: 30 players, 10 players, offline with a stale count.
        let day = hour(0, true, 30).chain(hour(5 * HOUR, true, 10)).chain(hour(9 * HOUR, false, 99));
        let figures = period_figures(day);
        assert_eq!(figures.avg_players, 13.33);
        assert_eq!(figures.peak_players, 30);
        assert_eq!(figures.min_players, 0);
        assert_eq!(figures.uptime_pct, 66.67);
    }

    #[test]
    fn nothing_watched_is_all_zero() {
        assert_eq!(period_figures([]), PeriodFigures::default());
        assert_eq!(period_figures([Bucket::empty(5)]), PeriodFigures::default());
    }

    #[test]
    fn an_empty_bucket_does_not_lower_the_low() {
        let full = spread(&sample(0, true, 7), HOUR, HOUR, HOUR).next().unwrap();
        let mut sum = Bucket::empty(0);
        sum.merge(&full);
        sum.merge(&Bucket::empty(0));
        assert_eq!(sum, full);
    }

    fn any_bucket() -> impl Strategy<Value = Bucket> {
        (0..4_i64, 0..3_i64, any::<bool>(), 0..1_000_i64).prop_map(|(at, length, online, players)| {
            let prev = sample(at * HOUR, online, players);
            spread(&prev, prev.at + length * MINUTE, HOUR, HOUR).next().unwrap_or(Bucket::empty(prev.at))
        })
    }

    proptest! {
        #[test]
        fn splitting_conserves_time_and_players(
            at in -DAY..10 * DAY,
            length in 0..2 * DAY,
            max_gap in 0..2 * DAY,
            width in MINUTE..DAY,
            online in any::<bool>(),
            players in -5..100_000_i64,
        ) {
            let prev = sample(at, online, players);
            let (from, to) = segments(&prev, at + length, max_gap);
            prop_assert_eq!(to - from, length.min(max_gap));
            let parts: Vec<_> = spread(&prev, at + length, max_gap, width).collect();
            let mut cursor = from;
            for part in &parts {
                prop_assert_eq!(part.at.rem_euclid(width), 0);
                prop_assert!(part.watched_ms > 0);
                prop_assert!(part.at <= cursor && cursor + part.watched_ms <= part.at + width);
                cursor += part.watched_ms;
            }
            prop_assert_eq!(cursor, to);
            let sum = merged(parts, from);
            prop_assert_eq!(sum.watched_ms, to - from);
            prop_assert_eq!(sum.online_ms, if online { to - from } else { 0 });
            prop_assert_eq!(sum.player_ms, (to - from) * prev.counted_players());
        }

        #[test]
        fn merging_is_associative_and_commutative(
            a in any_bucket(), b in any_bucket(), c in any_bucket(),
        ) {
            let join = |mut x: Bucket, y: Bucket| { x.merge(&y); x };
            prop_assert_eq!(join(join(a, b), c), join(a, join(b, c)));
            prop_assert_eq!(join(a, b), join(b, a));
            prop_assert_eq!(join(a, Bucket::empty(a.at)), a);
        }

        #[test]
        fn rolling_up_in_two_steps_is_the_same_as_in_one(
            at in 0..10 * DAY, length in 0..6 * HOUR, players in 0..500_i64,
        ) {
            let prev = sample(at, true, players);
            let hours: Vec<_> = spread(&prev, at + length, DAY, HOUR_BUCKET).collect();
            let fine: Vec<_> = spread(&prev, at + length, DAY, FIVE_MINUTES).collect();
            for hour in hours {
                let inside = fine.iter().copied().filter(|b| bucket_start(b.at, HOUR_BUCKET) == hour.at);
                prop_assert_eq!(merged(inside, hour.at), hour);
            }
        }

        #[test]
        fn figures_stay_within_what_was_seen(buckets in prop::collection::vec(any_bucket(), 0..8)) {
            let figures = period_figures(buckets);
            prop_assert!((0.0..=100.0).contains(&figures.uptime_pct));
            prop_assert!(figures.avg_players >= figures.min_players as f64);
            prop_assert!(figures.avg_players <= figures.peak_players as f64);
        }
    }
}
