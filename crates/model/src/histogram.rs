//! A histogram of durations. Threads record into it without a lock or an allocation.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets in seconds: from a cached response to a query that takes minutes. One more bucket has no bound.
pub const BOUNDS: [f64; 17] =
    [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0];

const NANOS_PER_SECOND: f64 = 1e9;

#[derive(Debug, Default)]
pub struct Histogram {
    counts: [AtomicU64; BOUNDS.len() + 1],
    sum_nanos: AtomicU64,
}

/// The state of a histogram at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HistogramSnapshot {
    /// Durations up to each bound, and all of them.
    pub cumulative: [u64; BOUNDS.len() + 1],
    pub sum_seconds: f64,
}

impl HistogramSnapshot {
    pub fn count(&self) -> u64 {
        self.cumulative[BOUNDS.len()]
    }
}

impl Histogram {
    pub fn record(&self, duration: Duration) {
        let seconds = duration.as_secs_f64();
        let bucket = BOUNDS.partition_point(|bound| *bound < seconds);
        self.counts[bucket].fetch_add(1, Ordering::Relaxed);
        // Wraps after 584 years of recorded time.
        self.sum_nanos.fetch_add(duration.as_nanos() as u64, Ordering::Relaxed);
    }

    pub fn snapshot(&self) -> HistogramSnapshot {
        let mut total = 0;
        let cumulative = self.counts.each_ref().map(|count| {
            total += count.load(Ordering::Relaxed);
            total
        });
        HistogramSnapshot { cumulative, sum_seconds: self.sum_nanos.load(Ordering::Relaxed) as f64 / NANOS_PER_SECOND }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_counts_in_every_bucket_from_its_own_on() {
        let histogram = Histogram::default();
        for millis in [1, 30, 100_000] {
            histogram.record(Duration::from_millis(millis));
        }
        let snapshot = histogram.snapshot();
        let up_to = |bound: f64| snapshot.cumulative[BOUNDS.iter().position(|b| *b == bound).unwrap()];
        assert_eq!([0.0005, 0.001, 0.025, 0.05, 60.0].map(up_to), [0, 1, 1, 2, 2]);
        assert_eq!((snapshot.count(), snapshot.sum_seconds), (3, 100.031));
    }
}
