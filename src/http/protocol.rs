//! Serves the requests of one connection, by HTTP/1 or HTTP/2.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;

use axum::http::Request;
use hyper::body::{Body, Incoming};
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::body_reader::BodyWatcher;
use super::client_ip::{ClientIp, TrustedProxies};
use super::handler::Handler;
use super::http2::{Streams, builder, set_host};
use super::idle_timeout::IdleTimer;
use super::live_response::{LiveBody, LiveResponse};
use super::metrics;
use super::shutdown::{CloseSignal, CloseSignals};
use crate::config::Http;

/// Bytes of a request's headers, the URI included.
pub const MAX_HEADER_BYTES: usize = 16 * 1024;

pub struct Protocol<H> {
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    handler: Arc<H>,
    pub proxies: Arc<TrustedProxies>,
}

impl<H> Clone for Protocol<H> {
    fn clone(&self) -> Self {
        let (handler, proxies) = (self.handler.clone(), self.proxies.clone());
        Self { http1: self.http1.clone(), http2: self.http2.clone(), handler, proxies }
    }
}

/// An open connection.
pub struct Connection<S> {
    pub stream: S,
    pub peer: IpAddr,
    pub close_signals: CloseSignals,
    pub idle_timer: Arc<IdleTimer>,
}

impl<H: Handler> Protocol<H> {
    pub fn new(handler: Arc<H>, limits: &Http) -> Self {
        let mut http1 = http1::Builder::new();
        http1.max_buf_size(MAX_HEADER_BYTES).half_close(true);
        let proxies = Arc::new(TrustedProxies::new(limits));
        Self { http1, http2: builder(MAX_HEADER_BYTES), handler, proxies }
    }

    /// Serves one connection until it closes. Client errors are not logged.
    pub async fn serve_http1(&self, connection: Connection<impl AsyncRead + AsyncWrite + Unpin + 'static>) {
        let Connection { stream, peer, mut close_signals, idle_timer } = connection;
        let live_body = LiveBody::default();
        // Boxed, so that a live response does not hold the memory of hyper.
        let served = Box::pin(self.serve_requests(stream, peer, &mut close_signals, &idle_timer, &live_body)).await;
        if let Some(stream) = served {
            live_body.send(stream, &mut close_signals).await;
        }
    }

    /// Serves requests until the connection closes, or has sent the headers of a live response: then its stream is returned.
    async fn serve_requests<S: AsyncRead + AsyncWrite + Unpin + 'static>(
        &self,
        stream: S,
        peer: IpAddr,
        close_signals: &mut CloseSignals,
        idle_timer: &Arc<IdleTimer>,
        live_body: &LiveBody,
    ) -> Option<S> {
        let service = service_fn(|mut request: Request<Incoming>| {
            idle_timer.request_received();
            let client = ClientIp(self.proxies.client(peer, request.headers()));
            self.proxies.remove_foreign_request_id(peer, request.headers_mut());
            // The reader of the body says when it waits for it: a client that sends it slowly makes room for others.
            if !request.body().is_end_stream() {
                request.extensions_mut().insert(BodyWatcher::Connection(idle_timer.clone()));
            }
            let version = request.version();
            async move {
                let mut response = self.handler.handle(request, client).await;
                match response.extensions().get::<LiveResponse>() {
                    Some(LiveResponse) => {
                        idle_timer.live_response_begins();
                        response = live_body.take_from(response, version);
                    }
                    None => idle_timer.response_ready(),
                }
                Ok::<_, Infallible>(response)
            }
        });
        let mut connection = self.http1.serve_connection(TokioIo::new(stream), service);
        loop {
            let served = poll_fn(|context| {
                let ended = Pin::new(&mut connection).poll(context).map(drop);
                if idle_timer.is_live() { Poll::Ready(()) } else { ended }
            });
            tokio::select! {
                biased;
                () = served => break,
                signal = close_signals.next() => match signal {
                    CloseSignal::Close => return None,
                    CloseSignal::Shutdown => Pin::new(&mut connection).graceful_shutdown(),
                }
            }
        }
        idle_timer.is_live().then(|| connection.into_parts().io.into_inner())
    }

    /// The same by HTTP/2. `open` is held by every stream.
    pub async fn serve_http2(
        &self,
        connection: Connection<impl AsyncRead + AsyncWrite + Unpin + 'static>,
        open: watch::Receiver<()>,
    ) {
        let Connection { stream, peer, mut close_signals, idle_timer } = connection;
        let streams = Streams::new(idle_timer, open);
        let service = service_fn(|mut request: Request<Incoming>| {
            let stream = streams.start();
            set_host(&mut request);
            let client = ClientIp(self.proxies.client(peer, request.headers()));
            self.proxies.remove_foreign_request_id(peer, request.headers_mut());
            if !request.body().is_end_stream() {
                request.extensions_mut().insert(BodyWatcher::Stream(streams.clone()));
            }
            let (handler, method) = (self.handler.clone(), request.method().clone());
            async move {
                let response = handler.handle(request, client).await;
                Ok::<_, Infallible>(stream.respond(&method, response))
            }
        });
        let mut connection = pin!(self.http2.serve_connection(TokioIo::new(stream), service));
        loop {
            tokio::select! {
                biased;
                _ = connection.as_mut() => return,
                () = streams.abused() => {
                    metrics::evicted("resets");
                    tracing::debug!(%peer, "closing an HTTP/2 connection that cancels most of its requests");
                    return;
                }
                signal = close_signals.next() => match signal {
                    CloseSignal::Close => return,
                    CloseSignal::Shutdown => connection.as_mut().graceful_shutdown(),
                }
            }
        }
    }
}
