//! The accept loop: bounds connections in number, per client IP and in idle time, closes idle ones for new clients when there
//! are too many, and drains them on shutdown.

use std::future::Future;
use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{Request, Response};
use hyper::body::Incoming;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;

use super::body::ResponseBody;
use super::client_ip::ClientIp;
use super::connection_eviction::OpenConnections;
use super::idle_timeout::IdleTimer;
use super::log_throttle::LogThrottle;
use super::protocol::{Connection, MAX_HEADER_BYTES, Protocol};
use super::shutdown::CloseSignals;
use super::tls::{HTTP2, Tls};
use super::write_timeout::WriteTimeout;
use crate::config::Http;
use crate::error::ApiError;
use crate::limits::{PerIpLimit, PerIpPermit, Registration};
use crate::worker_pool::WorkerPool;

/// The listen backlog. The usual 128 overflows in a burst, and a dropped client retries a second later.
const BACKLOG: u32 = 4096;
/// After a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// When fewer than this part of all connections are free, each new one closes an idle one, so that there is room before the
/// next one comes; at most this many.
const SPARE_SHARE: usize = 64;
const MAX_SPARE: usize = 128;
/// How long a connection that was asked to close may take before another one is asked.
const EVICTION_INTERVAL: Duration = Duration::from_millis(200);

/// The request handler: the router of the service, or that of the metrics.
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
    let server = ConnectionServer::new(workers, handler, limits, tls);
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            () = server.accept(&listener) => {}
            () = &mut stop => break,
        }
    }
    drop(listener);
    server.drain(Duration::from_secs(limits.drain_timeout)).await;
}

/// Accepts connections within the limits and gives each to a worker.
struct ConnectionServer<H> {
    workers: WorkerPool,
    protocol: Protocol<H>,
    tls: Option<Arc<Tls>>,
    timeout: Duration,
    permits: Arc<Semaphore>,
    /// Permits that are kept free under pressure.
    spare: usize,
    per_ip: Arc<PerIpLimit>,
    open: OpenConnections,
    refusal: Vec<u8>,
    not_accepted: LogThrottle,
    refused: LogThrottle,
    /// Every connection holds a receiver; `closed` completes when the last one is gone.
    connections: watch::Sender<()>,
}

/// One client has too many connections.
struct TooManyConnections;

/// Held as long as the connection is open.
struct ConnectionPermits {
    _total: OwnedSemaphorePermit,
    /// `None` for a trusted proxy.
    _per_ip: Option<PerIpPermit>,
    _open: Registration<Arc<IdleTimer>>,
}

impl<H: Handler> ConnectionServer<H> {
    fn new(workers: WorkerPool, handler: Arc<H>, limits: &Http, tls: Option<Arc<Tls>>) -> Self {
        Self {
            workers,
            protocol: Protocol::new(handler, limits),
            tls,
            timeout: Duration::from_secs(limits.client_timeout),
            permits: Arc::new(Semaphore::new(limits.max_connections)),
            spare: (limits.max_connections / SPARE_SHARE).min(MAX_SPARE),
            per_ip: PerIpLimit::new(limits.max_connections_per_address),
            open: OpenConnections::new(),
            refusal: refusal(),
            not_accepted: LogThrottle::default(),
            refused: LogThrottle::default(),
            connections: watch::channel(()).0,
        }
    }

    /// Accepts one connection and starts to serve it, or refuses it.
    async fn accept(&self, listener: &TcpListener) {
        let (stream, peer) = match listener.accept().await {
            Ok((stream, peer)) => (stream, peer.ip().to_canonical()),
            Err(error) => return self.pause_after(&error).await,
        };
        match self.per_ip_permit(peer) {
            Ok(per_ip) => {
                let permit = self.permit().await;
                self.start(stream, peer, permit, per_ip);
            }
            Err(TooManyConnections) => self.refuse(stream, peer),
        }
    }

