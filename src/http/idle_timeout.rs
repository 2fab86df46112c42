//! How long a connection has been waited on for its next request.
//!
//! hyper would do this with a timer that is armed and disarmed for every request; this one is looked at now and then.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub struct Waiting {
    begun: Instant,
    /// Since so many milliseconds after `begun`, or one of the two below.
    since: AtomicU64,
}

/// A request is being answered.
const ANSWERING: u64 = u64::MAX;
/// It has been answered, and the answer is on its way.
const SENDING: u64 = u64::MAX - 1;

impl Waiting {
    /// From now on.
    pub fn begin() -> Arc<Self> {
        Arc::new(Self { begun: Instant::now(), since: AtomicU64::new(0) })
    }

    pub fn is_over(&self) {
        self.since.store(ANSWERING, Ordering::Relaxed);
    }

    pub fn answered(&self) {
        self.since.store(SENDING, Ordering::Relaxed);
    }

    /// Everything has been written: if that was an answer, the wait for the next request begins.
    pub fn written(&self) {
        if self.since.load(Ordering::Relaxed) == SENDING {
            self.since.store(self.begun.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
    }

    /// Comes when a request has been waited for this long.
    pub async fn lasts(&self, patience: Duration) {
        let mut look_at = self.begun + patience;
        loop {
            tokio::time::sleep_until(look_at.into()).await;
            let now = Instant::now();
            look_at = match self.since.load(Ordering::Relaxed) {
                ANSWERING | SENDING => now + patience,
                since => self.begun + Duration::from_millis(since) + patience,
            };
            if look_at <= now {
                return;
            }
        }
    }
}
