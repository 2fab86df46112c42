//! Reads request bodies: bounded in bytes, and if they arrive after their headers, in time, in number and per client IP.
//! When there are too many, the oldest of the busiest network ends for the new one, so that slow clients cannot take the
//! capacity of others.

use std::error::Error;
use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::http::Extensions;
use bytes::Bytes;
use http_body_util::LengthLimitError;
use tokio::sync::Notify;

use super::client_ip;
use super::http2::Streams;
use super::idle_timeout::IdleTimer;
use super::log_throttle::LogThrottle;
use super::metrics;
use crate::error::ApiError;
use crate::limits::{BusiestFirst, PausablePermit, PerIpLimit};

/// How long a body may take to arrive.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Bodies of one client IP that are waited for at the same time.
const MAX_PER_IP: usize = 16;

pub struct BodyReader {
    /// Bodies that are waited for at the same time.
    max: usize,
    uploads: Arc<BusiestFirst<Arc<Upload>>>,
    per_ip: Arc<PerIpLimit>,
    log: LogThrottle,
}

/// In the extensions of a request with a body: the watcher that is notified while the service waits for it.
#[derive(Clone)]
pub enum BodyWatcher {
    Connection(Arc<IdleTimer>),
    Stream(Arc<Streams>),
}

/// As long as it lives, the service waits for the body.
struct BodyAwaited<'a>(&'a BodyWatcher);

impl BodyWatcher {
    fn start(&self) -> BodyAwaited<'_> {
        match self {
            Self::Connection(idle_timer) => idle_timer.body_awaited(),
            Self::Stream(streams) => streams.body_awaited(),
        }
        BodyAwaited(self)
    }
}

impl Drop for BodyAwaited<'_> {
    fn drop(&mut self) {
        match self.0 {
            BodyWatcher::Connection(idle_timer) => idle_timer.body_received(),
            BodyWatcher::Stream(streams) => streams.body_received(),
        }
    }
}

/// A body that is arriving.
struct Upload {
    started_at: Instant,
    is_evicted: AtomicBool,
    evicted: Notify,
}

impl BodyReader {
    pub fn new(max: usize) -> Self {
        Self { max, uploads: BusiestFirst::new(), per_ip: PerIpLimit::new(MAX_PER_IP), log: LogThrottle::default() }
    }

    /// `request` are the extensions of the request: its client IP, its connection, and its permit, which is paused while the
    /// service waits for the body.
    pub async fn read(&self, body: Body, max_bytes: usize, request: &Extensions) -> Result<Bytes, ApiError> {
        if body.size_hint().lower() > max_bytes as u64 {
            return Err(ApiError::BodyTooLarge);
        }
        let request_permit = request.get::<Arc<PausablePermit>>();
        if let Some(permit) = request_permit {
            permit.pause();
        }
        let mut body = pin!(axum::body::to_bytes(body, max_bytes));
        let received = match received_at_once(body.as_mut()).await {
            Some(received) => received,
            None => self.wait_for(body, request).await?,
        };
        let bytes =
            received.map_err(|error| match error.source().is_some_and(|source| source.is::<LengthLimitError>()) {
                true => ApiError::BodyTooLarge,
                false => ApiError::BadRequest("The request body is incomplete or malformed".into()),
            })?;
        match request_permit {
            Some(permit) if !permit.try_resume() => Err(ApiError::Busy),
            _ => Ok(bytes),
        }
    }

    /// Waits for a body that did not arrive together with its headers.
    async fn wait_for<T>(&self, body: impl Future<Output = T>, request: &Extensions) -> Result<T, ApiError> {
        let client = client_ip::of(request);
        let _ip_permit = self.per_ip.try_acquire(client).ok_or(ApiError::TooManyConnections)?;
        self.make_room()?;
        let upload = Arc::new(Upload::new());
        let _registration = self.uploads.insert(client, false, upload.clone());
        let _watched = request.get::<BodyWatcher>().map(BodyWatcher::start);
        upload.receive(body).await
    }

    /// Ends an upload if there are too many.
    fn make_room(&self) -> Result<(), ApiError> {
        if self.uploads.count() < self.max {
            return Ok(());
        }
        let age = |upload: &Arc<Upload>| (!upload.is_evicted.load(Ordering::Relaxed)).then_some(upload.started_at);
        let picked = self.uploads.pick(age).ok_or(ApiError::Busy)?;
        picked.entry.is_evicted.store(true, Ordering::Relaxed);
        picked.entry.evicted.notify_one();
        metrics::evicted("upload");
        if self.log.is_due() {
            let network = picked.network.map(|network| network.to_string()).unwrap_or_default();
            tracing::warn!(
                network,
                uploads = picked.in_network,
                "http.max_uploads is reached, ending the oldest uploads of the busiest network for new clients"
            );
        }
        Ok(())
    }
}

impl Upload {
    fn new() -> Self {
        Self { started_at: Instant::now(), is_evicted: AtomicBool::new(false), evicted: Notify::new() }
    }

    async fn receive<T>(&self, body: impl Future<Output = T>) -> Result<T, ApiError> {
        tokio::select! {
            received = tokio::time::timeout(TIMEOUT, body) => received.map_err(|_| ApiError::BodyTimeout),
            () = self.evicted.notified() => Err(ApiError::BodyTimeout),
        }
    }
}

/// The outcome if the body has arrived together with its headers. hyper hands a body over only after a first poll, so
/// this polls in two turns of the task.
async fn received_at_once<T>(mut body: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    let mut is_asked_for = false;
    poll_fn(|context| match body.as_mut().poll(context) {
        Poll::Ready(received) => Poll::Ready(Some(received)),
        Poll::Pending if is_asked_for => Poll::Ready(None),
        Poll::Pending => {
            is_asked_for = true;
            context.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}