    /// Room for one more connection. Near the limit an idle one is closed for it.
    async fn permit(&self) -> OwnedSemaphorePermit {
        if self.permits.available_permits() < self.spare {
            self.open.evict_one();
        }
        loop {
            if let Ok(permit) = self.permits.clone().try_acquire_owned() {
                return permit;
            }
            self.open.evict_one();
            let freed = tokio::time::timeout(EVICTION_INTERVAL, self.permits.clone().acquire_owned());
            if let Ok(permit) = freed.await {
                return permit.expect("the semaphore is never closed");
            }
        }
    }

    async fn pause_after(&self, error: &std::io::Error) {
        if self.not_accepted.is_due() {
            tracing::warn!(%error, "cannot accept connections");
        }
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }

    fn per_ip_permit(&self, peer: IpAddr) -> Result<Option<PerIpPermit>, TooManyConnections> {
        // A trusted proxy carries many clients.
        if self.protocol.proxies.is_trusted(peer) {
            return Ok(None);
        }
        self.per_ip.try_acquire(peer).map(Some).ok_or(TooManyConnections)
    }

    fn refuse(&self, stream: TcpStream, peer: IpAddr) {
        if self.refused.is_due() {
            tracing::warn!(
                %peer,
                "too many connections from one IP, refusing more; if this is a proxy, add it to http.trusted_proxies"
            );
        }
        // A TLS client could not read a plain response.
        if self.tls.is_none() {
            send_refusal(stream, &self.refusal);
        }
    }

    /// Gives the connection to a worker, which serves it to its end.
    fn start(&self, stream: TcpStream, peer: IpAddr, total: OwnedSemaphorePermit, per_ip: Option<PerIpPermit>) {
        let _ = stream.set_nodelay(true);
        // Registered with the runtime of the worker that serves it.
        let Ok(stream) = stream.into_std() else { return };
        let idle_timer = IdleTimer::start();
        let open = self.open.insert(peer, per_ip.is_none(), idle_timer.clone());
        let permits = ConnectionPermits { _total: total, _per_ip: per_ip, _open: open };
        let acceptor = self.tls.as_ref().map(|tls| tls.acceptor());
        let (protocol, timeout, open) = (self.protocol.clone(), self.timeout, self.connections.subscribe());
        let close_signals = CloseSignals::new(idle_timer.clone(), timeout, self.connections.subscribe());
        self.workers.spawn(async move {
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let stream = WriteTimeout::new(stream, timeout, idle_timer.clone());
            let connection = Connection { stream, peer, close_signals, idle_timer };
            match acceptor {
                None => protocol.serve_http1(connection).await,
                // Boxed: it is large, and a task has room for the larger way.
                Some(acceptor) => Box::pin(serve_tls(acceptor, protocol, connection, open)).await,
            }
            drop(permits);
        });
    }

    /// Lets running requests finish, then closes what is left.
    async fn drain(self, timeout: Duration) {
        let _ = self.connections.send(());
        if tokio::time::timeout(timeout, self.connections.closed()).await.is_err() {
            tracing::warn!("closing connections that were still busy after the drain timeout");
            let _ = self.connections.send(());
            self.connections.closed().await;
        }
    }
}

/// Serves a connection that begins with a TLS handshake.
async fn serve_tls<H: Handler>(
    acceptor: TlsAcceptor,
    protocol: Protocol<H>,
    Connection { stream, peer, mut close_signals, idle_timer }: Connection<WriteTimeout>,
    open: watch::Receiver<()>,
) {
    let secured = tokio::select! {
        secured = acceptor.accept(stream) => secured,
        _ = close_signals.next() => return,
    };
    let Ok(stream) = secured else { return };
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
    let connection = Connection { stream, peer, close_signals, idle_timer };
    match is_http2 {
        // Boxed: it is large, and most connections speak HTTP/1.
        true => Box::pin(protocol.serve_http2(connection, open)).await,
        false => protocol.serve_http1(connection).await,
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
fn send_refusal(stream: TcpStream, refusal: &[u8]) {
    if let Ok(mut stream) = stream.into_std() {
        // Unread input would make the kernel reset the connection and drop the response.
        let _ = stream.read(&mut [0; MAX_HEADER_BYTES]);
        let _ = stream.write(refusal);
    }
}
