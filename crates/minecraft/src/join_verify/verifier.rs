//! The listener: accepts connections within the limits and gives each one deadline.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};

use super::conversation::{Conversation, Shared};
use super::failure::Failure;
use super::limits::{Limits, OpenConnection, Usage};
use super::on_verified::OnVerified;
use super::server_key::ServerKey;
use super::session_server::SessionServer;

/// For a whole connection.
const DEADLINE: Duration = Duration::from_secs(15);
/// RSA operations at the same time.
const DECRYPTIONS: usize = 2;
/// Before the next attempt to accept a connection, after one failed.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How a listener is set up.
#[derive(Clone)]
pub struct Settings {
    pub session_server: SessionServer,
    /// The text in the server list.
    pub motd: String,
    pub limits: Limits,
    /// For a whole connection, the session server and the callback included.
    pub deadline: Duration,
}

impl Settings {
    pub fn new(session_server: SessionServer, motd: impl Into<String>) -> Self {
        Self { session_server, motd: motd.into(), limits: Limits::default(), deadline: DEADLINE }
    }
}

/// A running listener. It stops soon after this is dropped, and with it all its connections.
pub struct Verifier {
    address: SocketAddr,
    accepting: JoinHandle<()>,
}

impl Verifier {
    /// Makes a new key and serves the connections of this listener.
    pub async fn start(listener: TcpListener, settings: Settings, handler: impl OnVerified) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let key = tokio::task::spawn_blocking(ServerKey::generate).await.map_err(std::io::Error::other)?;
        let shared = Arc::new(Shared {
            handler,
            motd: settings.motd,
            session_server: settings.session_server,
            key: Arc::new(key),
            usage: Usage::new(settings.limits, Instant::now()),
            decryptions: Semaphore::new(DECRYPTIONS),
        });
        let accepting = tokio::spawn(accept(listener, settings.deadline, shared));
        Ok(Self { address, accepting })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops, and returns when the port is closed.
    pub async fn stop(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
    }
}

impl Drop for Verifier {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, deadline: Duration, shared: Arc<Shared<impl OnVerified>>) {
    // Dropped with this task, which ends all connections.
    let mut connections = JoinSet::new();
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Too many open files, for example: others must close some first.
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        while connections.try_join_next().is_some() {}
        let ip = peer.ip().to_canonical();
        if let Some(open) = shared.usage.open(ip) {
            connections.spawn(serve(stream, ip, deadline, shared.clone(), open));
        }
    }
}

async fn serve(
    stream: TcpStream,
    ip: IpAddr,
    deadline: Duration,
    shared: Arc<Shared<impl OnVerified>>,
    _open: OpenConnection,
) {
    // Without it, small packets may wait for the acknowledgement of the one before. It is no reason to give up.
    let _ = stream.set_nodelay(true);
    let outcome = timeout(deadline, Conversation::new(stream, ip, &shared).run()).await;
    if let Err(failure) = outcome.unwrap_or(Err(Failure::TimedOut)) {
        shared.handler.on_failed(ip, &failure);
    }
}
