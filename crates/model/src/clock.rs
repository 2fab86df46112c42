//! Where the time comes from. Nothing else reads the clock, so a test can stand at any moment.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Clone, Debug)]
pub enum Clock {
    System,
    /// Stands still until [`Clock::set`] moves it.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn fixed(now: i64) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now)))
    }

    /// Epoch milliseconds, UTC.
    pub fn now(&self) -> i64 {
        match self {
            #[expect(clippy::disallowed_methods, reason = "this is where the clock is read")]
            Self::System => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                since.map_or(0, |d| d.as_millis() as i64)
            }
            Self::Fixed(now) => now.load(Ordering::Relaxed),
        }
    }

    /// Moves a fixed clock; the system's own cannot be moved.
    pub fn set(&self, now: i64) {
        if let Self::Fixed(at) = self {
            at.store(now, Ordering::Relaxed);
        }
    }
}
