//! DNS lookups and the SSRF guard: the test runs a hostile DNS server and counts connections to loopback.

mod dns_failures;
pub mod dns_server;
mod ip_literals;
mod loopback_listener;
mod own_addresses;
mod private_addresses;
mod srv_records;

use std::time::{Duration, Instant};

use rollcall_minecraft::{Edition, PingClient, PingError, PingReply, PingRequest, Resolver, SsrfGuard};

use dns_server::DnsServer;

/// Timeout of one ping, unless a test sets another.
const TIMEOUT: Duration = Duration::from_secs(2);
/// What a busy machine may add.
const SLACK: Duration = Duration::from_secs(2);

fn ping_client(dns: &DnsServer, allow_private_addresses: bool, timeout: Duration) -> PingClient {
    let resolver = Resolver::dns(Some(dns.address())).expect("a resolver");
    PingClient { resolver, guard: SsrfGuard::new(allow_private_addresses), timeout }
}

/// Pings a host. Fails if the ping exceeds its timeout.
async fn ping(client: &PingClient, host: &str, port: u16, edition: Edition) -> Result<PingReply, PingError> {
    let host = host.parse().unwrap_or_else(|error| panic!("{error}"));
    // Query must not reach a private address either.
    let query_port = (!client.guard.allows_private_addresses()).then_some(port);
    let request = PingRequest { host, port, edition, query_port, protocol: None, no_fallback: false };
    let started = Instant::now();
    let result = client.ping(&request).await;
    assert!(started.elapsed() < client.timeout + SLACK, "{:?} for {}", started.elapsed(), request.host);
    result
}

/// Why a ping failed, as stored with an outage.
fn reason(ping: Result<PingReply, PingError>) -> &'static str {
    match ping {
        Ok(reply) => panic!("the server replied: {reply:?}"),
        Err(error) => error.reason(),
    }
}
