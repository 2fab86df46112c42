//! The only place that reads the system clock, so that tests can set the time.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

#[derive(Clone, Debug)]
pub enum Clock {
    System,
    /// Changes only with [`Clock::set`].
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub fn fixed(now: i64) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(now)))
    }

    /// Epoch milliseconds, UTC.
    pub fn now(&self) -> i64 {
        match self {
            #[expect(clippy::disallowed_methods, reason = "the only place that reads the system clock")]
            Self::System => {
                let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
                since.map_or(0, |d| d.as_millis() as i64)
            }
            Self::Fixed(now) => now.load(Ordering::Relaxed),
        }
    }

    /// Sets a fixed clock; has no effect on the system clock.
    pub fn set(&self, now: i64) {
        if let Self::Fixed(at) = self {
            at.store(now, Ordering::Relaxed);
        }
    }
}
