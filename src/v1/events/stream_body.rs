//! The body of a stream: events as they come, a comment now and then, and the end when the key no longer allows it.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::app::App;
use crate::error::ApiError;
use crate::event_feed::{STREAM_INTERVAL, StreamSlot, id_block};
use crate::v1::rejection::rejected;
use rollcall_model::event;
use rollcall_model::key_restriction::RequestSource;
use rollcall_model::time::MINUTE;
use rollcall_store::events::EventFilter;

pub const PATH: &str = "/events/stream";
const HEARTBEAT: Duration = Duration::from_secs(15);
/// When clients connect again, in milliseconds: after a lost connection, and after the service has stopped.
const RETRY: u64 = 3_000;
const RETRY_AFTER_STOP: u64 = 1_000;

/// The caller that opened the stream.
pub struct StreamCaller {
    pub presented: Box<str>,
    pub key_id: Box<str>,
    pub client: IpAddr,
    pub origin: Option<Box<str>>,
}

pub struct EventStreamBody {
    app: Arc<App>,
    caller: StreamCaller,
    filter: EventFilter,
    /// Events up to this number are sent.
    after: i64,
    _slot: StreamSlot,
    opened_at: i64,
    /// Minutes that are paid for.
    paid_minutes: i64,
    heartbeat_at: Instant,
    news: watch::Receiver<()>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Opening,
    Open,
    Ended,
}

impl EventStreamBody {
    /// The request that opened it paid for the first minute.
    pub fn new(
        app: Arc<App>,
        caller: StreamCaller,
        filter: EventFilter,
        after: i64,
        slot: StreamSlot,
        opened_at: i64,
    ) -> Self {
        let news = app.events.subscribe(&filter);
        let heartbeat_at = Instant::now() + HEARTBEAT;
        Self {
            app,
            caller,
            filter,
            after,
            _slot: slot,
            opened_at,
            paid_minutes: 1,
            heartbeat_at,
            news,
            state: State::Opening,
        }
    }

    pub fn into_body(self) -> Body {
        Body::from_stream(stream::unfold(self, |mut body| async {
            let bytes = body.next().await?;
            Some((Ok::<_, std::convert::Infallible>(bytes), body))
        }))
    }

    async fn next(&mut self) -> Option<Bytes> {
        match self.state {
            State::Ended => return None,
            State::Opening => {
                self.state = State::Open;
                // A client that loses the connection before the first event goes on here.
                return Some(format!("retry: {RETRY}\nid: {}\n\n", event::id(self.after)).into());
            }
            State::Open => {}
        }
        loop {
            self.news.mark_unchanged();
            if let Err(end) = self.check().await {
                return Some(self.end(end));
            }
            match self.app.events.next(&self.filter, self.after).await {
                Ok(chunk) => {
                    self.after = chunk.newest;
                    if !chunk.bytes.is_empty() {
                        return Some(chunk.bytes);
                    }
                }
                Err(error) => {
                    let error = ApiError::from(error);
                    return Some(self.end(StreamEnd::Refused { error, retry_after: None }));
                }
            }
            if Instant::now() >= self.heartbeat_at {
                self.heartbeat_at = Instant::now() + HEARTBEAT;
                return Some(id_block(self.after));
            }
            let wake_at = self.heartbeat_at.min(Instant::now() + STREAM_INTERVAL);
            tokio::select! {
                _ = self.news.changed() => {}
                () = tokio::time::sleep_until(wake_at) => {}
            }
        }
    }

    /// Whether the stream may go on. Takes one request of the quota for each minute that has begun.
    async fn check(&mut self) -> Result<(), StreamEnd> {
        let now = self.app.clock.now();
        if self.app.is_stopping() {
            return Err(StreamEnd::Stopping);
        }
        let (client, origin) = (self.caller.client, self.caller.origin.as_deref());
        let source = RequestSource { client, origin, endpoint: Some(PATH) };
        let refused = |rejection| {
            let (error, headers) = rejected(rejection);
            StreamEnd::Refused { error, retry_after: headers.retry_after }
        };
        while now >= self.opened_at + self.paid_minutes * MINUTE {
            let (usage, admitted) = self.app.auth.admit(Some(&self.caller.presented), &source, 1, now).await;
            let outcome = admitted.map(drop).map_err(refused);
            if let Some(mut usage) = usage {
                usage.set_endpoint(PATH);
                usage.finish(outcome.as_ref().map_or_else(StreamEnd::status, |()| 200), 0);
            }
            outcome?;
            self.paid_minutes += 1;
        }
        self.app.auth.check(&self.caller.presented, &source, now).map_err(refused)
    }

    fn end(&mut self, end: StreamEnd) -> Bytes {
        self.state = State::Ended;
        end.block()
    }
}

/// Why the service closes a stream.
enum StreamEnd {
    Stopping,
    Refused {
        error: ApiError,
        /// Seconds.
        retry_after: Option<i64>,
    },
}

impl StreamEnd {
    fn status(&self) -> u16 {
        match self {
            Self::Stopping => 503,
            Self::Refused { error, .. } => error.status().as_u16(),
        }
    }

    fn block(&self) -> Bytes {
        let (error, retry) = match self {
            Self::Stopping => ("The service restarts, connect again", RETRY_AFTER_STOP),
            Self::Refused { error, retry_after } => {
                (error.message(), retry_after.map_or(RETRY, |seconds| seconds.max(0).cast_unsigned() * 1_000))
            }
        };
        let data = serde_json::json!({"status": self.status(), "error": error, "retryAfter": retry / 1_000});
        format!("retry: {retry}\nevent: end\ndata: {data}\n\n").into()
    }
}
