//! Known failures of the server of a pool.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The connections of a pool fail together: one line of the log says so, and one that breaks makes the others suspect.
#[derive(Default)]
pub struct ConnectionFailures {
    logged_at: Mutex<Option<Instant>>,
    broken_at: Mutex<Option<Instant>>,
}

/// Failures within this time are those of one outage.
const LOG_INTERVAL: Duration = Duration::from_secs(30);
const UNPOISONED: &str = "nothing panics under this lock";

impl ConnectionFailures {
    pub fn log(&self, problem: &str, error: &dyn std::fmt::Display) {
        let mut last = self.logged_at.lock().expect(UNPOISONED);
        if last.is_none_or(|at| at.elapsed() > LOG_INTERVAL) {
            tracing::error!(%error, "{problem}");
            *last = Some(Instant::now());
        }
    }

    /// Notes that a connection broke. One that was suspect already tells nothing new, so that each thread opens a connection once
    /// for each break.
    pub fn note_break(&self, opened_at: Instant) {
        let mut broken_at = self.broken_at.lock().expect(UNPOISONED);
        if broken_at.is_none_or(|at| opened_at > at) {
            *broken_at = Some(Instant::now());
        }
    }

    /// Whether a connection broke since this one was opened: it may be broken as well.
    pub fn is_suspect(&self, opened_at: Instant) -> bool {
        self.broken_at.lock().expect(UNPOISONED).is_some_and(|at| opened_at <= at)
    }
}
