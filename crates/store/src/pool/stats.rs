//! How busy the threads of a pool are, and how long its jobs wait and run. Recorded without locks, read when metrics are scraped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use rollcall_model::histogram::Histogram;

/// Of the readers or of the writers.
pub struct LaneStats {
    pub threads: usize,
    busy: AtomicUsize,
    /// How long jobs waited for a thread.
    pub wait: Histogram,
    /// How long they ran.
    pub work: Histogram,
}

impl LaneStats {
    pub(super) fn new(threads: usize) -> Self {
        Self { threads, busy: AtomicUsize::new(0), wait: Histogram::default(), work: Histogram::default() }
    }

    /// Threads that run a job now.
    pub fn busy(&self) -> usize {
        self.busy.load(Ordering::Relaxed)
    }

    /// A job starts; it ends when the value is dropped, also by a panic.
    pub(super) fn start(&self, queued_at: Instant) -> RunningJob<'_> {
        let started_at = Instant::now();
        self.wait.record(started_at.duration_since(queued_at));
        self.busy.fetch_add(1, Ordering::Relaxed);
        RunningJob { stats: self, started_at }
    }
}

pub(super) struct RunningJob<'a> {
    stats: &'a LaneStats,
    started_at: Instant,
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        self.stats.busy.fetch_sub(1, Ordering::Relaxed);
        self.stats.work.record(self.started_at.elapsed());
    }
}

/// The readers or the writers of a pool at one time.
pub struct LaneUsage<'a> {
    /// `read` or `write`.
    pub role: &'static str,
    /// Jobs that wait for a thread.
    pub queued: usize,
    pub stats: &'a LaneStats,
}
