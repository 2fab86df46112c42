//! Limits repeated work to a small share of the time.

use std::time::{Duration, Instant};

#[derive(Debug, Default)]
pub struct DutyCycle {
    pause_until: Option<Instant>,
}

/// The pause after work is this many times as long as the work.
const PAUSE_FACTOR: u32 = 20;

impl DutyCycle {
    /// Whether the pause after the last work is over.
    pub fn is_due(&self) -> bool {
        self.pause_until.is_none_or(|end| Instant::now() >= end)
    }

    pub fn record_work(&mut self, took: Duration) {
        self.pause_until = Some(Instant::now() + took * PAUSE_FACTOR);
    }
}
