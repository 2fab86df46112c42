//! The ping client: one request, one timeout that covers everything from the DNS lookup to the last byte.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::error::PingError;
use super::ping_protocol::PingProtocol;
use super::resolver::{Resolver, SrvRecords};
use super::ssrf_guard::SsrfGuard;
use super::status::{ListedPlayer, ServerStatus};
use super::target::{Edition, Host};
use super::{tcp, udp};

/// Which server to ping, and how.
#[derive(Clone, Debug)]
pub struct PingRequest {
    pub host: Host,
    pub port: u16,
    pub edition: Edition,
    /// Also request the full player list by Query on this port. Java Edition only.
    pub query_port: Option<u16>,
    /// The protocol that worked last; it is tried first.
    pub protocol: Option<PingProtocol>,
    /// Try no protocol but the first.
    pub no_fallback: bool,
}

impl PingRequest {
    /// A request without Query that tries all protocols of the edition.
    pub fn new(host: Host, port: u16, edition: Edition) -> Self {
        Self { host, port, edition, query_port: None, protocol: None, no_fallback: false }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct PingReply {
    /// The address that replied.
    pub address: SocketAddr,
    pub protocol: PingProtocol,
    /// From sending the request to the complete reply, without DNS and connecting.
    pub latency_ms: i64,
    pub status: ServerStatus,
    /// The full player list, if Query was requested and replied.
    pub query_players: Option<Vec<ListedPlayer>>,
}

/// Settings shared by all pings. One client serves any number of concurrent pings.
pub struct PingClient {
    pub resolver: Resolver,
    /// Addresses that may be pinged.
    pub guard: SsrfGuard,
    /// Limit of one ping, whatever the server does.
    pub timeout: Duration,
}

impl PingClient {
    pub async fn ping(&self, request: &PingRequest) -> Result<PingReply, PingError> {
        let deadline = Instant::now() + self.timeout;
        let ping = async {
            match request.edition {
                Edition::Java => self.ping_java(request, deadline).await,
                Edition::Bedrock => self.ping_bedrock(request).await,
            }
        };
        before(deadline, ping).await
    }

    /// The addresses that a ping tries in order; never empty.
    pub async fn resolve(&self, request: &PingRequest) -> Result<Vec<SocketAddr>, PingError> {
        // Leave time for the ping itself.
        let limit = self.timeout * 3 / 4;
        let srv = SrvRecords::of_game(request.edition, request.port);
        self.resolver.resolve(&request.host, request.port, srv, &self.guard, limit).await
    }

    async fn ping_bedrock(&self, request: &PingRequest) -> Result<PingReply, PingError> {
        let mut last_error = PingError::TimedOut;
        for address in self.resolve(request).await? {
            match udp::ping_bedrock(address, self.timeout).await {
                Ok((status, latency)) => return Ok(reply(address, PingProtocol::Bedrock, latency, status)),
                Err(error) => last_error = error,
            }
        }
        Err(last_error)
    }

    async fn ping_java(&self, request: &PingRequest, deadline: Instant) -> Result<PingReply, PingError> {
        let addresses = self.resolve(request).await?;
        let (reply, query_players) = tokio::join!(
            try_protocols(request, &addresses, deadline),
            self.query_players(request, addresses[0], deadline)
        );
        Ok(PingReply { query_players, ..reply? })
    }

    /// The player list from Query. A failed query does not fail the ping.
    async fn query_players(
        &self,
        request: &PingRequest,
        address: SocketAddr,
        deadline: Instant,
    ) -> Option<Vec<ListedPlayer>> {
        let port = request.query_port?;
        let address = self.resolver.query_address(&request.host, address.ip(), port, &self.guard)?;
        // Ends early, so that a slow query cannot make the ping itself time out.
        let query = tokio::time::timeout_at(deadline - self.timeout / 8, udp::query(address, self.timeout));
        query.await.ok()?.ok().map(|status| status.sample)
    }
}

/// Tries the Java protocols in order. A connection that cannot be opened ends it: no other protocol would help.
async fn try_protocols(
    request: &PingRequest,
    addresses: &[SocketAddr],
    deadline: Instant,
) -> Result<PingReply, PingError> {
    let first = request.protocol.unwrap_or(PingProtocol::Modern);
    let others = PingProtocol::JAVA.into_iter().filter(|protocol| *protocol != first && !request.no_fallback);
    let mut protocols = std::iter::once(first).chain(others).peekable();
    let mut first_error = None;
    let mut connected_to = None;
    while let Some(protocol) = protocols.next() {
        let connection = match connected_to {
            None => tcp::connect(addresses, deadline).await,
            Some(address) => before(deadline, tcp::connect(&[address], deadline)).await,
        };
        let (stream, address) = match connection {
            Ok(connection) => connection,
            Err(error) => return Err(first_error.unwrap_or(error)),
        };
        connected_to = Some(address);
        // A protocol that worked before gets all the time. The others leave half of it to the next: an old server may wait
        // for more bytes than a newer protocol sends.
        let is_last = protocols.peek().is_none() || request.protocol == Some(protocol);
        let exchange = tcp::exchange(stream, protocol, &request.host, request.port, address.ip());
        let outcome = match (is_last, &first_error) {
            // The caller enforces the deadline, so the common case needs no second timer.
            (true, None) => exchange.await,
            (true, Some(_)) => before(deadline, exchange).await,
            (false, _) => before(halfway_to(deadline), exchange).await,
        };
        match outcome {
            Ok((status, latency)) => return Ok(reply(address, protocol, latency, status)),
            // The error of the likeliest protocol is the most useful one.
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or(PingError::TimedOut))
}

pub(super) async fn before<T>(
    deadline: Instant,
    work: impl Future<Output = Result<T, PingError>>,
) -> Result<T, PingError> {
    tokio::time::timeout_at(deadline, work).await.unwrap_or(Err(PingError::TimedOut))
}

fn halfway_to(deadline: Instant) -> Instant {
    let now = Instant::now();
    now + deadline.saturating_duration_since(now) / 2
}

fn reply(address: SocketAddr, protocol: PingProtocol, latency: Duration, status: ServerStatus) -> PingReply {
    // At least 1: a latency of 0 stands for a server that never replied.
    let latency_ms = i64::try_from(latency.as_millis()).unwrap_or(i64::MAX).max(1);
    PingReply { address, protocol, latency_ms, status, query_players: None }
}
