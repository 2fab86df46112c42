//! The accept loop: bounds connections in number, per client IP and in idle time, and drains them on shutdown.

use std::convert::Infallible;
use std::future::Future;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::body::ResponseBody;
use super::client_ip::{ClientIp, TrustedProxies};
use super::idle_timeout::IdleTimer;
use super::shutdown::{CloseSignal, CloseSignals};
use super::tls::Tls;
use super::write_timeout::WriteTimeout;
use crate::config::Http;
use crate::error::ApiError;
use crate::limits::PerIpLimit;
use crate::worker_pool::WorkerPool;

/// Bytes of a request's headers, the URI included.
const MAX_HEADER_BYTES: usize = 16 * 1024;
/// The listen backlog. The usual 128 overflows in a burst, and a dropped client retries a second later.
const BACKLOG: u32 = 4096;
/// After a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Events that may happen on every connection are logged at most this often.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// What answers requests: the router of the service, or that of the metrics.
pub trait Handler: Send + Sync + 'static {
    fn handle(
        &self,
        request: Request<Incoming>,
        client: ClientIp,
    ) -> impl Future<Output = Response<ResponseBody>> + Send;
}

pub async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restart must not wait for connections of the previous process in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` completes, then drains: running requests may finish for a while. When it returns, no request runs.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    workers: WorkerPool,
    handler: Arc<H>,
    limits: &Http,
    tls: Option<Arc<Tls>>,
    stop: impl Future<Output = ()>,
) {
    let timeout = Duration::from_secs(limits.client_timeout);
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEADER_BYTES).half_close(true);
    let permits = Arc::new(Semaphore::new(limits.max_connections));
    let per_ip = PerIpLimit::new(limits.max_connections_per_address);
    let proxies = Arc::new(TrustedProxies::new(limits));
    let refusal = refusal();
    let (mut not_accepted, mut refused) = (LogThrottle::default(), LogThrottle::default());
    // Every connection holds a receiver; `closed` completes when the last one is gone.
    let (connections, _) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let permit = tokio::select! {
            permit = permits.clone().acquire_owned() => permit.expect("the semaphore is never closed"),
            () = &mut stop => break,
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut stop => break,
        };
        let (stream, peer) = match accepted {
            Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
            Err(error) => {
                if not_accepted.is_due() {
                    tracing::warn!(%error, "cannot accept connections");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // A trusted proxy carries many clients.
        let per_ip_permit = if proxies.is_trusted(peer) {
            None
        } else if let Some(permit) = per_ip.try_acquire(peer) {
            Some(permit)
        } else {
            if refused.is_due() {
                tracing::warn!(
                    %peer,
                    "too many connections from one IP, refusing more; if this is a proxy, add it to http.trusted_proxies"
                );
            }
            // A TLS client could not read a plain response.
            if tls.is_none() {
                refuse(stream, &refusal);
            }
            continue;
        };
        let _ = stream.set_nodelay(true);
        // Registered with the runtime of the worker that serves it.
        let Ok(stream) = stream.into_std() else { continue };
        let idle_timer = IdleTimer::start();
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        let (builder, handler, proxies) = (builder.clone(), handler.clone(), proxies.clone());
        let mut close_signals = CloseSignals::new(idle_timer.clone(), timeout, connections.subscribe());
        workers.spawn(async move {
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let stream = WriteTimeout::new(stream, timeout, idle_timer.clone());
            match acceptor {
                None => serve_connection(stream, peer, &builder, handler, proxies, close_signals, &idle_timer).await,
                Some(acceptor) => {
                    let secured = tokio::select! {
                        secured = acceptor.accept(stream) => secured,
                        _ = close_signals.next() => return,
                    };
                    if let Ok(stream) = secured {
                        serve_connection(stream, peer, &builder, handler, proxies, close_signals, &idle_timer).await;
                    }
                }
            }
            drop((permit, per_ip_permit));
        });
    }
    drop(listener);
    let _ = connections.send(());
    let drain = Duration::from_secs(limits.drain_timeout);
    if tokio::time::timeout(drain, connections.closed()).await.is_err() {
        tracing::warn!("closing connections that were still busy after the drain timeout");
        let _ = connections.send(());
        connections.closed().await;
    }
}

/// Serves one connection until it closes. Client errors are not logged.
async fn serve_connection<H: Handler>(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    peer: IpAddr,
    builder: &http1::Builder,
    handler: Arc<H>,
    proxies: Arc<TrustedProxies>,
    mut close_signals: CloseSignals,
    idle_timer: &IdleTimer,
) {
    let service = service_fn(|request: Request<Incoming>| {
        idle_timer.request_received();
        let client = ClientIp(proxies.client(peer, request.headers()));
        let handler = &handler;
        async move {
            let response = handler.handle(request, client).await;
            idle_timer.response_ready();
            Ok::<_, Infallible>(response)
        }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        signal = close_signals.next() => match signal {
            CloseSignal::Idle => return,
            CloseSignal::Shutdown => connection.as_mut().graceful_shutdown(),
        }
    }
    tokio::select! {
        _ = connection => {}
        _ = close_signals.next() => {}
    }
}

/// The 429 for an IP with too many connections, as the bytes of an HTTP response.
fn refusal() -> Vec<u8> {
    let error = ApiError::TooManyConnections;
    let body = error.body();
    let mut response =
        format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n", error.status(), body.len());
    for (name, value) in super::error_response::failure(&error).headers() {
        response += &format!("{name}: {}\r\n", value.to_str().expect("our headers are plain text"));
    }
    [response.as_bytes(), b"\r\n", &body].concat()
}

/// Sends the 429 without blocking, and closes.
fn refuse(stream: TcpStream, refusal: &[u8]) {
    if let Ok(mut stream) = stream.into_std() {
        // Unread input would make the kernel reset the connection and drop the response.
        let _ = stream.read(&mut [0; MAX_HEADER_BYTES]);
        let _ = stream.write(refusal);
    }
}

/// Whether it is time to log again.
#[derive(Default)]
struct LogThrottle(Option<Instant>);

impl LogThrottle {
    fn is_due(&mut self) -> bool {
        let due = self.0.is_none_or(|last| last.elapsed() >= LOG_INTERVAL);
        if due {
            self.0 = Some(Instant::now());
        }
        due
    }
}
