//! Connects to another service of a game server, such as its vote receiver, under the same rules as a ping.

use std::net::SocketAddr;

use tokio::net::TcpStream;
use tokio::time::Instant;

use super::error::PingError;
use super::ping_client::before;
use super::resolver::{Resolver, SrvRecords};
use super::ssrf_guard::SsrfGuard;
use super::target::Host;
use super::tcp;

/// Resolves the host, checks each address and the port, and connects to the first checked address that accepts. SRV records
/// are not followed: they name the port of the game. A [`Resolver::Static`] looks the host up among its games.
pub async fn connect(
    resolver: &Resolver,
    guard: &SsrfGuard,
    host: &Host,
    port: u16,
    deadline: Instant,
) -> Result<(TcpStream, SocketAddr), PingError> {
    let connecting = async {
        // Leave time for the connection itself.
        let limit = deadline.saturating_duration_since(Instant::now()) * 3 / 4;
        let addresses = resolver.resolve(host, port, SrvRecords::Ignore, guard, limit).await?;
        tcp::connect(&addresses, deadline).await
    };
    before(deadline, connecting).await
}
