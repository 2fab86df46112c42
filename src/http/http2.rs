//! HTTP/2: the streams of a connection, bounded like the requests of HTTP/1. One timer stands for all of them: the client has
//! to send a request, to send a body or to read, and may take as long for it as over HTTP/1.

use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};

use axum::body::HttpBody;
use axum::http::header::{self, HeaderValue};
use axum::http::{Method, Request, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use hyper::server::conn::http2;
use hyper_util::rt::TokioExecutor;
use tokio::sync::{Notify, watch};

use super::idle_timeout::IdleTimer;
use super::live_response::LiveResponse;
use super::response_body::ResponseBody;

/// Fewer than the 100 that RFC 9113 recommends: a client may open many connections, and `http.max_requests` is for all clients.
const MAX_CONCURRENT_STREAMS: u32 = 32;
/// Streams that the client resets before we have seen them, and those that we reset for its errors. More close the connection.
const MAX_EARLY_RESETS: usize = 20;
const MAX_ERROR_RESETS: usize = 100;
/// Requests that the client cancels while they are handled. If that are more than it lets finish, the connection is closed:
/// starting work and cancelling it costs the client nothing (CVE-2023-44487).
const MAX_CANCELLED: u32 = 100;
/// Bytes of bodies that the client may send before they are read. The largest form has 16 KiB.
const STREAM_WINDOW: u32 = 64 * 1024;
const CONNECTION_WINDOW: u32 = 256 * 1024;
/// Bytes of responses that wait in memory for one stream.
const SEND_BUFFER: usize = 64 * 1024;
/// Responses are handed over in chunks of this size, so that one is done only when the client has room for its last chunk.
const CHUNK: usize = 16 * 1024;

pub fn builder(max_header_bytes: usize) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .max_pending_accept_reset_streams(MAX_EARLY_RESETS)
        .max_local_error_reset_streams(MAX_ERROR_RESETS)
        .max_header_list_size(u32::try_from(max_header_bytes).unwrap_or(u32::MAX))
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER);
    builder
}

/// Makes the host of the request a header, where HTTP/1 has it.
pub fn set_host<B>(request: &mut Request<B>) {
    let authority = request.uri().authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
    if let Some(host) = authority
        && !request.headers().contains_key(header::HOST)
    {
        request.headers_mut().insert(header::HOST, host);
    }
}

/// State of the streams of one connection.
pub struct Streams {
    timer: Arc<IdleTimer>,
    counts: Mutex<Counts>,
    abused: Notify,
    /// Held by every stream, so that a shutdown waits for them.
    _open: watch::Receiver<()>,
}

#[derive(Default)]
struct Counts {
    handling: u32,
    receiving: u32,
    sending: u32,
    finished: u32,
    cancelled: u32,
}

impl Streams {
    pub fn new(timer: Arc<IdleTimer>, open: watch::Receiver<()>) -> Arc<Self> {
        timer.multiplex();
        Arc::new(Self { timer, counts: Mutex::default(), abused: Notify::new(), _open: open })
    }

    /// A new request.
    pub fn start(self: &Arc<Self>) -> Stream {
        self.change(|counts| counts.handling += 1);
        Stream { of: self.clone(), is_sending: false, is_live: false }
    }

    /// Completes when the client has cancelled too many requests.
    pub async fn abused(&self) {
        self.abused.notified().await;
    }

    pub fn body_awaited(&self) {
        self.change(|counts| (counts.handling, counts.receiving) = (counts.handling - 1, counts.receiving + 1));
    }

    pub fn body_received(&self) {
        self.change(|counts| (counts.handling, counts.receiving) = (counts.handling + 1, counts.receiving - 1));
    }

    fn change(&self, change: impl FnOnce(&mut Counts)) {
        let mut counts = self.counts.lock().expect("nothing panics under this lock");
        change(&mut counts);
        self.timer.set_streams(counts.handling, counts.receiving, counts.sending);
        if counts.cancelled >= MAX_CANCELLED && counts.cancelled > counts.finished {
            self.abused.notify_one();
        }
    }
}

/// One request, until its response is handed over or the client cancels it.
pub struct Stream {
    of: Arc<Streams>,
    is_sending: bool,
    /// A live response has pauses in which the client has nothing to read: it counts as being handled.
    is_live: bool,
}

impl Stream {
    /// The response, which is sent as long as its body lives. Its body is left out if the client asked for the headers only.
    pub fn respond(mut self, method: &Method, mut response: Response<ResponseBody>) -> Response<Http2Body> {
        self.is_live = response.extensions().get::<LiveResponse>().is_some();
        if !self.is_live {
            self.is_sending = true;
            self.of.change(|counts| (counts.handling, counts.sending) = (counts.handling - 1, counts.sending + 1));
        }
        if *method == Method::HEAD {
            if let Some(length) = response.body().size_hint().exact() {
                response.headers_mut().entry(header::CONTENT_LENGTH).or_insert(length.into());
            }
            *response.body_mut() = ResponseBody::Bytes(Bytes::new());
        }
        response.map(|body| Http2Body { body, rest: Bytes::new(), stream: self })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.of.change(|counts| match self.is_sending {
            true => (counts.sending, counts.finished) = (counts.sending - 1, counts.finished.saturating_add(1)),
            false if self.is_live => {
                (counts.handling, counts.finished) = (counts.handling - 1, counts.finished.saturating_add(1));
            }
            // A stream that was cancelled while it received a body has been counted as handled again by then.
            false => (counts.handling, counts.cancelled) = (counts.handling - 1, counts.cancelled.saturating_add(1)),
        });
    }
}

/// The body of a response in chunks.
pub struct Http2Body {
    body: ResponseBody,
    rest: Bytes,
    stream: Stream,
}

impl HttpBody for Http2Body {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        if this.rest.is_empty() {
            match ready!(Pin::new(&mut this.body).poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                end => return Poll::Ready(end),
            }
        }
        // The window of the client has room for the chunk. Bytes on the socket say less: they include replies to PING frames.
        this.stream.of.timer.progressed();
        let chunk = this.rest.split_to(this.rest.len().min(CHUNK));
        Poll::Ready(Some(Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match (self.body.size_hint().exact(), self.rest.len() as u64) {
            (Some(length), rest) => SizeHint::with_exact(length + rest),
            (None, _) => SizeHint::default(),
        }
    }
}
