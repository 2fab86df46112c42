//! What a connection waits for, and since when: the base of its idle timeout, and of which connection is closed when there
//! are too many.
//!
//! hyper arms and disarms a timer for every request. This one is checked now and then instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

pub struct IdleTimer {
    opened_at: Instant,
    /// Idle since this many milliseconds after `opened_at`, or one of the states below.
    state: AtomicU64,
    evicted: Notify,
    eviction: AtomicU8,
}

/// A request is being handled.
const HANDLING: u64 = u64::MAX;
/// The response is ready and being sent.
const SENDING: u64 = u64::MAX - 1;
/// With the time: the body of a request is being received, and the client does not read its response.
const RECEIVING: u64 = 1 << 62;
const STALLED: u64 = 1 << 61;
const TIME: u64 = STALLED - 1;

/// What the client has to do next. In this order connections of one client are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// The next request, or the rest of its headers.
    Request,
    /// The rest of a request body.
    Body,
    /// To read the response. The connection is closed in the middle of a response only if no other can be closed.
    Read,
}

/// Values of `eviction`: not asked for, asked for while the client owes a request or a body, or even a read.
const NOT_ASKED: u8 = 0;
const UNLESS_SENDING: u8 = 1;
const EVEN_SENDING: u8 = 2;

impl IdleTimer {
    pub fn start() -> Arc<Self> {
        Arc::new(Self {
            opened_at: Instant::now(),
            state: AtomicU64::new(0),
            evicted: Notify::new(),
            eviction: AtomicU8::new(NOT_ASKED),
        })
    }

    pub fn request_received(&self) {
        self.state.store(HANDLING, Ordering::Relaxed);
    }

    pub fn body_awaited(&self) {
        self.state.store(RECEIVING | self.millis(), Ordering::Relaxed);
    }

    pub fn body_received(&self) {
        self.state.store(HANDLING, Ordering::Relaxed);
    }

    pub fn response_ready(&self) {
        self.state.store(SENDING, Ordering::Relaxed);
    }

    /// The client does not read.
    pub fn write_stalled(&self) {
        if self.state.load(Ordering::Relaxed) == SENDING {
            self.state.store(STALLED | self.millis(), Ordering::Relaxed);
        }
    }

    /// It reads again.
    pub fn write_resumed(&self) {
        if matches!(self.awaited(), Some((Awaited::Read, _))) {
            self.state.store(SENDING, Ordering::Relaxed);
        }
    }

    /// All bytes are written. After a response the connection is idle again.
    pub fn flushed(&self) {
        if self.state.load(Ordering::Relaxed) == SENDING {
            self.state.store(self.millis(), Ordering::Relaxed);
        }
    }

    /// Completes when the connection has been idle for `timeout`.
    pub async fn expired(&self, timeout: Duration) {
        let mut check_at = self.opened_at + timeout;
        loop {
            tokio::time::sleep_until(check_at.into()).await;
            let now = Instant::now();
            check_at = match self.awaited() {
                Some((Awaited::Request, since)) => since + timeout,
                _ => now + timeout,
            };
            if check_at <= now {
                return;
            }
        }
    }

    /// What the client has to do, and since when; `None` while the service has to do something.
    pub fn awaited(&self) -> Option<(Awaited, Instant)> {
        let state = self.state.load(Ordering::Relaxed);
        let awaited = match state {
            HANDLING | SENDING => return None,
            _ if state & RECEIVING != 0 => Awaited::Body,
            _ if state & STALLED != 0 => Awaited::Read,
            _ => Awaited::Request,
        };
        Some((awaited, self.opened_at + Duration::from_millis(state & TIME)))
    }

    /// Asks the connection to close unless the client has sent something meanwhile.
    pub fn evict(&self, even_sending: bool) {
        self.eviction.store(if even_sending { EVEN_SENDING } else { UNLESS_SENDING }, Ordering::Relaxed);
        self.evicted.notify_one();
    }

    pub fn is_evicted(&self) -> bool {
        self.eviction.load(Ordering::Relaxed) != NOT_ASKED
    }

    /// Completes after [`Self::evict`]: true if the connection is to close now. Runs on the thread of the connection, so that
    /// no request can come in between.
    pub async fn must_close(&self) -> bool {
        self.evicted.notified().await;
        let asked = self.eviction.swap(NOT_ASKED, Ordering::Relaxed);
        self.awaited().is_some_and(|(awaited, _)| awaited != Awaited::Read || asked == EVEN_SENDING)
    }

    fn millis(&self) -> u64 {
        self.opened_at.elapsed().as_millis() as u64
    }
}
