//! Connections: bounded in number and in the time they may dawdle, and drained when the service stops.

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

use super::body::Payload;
use super::client_ip::{ClientAddress, Proxies};
use super::idle_timeout::Waiting;
use super::shutdown::{Interruption, Interruptions};
use super::tls::Tls;
use super::write_timeout::Patient;
use crate::config::Http;
use crate::error::ApiError;
use crate::limits::PerIpLimit;
use crate::worker_pool::WorkerPool;

/// Bytes of a request's head, the URI included.
const MAX_HEAD: usize = 16 * 1024;
/// Connections that the system keeps for us until they are accepted. The usual 128 overflow when many come at once, and
/// who is left out tries again a second later.
const BACKLOG: u32 = 4096;
/// After a refused accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// What may happen with every connection is logged no more often than this.
const SELDOM: Duration = Duration::from_secs(10);

/// What answers requests: the router of the service, or that of the metrics.
pub trait Handler: Send + Sync + 'static {
    fn handle(
        &self,
        request: Request<Incoming>,
        client: ClientAddress,
    ) -> impl Future<Output = Response<Payload>> + Send;
}

pub async fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A restart must not wait for the connections of the run before to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `stop` is done, then lets running requests finish for a while. When it returns, no request runs.
pub async fn serve<H: Handler>(
    listener: TcpListener,
    workers: WorkerPool,
    handler: Arc<H>,
    limits: &Http,
    tls: Option<Arc<Tls>>,
    stop: impl Future<Output = ()>,
) {
    let patience = Duration::from_secs(limits.client_timeout);
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD).half_close(true);
    let places = Arc::new(Semaphore::new(limits.max_connections));
    let per_ip = PerIpLimit::new(limits.max_connections_per_address);
    let proxies = Arc::new(Proxies::new(limits));
    let refusal = refusal();
    let (mut not_accepted, mut refused) = (Seldom::default(), Seldom::default());
    // Every connection holds a receiver.
    let (connections, _) = watch::channel(());
    let mut stop = pin!(stop);
    loop {
        let place = tokio::select! {
            place = places.clone().acquire_owned() => place.expect("the semaphore is never closed"),
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
                    tracing::warn!(%error, "connections cannot be accepted");
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        // A proxy brings many clients; the others are who they are.
        let counted = if proxies.is_trusted(peer) {
            None
        } else if let Some(counted) = per_ip.try_acquire(peer) {
            Some(counted)
        } else {
            if refused.is_due() {
                tracing::warn!(
                    %peer,
                    "an address has as many connections as it may, more are refused; if it is a proxy, it belongs \
                     into http.trusted_proxies"
                );
            }
            // Whoever speaks TLS could not read it.
            if tls.is_none() {
                refuse(stream, &refusal);
            }
            continue;
        };
        let _ = stream.set_nodelay(true);
        // It is waited for where it is spoken with.
        let Ok(stream) = stream.into_std() else { continue };
        let waiting = Waiting::begin();
        let acceptor = tls.as_ref().map(|tls| tls.acceptor());
        let (builder, handler, proxies) = (builder.clone(), handler.clone(), proxies.clone());
        let mut interruptions = Interruptions::new(waiting.clone(), patience, connections.subscribe());
        workers.spawn(async move {
            let Ok(stream) = TcpStream::from_std(stream) else { return };
            let stream = Patient::new(stream, patience, waiting.clone());
            match acceptor {
                None => converse(stream, peer, &builder, handler, proxies, interruptions, &waiting).await,
                Some(acceptor) => {
                    let secured = tokio::select! {
                        secured = acceptor.accept(stream) => secured,
                        _ = interruptions.next() => return,
                    };
                    if let Ok(stream) = secured {
                        converse(stream, peer, &builder, handler, proxies, interruptions, &waiting).await;
                    }
                }
            }
            drop((place, counted));
        });
    }
    drop(listener);
    let _ = connections.send(());
    let drain = Duration::from_secs(limits.drain_timeout);
    if tokio::time::timeout(drain, connections.closed()).await.is_err() {
        tracing::warn!("some connections were still busy and were cut off");
        let _ = connections.send(());
        connections.closed().await;
    }
}

/// One connection, to its end. A client that goes away or speaks nonsense is no news.
async fn converse<H: Handler>(
    stream: impl AsyncRead + AsyncWrite + Unpin + 'static,
    peer: IpAddr,
    builder: &http1::Builder,
    handler: Arc<H>,
    proxies: Arc<Proxies>,
    mut interruptions: Interruptions,
    waiting: &Waiting,
) {
    let service = service_fn(|request: Request<Incoming>| {
        waiting.is_over();
        let client = ClientAddress(proxies.client(peer, request.headers()));
        let handler = &handler;
        async move {
            let response = handler.handle(request, client).await;
            waiting.answered();
            Ok::<_, Infallible>(response)
        }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        why = interruptions.next() => match why {
            Interruption::Silence => return,
            Interruption::Word => connection.as_mut().graceful_shutdown(),
        }
    }
    tokio::select! {
        _ = connection => {}
        _ = interruptions.next() => {}
    }
}

/// What an address with too many connections is told: the error as everywhere else, in the bytes of HTTP.
fn refusal() -> Vec<u8> {
    let error = ApiError::Crowded;
    let body = error.body();
    let mut answer = format!("HTTP/1.1 {}\r\nconnection: close\r\ncontent-length: {}\r\n", error.status(), body.len());
    for (name, value) in super::error_response::failure(&error).headers() {
        answer += &format!("{name}: {}\r\n", value.to_str().expect("our headers are plain text"));
    }
    [answer.as_bytes(), b"\r\n", &body].concat()
}

/// Tells it as well as can be done without waiting, and closes.
fn refuse(stream: TcpStream, refusal: &[u8]) {
    if let Ok(mut stream) = stream.into_std() {
        // What came and is not read would make the system throw the answer away.
        let _ = stream.read(&mut [0; MAX_HEAD]);
        let _ = stream.write(refusal);
    }
}

/// Says when it is time to log again.
#[derive(Default)]
struct Seldom(Option<Instant>);

impl Seldom {
    fn is_due(&mut self) -> bool {
        let due = self.0.is_none_or(|last| last.elapsed() >= SELDOM);
        if due {
            self.0 = Some(Instant::now());
        }
        due
    }
}
