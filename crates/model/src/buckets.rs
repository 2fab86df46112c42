//! Time-weighted roll-ups of ping samples. A sample counts for the time until the next one, so uneven ping intervals do not shift
//! averages, and time without samples counts neither as online nor as offline.

use super::resources::PeriodFigures;
use super::score::{ratio, uptime};
use super::time::{DAY, HOUR, MINUTE};

pub const FIVE_MINUTES: i64 = 5 * MINUTE;
pub const HOUR_BUCKET: i64 = HOUR;
pub const DAY_BUCKET: i64 = DAY;

/// The result of one ping.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PingSample {
    pub at: i64,
    pub online: bool,
    pub players: i64,
    pub latency_ms: i64,
    pub tps: Option<f64>,
}

impl PingSample {
    /// An offline server counts as empty, whatever `players` says.
    pub fn counted_players(&self) -> i64 {
        if self.online { self.players.max(0) } else { 0 }
    }
}

/// Sums over a time range. `peak` and `low` are valid only if `watched_ms > 0`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleBucket {
    /// The start, a multiple of the width.
    pub at: i64,
    pub watched_ms: i64,
    pub online_ms: i64,
    /// Players multiplied by milliseconds.
    pub player_ms: i64,
    pub peak: i64,
    pub low: i64,
    /// Latency multiplied by milliseconds online; `None` in buckets of versions that did not keep it.
    pub latency_sum: Option<i64>,
    /// The time in which ticks per second were reported.
    pub tps_ms: i64,
    /// Thousandths of ticks per second multiplied by milliseconds.
    pub tps_sum: i64,
}

impl SampleBucket {
    /// A bucket without samples; merging it changes no sum.
    pub fn empty(at: i64) -> SampleBucket {
        SampleBucket { at, ..SampleBucket::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.watched_ms == 0
    }

    /// Associative and commutative, so that buckets may be merged in any order. The result has the earlier start: merged into
    /// `empty(start)`, fine buckets form a coarse one.
    pub fn merge(&mut self, other: &SampleBucket) {
        let at = self.at.min(other.at);
        if self.is_empty() {
            *self = *other;
        } else if !other.is_empty() {
            self.watched_ms = self.watched_ms.saturating_add(other.watched_ms);
            self.online_ms = self.online_ms.saturating_add(other.online_ms);
            self.player_ms = self.player_ms.saturating_add(other.player_ms);
            self.peak = self.peak.max(other.peak);
            self.low = self.low.min(other.low);
            self.latency_sum = self.latency_sum.zip(other.latency_sum).map(|(a, b)| a.saturating_add(b));
            self.tps_ms = self.tps_ms.saturating_add(other.tps_ms);
            self.tps_sum = self.tps_sum.saturating_add(other.tps_sum);
        }
        self.at = at;
    }

    /// The sums of a `part` of the bucket, as if it were even.
    fn share(&self, part: i64, whole: i64) -> SampleBucket {
        let share = |sum: i64| (i128::from(sum) * i128::from(part) / i128::from(whole)) as i64;
        SampleBucket {
            watched_ms: share(self.watched_ms),
            online_ms: share(self.online_ms),
            player_ms: share(self.player_ms),
            latency_sum: self.latency_sum.map(share),
            tps_ms: share(self.tps_ms),
            tps_sum: share(self.tps_sum),
            ..*self
        }
    }

    /// Average players, weighted by time; 0 without samples.
    pub fn average_players(&self, decimals: u32) -> f64 {
        ratio(self.player_ms, self.watched_ms, decimals)
    }

    /// Average latency in milliseconds while the server was online, weighted by time.
    pub fn average_latency(&self, decimals: u32) -> Option<f64> {
        let sum = self.latency_sum.filter(|_| self.online_ms > 0)?;
        Some(ratio(sum, self.online_ms, decimals))
    }

    /// Average of the reported ticks per second, weighted by time.
    pub fn average_tps(&self, decimals: u32) -> Option<f64> {
        (self.tps_ms > 0).then(|| ratio(self.tps_sum, self.tps_ms.saturating_mul(1_000), decimals))
    }
}

/// The start of the bucket of this width that contains `at`, aligned to UTC.
pub fn bucket_start(at: i64, width_ms: i64) -> i64 {
    at - at.rem_euclid(width_ms.max(1))
}

/// The start of the first bucket of this width that begins at or after `at`.
fn next_bucket_start(at: i64, width_ms: i64) -> i64 {
    bucket_start(at.saturating_add(width_ms - 1), width_ms)
}

/// A time window from a five-minute border until now, covered by as few buckets as possible: five-minute buckets up to the
/// first whole hour, hourly ones up to the first whole day, then daily ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    pub since: i64,
    /// The hour that contains `since`.
    pub edge_hour: i64,
    /// The first hour that lies in the window as a whole.
    pub first_hour: i64,
    pub first_day: i64,
}

