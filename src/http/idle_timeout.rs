//! The idle timeout of a connection: how long it may wait for its next request.
//!
//! hyper arms and disarms a timer for every request. This one is checked now and then instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

pub struct IdleTimer {
    opened_at: Instant,
    /// Idle since this many milliseconds after `opened_at`, or one of the two states below.
    idle_since: AtomicU64,
}

/// A request is being handled.
const HANDLING: u64 = u64::MAX;
/// The response is ready and being sent.
const SENDING: u64 = u64::MAX - 1;

impl IdleTimer {
    pub fn start() -> Arc<Self> {
        Arc::new(Self { opened_at: Instant::now(), idle_since: AtomicU64::new(0) })
    }

    pub fn request_received(&self) {
        self.idle_since.store(HANDLING, Ordering::Relaxed);
    }

    pub fn response_ready(&self) {
        self.idle_since.store(SENDING, Ordering::Relaxed);
    }

    /// All bytes are written. After a response the connection is idle again.
    pub fn flushed(&self) {
        if self.idle_since.load(Ordering::Relaxed) == SENDING {
            self.idle_since.store(self.opened_at.elapsed().as_millis() as u64, Ordering::Relaxed);
        }
    }

    /// Completes when the connection has been idle for `timeout`.
    pub async fn expired(&self, timeout: Duration) {
        let mut check_at = self.opened_at + timeout;
        loop {
            tokio::time::sleep_until(check_at.into()).await;
            let now = Instant::now();
            check_at = match self.idle_since.load(Ordering::Relaxed) {
                HANDLING | SENDING => now + timeout,
                since => self.opened_at + Duration::from_millis(since) + timeout,
            };
            if check_at <= now {
                return;
            }
        }
    }
}
