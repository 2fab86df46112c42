//! What each connection waits for, and since when: decides its idle timeout, and which connection is closed at the
//! limit.
//!
//! hyper arms and disarms a timer for every request. This one is checked now and then instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Notify;

pub struct IdleTimer {
    opened_at: Instant,
    /// Idle since this many milliseconds after `opened_at`, or one of the states below.
    state: AtomicU64,
    /// When the client last read enough, and since when responses of HTTP/2 are being sent without a pause, or `NOT_SENDING`.
    read_at: AtomicU64,
    sending_since: AtomicU64,
    is_multiplexed: AtomicBool,
    evicted: Notify,
    eviction: AtomicU8,
}

/// A request is being handled.
const HANDLING: u64 = u64::MAX;
/// The response is ready and being sent.
const SENDING: u64 = u64::MAX - 1;
/// The same, and the response is live: its headers are being sent, and have been.
const LIVE_BEGINS: u64 = u64::MAX - 2;
const LIVE: u64 = u64::MAX - 3;
/// With the time: the body of a request is being received, and the client does not read its response.
const RECEIVING: u64 = 1 << 62;
const STALLED: u64 = 1 << 61;
/// With the time: all streams of an HTTP/2 connection send their responses.
const STREAMING: u64 = 1 << 60;
const TIME: u64 = STREAMING - 1;

/// Of `sending_since`.
const NOT_SENDING: u64 = u64::MAX;
/// An HTTP/2 connection is checked this many times in each timeout: its streams start at any time.
const MULTIPLEXED_CHECKS: u32 = 4;

/// What the client has to do next. In this order connections of one client are closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Awaited {
    /// The next request, or the rest of its headers.
    Request,
    /// The rest of a request body.
    Body,
    /// To read the response.
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
            read_at: AtomicU64::new(0),
            sending_since: AtomicU64::new(NOT_SENDING),
            is_multiplexed: AtomicBool::new(false),
            evicted: Notify::new(),
            eviction: AtomicU8::new(NOT_ASKED),
        })
    }

    pub fn request_received(&self) {
        self.state.store(HANDLING, Ordering::Relaxed);
    }

    /// A response begins that ends when its client goes. It counts as being handled: its pauses are not idle time.
    pub fn live_response_begins(&self) {
        self.state.store(LIVE_BEGINS, Ordering::Relaxed);
    }

    /// Whether the headers of a live response are sent.
    pub fn is_live(&self) -> bool {
        self.state.load(Ordering::Relaxed) == LIVE
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
        let state = self.state.load(Ordering::Relaxed);
        if state < LIVE && state & STALLED != 0 {
            self.state.store(SENDING, Ordering::Relaxed);
        }
    }

    /// All bytes are written. After a response the connection is idle again, unless that is live.
    pub fn flushed(&self) {
        match self.state.load(Ordering::Relaxed) {
            SENDING => self.state.store(self.millis(), Ordering::Relaxed),
            LIVE_BEGINS => self.state.store(LIVE, Ordering::Relaxed),
            _ => {}
        }
    }

    /// The client of an HTTP/2 connection has taken a part of a response.
    pub fn progressed(&self) {
        self.read_at.store(self.millis(), Ordering::Relaxed);
    }

    /// The connection speaks HTTP/2: [`Self::set_streams`] says what it waits for.
    pub fn multiplex(&self) {
        self.is_multiplexed.store(true, Ordering::Relaxed);
    }

    /// How many streams are being handled, receive a body and send a response.
    pub fn set_streams(&self, handling: u32, receiving: u32, sending: u32) {
        let now = self.millis();
        let state = match (handling, receiving, sending) {
            (0, 0, 0) => now,
            (0, _, 0) => RECEIVING | now,
            (0, _, _) => STREAMING | now,
            _ => HANDLING,
        };
        self.state.store(state, Ordering::Relaxed);
        let was_sending = self.sending_since.load(Ordering::Relaxed) != NOT_SENDING;
        if was_sending != (sending > 0) {
            self.sending_since.store(if sending > 0 { now } else { NOT_SENDING }, Ordering::Relaxed);
        }
    }

    /// Completes when the connection has been idle for `timeout`, or the client of an HTTP/2 connection has not read for so
    /// long. [`WriteTimeout`](super::write_timeout::WriteTimeout) sees that by itself over HTTP/1, where a client cannot keep
    /// responses from being sent but by not reading at all.
    pub async fn expired(&self, timeout: Duration) {
        let checks = |timer: &Self| if timer.is_multiplexed.load(Ordering::Relaxed) { MULTIPLEXED_CHECKS } else { 1 };
        let mut check_at = self.opened_at + timeout;
        loop {
            tokio::time::sleep_until(check_at.into()).await;
            let now = Instant::now();
            let next_check = now + timeout / checks(self);
            let idle_until = match self.awaited() {
                Some((Awaited::Request, since)) => since + timeout,
                _ => next_check,
            };
            let reads_until = self.unread_since().map_or(next_check, |since| since + timeout);
            let deadline = idle_until.min(reads_until);
            if deadline <= now {
                return;
            }
            check_at = deadline.min(next_check);
        }
    }

    /// Since when the client has read too little of the responses of an HTTP/2 connection.
    fn unread_since(&self) -> Option<Instant> {
        let since = self.sending_since.load(Ordering::Relaxed);
        let since = (since != NOT_SENDING).then(|| since.max(self.read_at.load(Ordering::Relaxed)));
        since.map(|since| self.opened_at + Duration::from_millis(since))
    }

    /// What the client has to do, and since when; `None` while the service has to do something.
    pub fn awaited(&self) -> Option<(Awaited, Instant)> {
        let state = self.state.load(Ordering::Relaxed);
        let awaited = match state {
            LIVE.. => return None,
            _ if state & RECEIVING != 0 => Awaited::Body,
            _ if state & (STALLED | STREAMING) != 0 => Awaited::Read,
            _ => Awaited::Request,
        };
        let since = match state & STREAMING {
            0 => state & TIME,
            _ => (state & TIME).max(self.read_at.load(Ordering::Relaxed)),
        };
        Some((awaited, self.opened_at + Duration::from_millis(since)))
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