impl Window {
    /// The window that ends at `now` and begins at the first five-minute border within `length`.
    pub fn ending_at(now: i64, length: i64) -> Self {
        Self::since(now.saturating_sub(length).max(0))
    }

    /// The window that begins at the first five-minute border at or after `since`.
    pub fn since(since: i64) -> Self {
        let since = next_bucket_start(since, FIVE_MINUTES);
        let first_hour = next_bucket_start(since, HOUR_BUCKET);
        Self {
            since,
            edge_hour: bucket_start(since, HOUR_BUCKET),
            first_hour,
            first_day: next_bucket_start(first_hour, DAY_BUCKET),
        }
    }
}

/// The buckets that cover a [`Window`], added in any order.
#[derive(Clone, Copy, Debug)]
pub struct WindowSum {
    window: Window,
    whole: SampleBucket,
    edge_hour: SampleBucket,
    /// The five-minute buckets of the edge hour that lie in the window.
    edge_part: SampleBucket,
    /// Watched time of all five-minute buckets of the edge hour.
    edge_watched_ms: i64,
}

impl WindowSum {
    pub fn new(window: Window) -> Self {
        let empty = SampleBucket::empty(window.since);
        Self { window, whole: empty, edge_hour: empty, edge_part: empty, edge_watched_ms: 0 }
    }

    /// Adds an hourly or daily bucket.
    pub fn add(&mut self, bucket: &SampleBucket) {
        if bucket.at < self.window.first_hour {
            self.edge_hour.merge(bucket);
        } else {
            self.whole.merge(bucket);
        }
    }

    /// Adds a five-minute bucket of the edge hour.
    pub fn add_edge(&mut self, bucket: &SampleBucket) {
        self.edge_watched_ms = self.edge_watched_ms.saturating_add(bucket.watched_ms);
        if bucket.at >= self.window.since {
            self.edge_part.merge(bucket);
        }
    }

    /// Adds a five-minute bucket that no hourly or daily one contains yet.
    pub fn add_open(&mut self, bucket: &SampleBucket) {
        if bucket.at >= self.window.edge_hour {
            if bucket.at < self.window.first_hour {
                self.add_edge(bucket);
            }
            self.add(bucket);
        }
    }

    /// The sum. Where the five-minute buckets of the edge hour are deleted or were never imported, its hourly bucket counts
    /// in proportion.
    pub fn total(&self) -> SampleBucket {
        let mut total = self.whole;
        if self.edge_watched_ms >= self.edge_hour.watched_ms {
            total.merge(&self.edge_part);
        } else {
            total.merge(&self.edge_hour.share(self.window.first_hour - self.window.since, HOUR_BUCKET));
        }
        total
    }
}

/// The time range of a sample: until the next one, but at most `max_gap` long. Samples out of order give an empty range.
fn sample_range(prev: &PingSample, next_at: i64, max_gap: i64) -> (i64, i64) {
    let latest = prev.at.saturating_add(max_gap.max(0));
    (prev.at, next_at.min(latest).max(prev.at))
}

/// Splits the time range of a sample at the bucket borders; the parts add up to the whole.
pub fn split_into_buckets(
    prev: &PingSample,
    next_at: i64,
    max_gap: i64,
    width_ms: i64,
) -> impl Iterator<Item = SampleBucket> + use<> {
    let (mut from, to) = sample_range(prev, next_at, max_gap);
    let online = prev.online;
    let players = prev.counted_players();
    let latency = if online { prev.latency_ms.max(0) } else { 0 };
    let tps = prev.tps.filter(|_| online).map(|tps| (tps * 1_000.0).round() as i64);
    let width_ms = width_ms.max(1);
    std::iter::from_fn(move || {
        if from >= to {
            return None;
        }
        let at = bucket_start(from, width_ms);
        let end = at.saturating_add(width_ms).min(to);
        let watched_ms = end - from;
        from = end;
        Some(SampleBucket {
            at,
            watched_ms,
            online_ms: if online { watched_ms } else { 0 },
            player_ms: players.saturating_mul(watched_ms),
            peak: players,
            low: players,
            latency_sum: Some(latency.saturating_mul(watched_ms)),
            tps_ms: tps.map_or(0, |_| watched_ms),
            tps_sum: tps.map_or(0, |tps| tps.saturating_mul(watched_ms)),
        })
    })
}

/// Statistics over buckets; all zero without samples.
pub fn period_figures(buckets: impl IntoIterator<Item = SampleBucket>) -> PeriodFigures {
    let mut sum = SampleBucket::default();
    for bucket in buckets {
        sum.merge(&bucket);
    }
    if sum.is_empty() {
        return PeriodFigures::default();
    }
    PeriodFigures {
        avg_players: sum.average_players(2),
        peak_players: sum.peak,
        min_players: sum.low,
        uptime_pct: uptime(sum.online_ms, sum.watched_ms),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(at: i64, online: bool, players: i64) -> PingSample {
        PingSample { at, online, players, latency_ms: 20, tps: None }
    }

    fn merged(buckets: impl IntoIterator<Item = SampleBucket>, at: i64) -> SampleBucket {
        let mut sum = SampleBucket::empty(at);
        for bucket in buckets {
            sum.merge(&bucket);
        }
        sum
    }

    #[test]
    fn a_window_is_covered_by_few_buckets() {
        let window = Window::ending_at(3 * DAY + 7 * HOUR + 32 * MINUTE, DAY);
        assert_eq!(window.since, 2 * DAY + 7 * HOUR + 35 * MINUTE);
        assert_eq!((window.edge_hour, window.first_hour), (2 * DAY + 7 * HOUR, 2 * DAY + 8 * HOUR));
        assert_eq!(window.first_day, 3 * DAY);
        let at_midnight = Window::since(2 * DAY);
        assert_eq!(at_midnight, Window { since: 2 * DAY, edge_hour: 2 * DAY, first_hour: 2 * DAY, first_day: 2 * DAY });
    }

    #[test]
    fn an_edge_hour_without_five_minute_buckets_counts_in_proportion() {
        let mut sum = WindowSum::new(Window::since(45 * MINUTE));
        let hour = SampleBucket {
            at: 0,
            watched_ms: HOUR,
            online_ms: HOUR,
            player_ms: 8 * HOUR,
            peak: 9,
            low: 7,
            latency_sum: Some(20 * HOUR),
            tps_ms: HOUR / 2,
            tps_sum: 19_500 * HOUR / 2,
        };
        sum.add(&hour);
        assert_eq!((hour.average_latency(1), hour.average_tps(2)), (Some(20.0), Some(19.5)));
        let quarter = SampleBucket {
            watched_ms: HOUR / 4,
            online_ms: HOUR / 4,
            player_ms: 2 * HOUR,
            latency_sum: Some(5 * HOUR),
            tps_ms: HOUR / 8,
            tps_sum: 19_500 * HOUR / 8,
            ..hour
        };
        assert_eq!(sum.total(), quarter);
        for at in (0..HOUR).step_by(FIVE_MINUTES as usize) {
            let players = if at < 45 * MINUTE { 9 } else { 5 };
            let (watched_ms, player_ms) = (FIVE_MINUTES, players * FIVE_MINUTES);
            sum.add_edge(&SampleBucket {
                at,
                watched_ms,
                online_ms: watched_ms,
                player_ms,
                peak: players,
                low: players,
                ..SampleBucket::default()
            });
        }
        assert_eq!(sum.total().player_ms, 5 * HOUR / 4);
    }

    #[test]
    fn a_sample_lasts_until_the_next_one_or_the_gap() {
        let prev = sample(1_000, true, 5);
        assert_eq!(sample_range(&prev, 1_600, 500), (1_000, 1_500));
        assert_eq!(sample_range(&prev, 1_400, 500), (1_000, 1_400));
        assert_eq!(sample_range(&prev, 900, 500), (1_000, 1_000));
        assert_eq!(sample_range(&prev, i64::MAX, i64::MAX), (1_000, i64::MAX));
        assert_eq!(split_into_buckets(&prev, 1_000, 500, 100).count(), 0);
    }

    #[test]
    fn splits_at_bucket_borders() {
        let prev = sample(4 * MINUTE, true, 10);
        let parts: Vec<_> = split_into_buckets(&prev, 11 * MINUTE, HOUR, FIVE_MINUTES).collect();
        let shape: Vec<_> = parts.iter().map(|b| (b.at, b.watched_ms)).collect();
        assert_eq!(shape, [(0, MINUTE), (5 * MINUTE, 5 * MINUTE), (10 * MINUTE, MINUTE)]);
        assert_eq!(parts[1].player_ms, 10 * 5 * MINUTE);
    }

    #[test]
    fn summaries_are_weighted_by_time_and_ignore_gaps() {
        let hour = |at, online, players| split_into_buckets(&sample(at, online, players), at + DAY, HOUR, HOUR_BUCKET);
        // Three hours of samples in a day: 30 players, 10 players, offline with an outdated count.
        let day = hour(0, true, 30).chain(hour(5 * HOUR, true, 10)).chain(hour(9 * HOUR, false, 99));
        let figures = period_figures(day);
        assert_eq!(figures.avg_players, 13.33);
        assert_eq!(figures.peak_players, 30);
        assert_eq!(figures.min_players, 0);
        assert_eq!(figures.uptime_pct, 66.67);
    }

    #[test]
    fn no_samples_give_zeros() {
        assert_eq!(period_figures([]), PeriodFigures::default());
        assert_eq!(period_figures([SampleBucket::empty(5)]), PeriodFigures::default());
    }

    #[test]
    fn an_empty_bucket_does_not_lower_the_low() {
        let full = split_into_buckets(&sample(0, true, 7), HOUR, HOUR, HOUR).next().unwrap();
        let mut sum = SampleBucket::empty(0);
        sum.merge(&full);
        sum.merge(&SampleBucket::empty(0));
        assert_eq!(sum, full);
    }

    fn any_bucket() -> impl Strategy<Value = SampleBucket> {
        (0..4_i64, 0..3_i64, any::<bool>(), 0..1_000_i64).prop_map(|(at, length, online, players)| {
            let prev = sample(at * HOUR, online, players);
            split_into_buckets(&prev, prev.at + length * MINUTE, HOUR, HOUR)
                .next()
                .unwrap_or(SampleBucket::empty(prev.at))
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
            let (from, to) = sample_range(&prev, at + length, max_gap);
            prop_assert_eq!(to - from, length.min(max_gap));
            let parts: Vec<_> = split_into_buckets(&prev, at + length, max_gap, width).collect();
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
            // Not `|mut x, y| { x.merge(&y); x }`: rustc 1.95 may let it change the caller's `a`.
            let join = |x: SampleBucket, y: SampleBucket| merged([x, y], x.at.min(y.at));
            prop_assert_eq!(join(join(a, b), c), join(a, join(b, c)));
            prop_assert_eq!(join(a, b), join(b, a));
            prop_assert_eq!(join(a, SampleBucket::empty(a.at)), a);
        }

        #[test]
        fn rolling_up_in_two_steps_is_the_same_as_in_one(
            at in 0..10 * DAY, length in 0..6 * HOUR, players in 0..500_i64,
        ) {
            let prev = sample(at, true, players);
            let hours: Vec<_> = split_into_buckets(&prev, at + length, DAY, HOUR_BUCKET).collect();
            let fine: Vec<_> = split_into_buckets(&prev, at + length, DAY, FIVE_MINUTES).collect();
            for hour in hours {
                let inside = fine.iter().copied().filter(|b| bucket_start(b.at, HOUR_BUCKET) == hour.at);
                prop_assert_eq!(merged(inside, hour.at), hour);
            }
        }

        #[test]
        fn summaries_stay_within_the_samples(buckets in prop::collection::vec(any_bucket(), 0..8)) {
            let figures = period_figures(buckets);
            prop_assert!((0.0..=100.0).contains(&figures.uptime_pct));
            prop_assert!(figures.avg_players >= figures.min_players as f64);
            prop_assert!(figures.avg_players <= figures.peak_players as f64);
        }
    }
}
