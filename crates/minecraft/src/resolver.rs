//! Resolves a host to socket addresses. Every address passes the SSRF guard here, and the caller connects to exactly these:
//! a second lookup could return something else (DNS rebinding).

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::time::timeout;

use super::dns::DnsClient;
use super::error::PingError;
use super::ssrf_guard::SsrfGuard;
use super::target::{Edition, Host};

/// How hosts are resolved.
pub enum Resolver {
    Dns(Box<DnsClient>),
    /// A fixed table for tests and demos: only these hosts exist, and the SSRF guard is off.
    Static {
        games: HostTable,
        queries: HostTable,
    },
}

/// Socket addresses by host name and port.
pub type HostTable = HashMap<(String, u16), SocketAddr>;

/// Whether the `_minecraft._tcp` record of a name may replace host and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SrvRecords {
    Follow,
    Ignore,
}

impl SrvRecords {
    /// Like the game: only Java Edition, and only if the port is the default one.
    pub(super) fn of_game(edition: Edition, port: u16) -> Self {
        if edition == Edition::Java && port == edition.default_port() { Self::Follow } else { Self::Ignore }
    }
}

/// Addresses of one host that are tried.
const MAX_ADDRESSES: usize = 4;

impl Resolver {
    /// Uses this name server, or those of the system.
    pub fn dns(name_server: Option<SocketAddr>) -> Result<Self, String> {
        Ok(Self::Dns(Box::new(DnsClient::new(name_server)?)))
    }

    /// Whether a DNS query gets through. Always true for [`Self::Static`].
    pub async fn network_is_up(&self) -> bool {
        match self {
            Self::Static { .. } => true,
            Self::Dns(dns) => dns.is_reachable().await,
        }
    }

    /// The addresses of a name, without a check: for our own names, or if the caller asks the SSRF guard. Empty if they cannot be
    /// found.
    pub async fn addresses(&self, name: &str) -> Vec<IpAddr> {
        match self {
            Self::Static { .. } => Vec::new(),
            Self::Dns(dns) => dns.addresses(name).await.unwrap_or_default(),
        }
    }

    /// The TXT records of a name below a host. A literal address has none, nor has a host of [`Self::Static`].
    pub async fn txt_records(&self, prefix: &str, host: &Host) -> Result<Vec<String>, PingError> {
        match (self, host) {
            (Self::Dns(dns), Host::Name(name)) => dns.txt_records(&format!("{prefix}.{name}")).await,
            _ => Ok(Vec::new()),
        }
    }

    /// The addresses to try in order; never empty. `limit` covers all lookups.
    pub(super) async fn resolve(
        &self,
        host: &Host,
        port: u16,
        srv: SrvRecords,
        guard: &SsrfGuard,
        limit: Duration,
    ) -> Result<Vec<SocketAddr>, PingError> {
        let dns = match self {
            Self::Static { games, .. } => {
                let name = host.to_string();
                return match games.get(&(name.clone(), port)) {
                    Some(address) => Ok(vec![*address]),
                    None => Err(PingError::NameNotFound(name)),
                };
            }
            Self::Dns(dns) => dns,
        };
        let (found, port) = match host {
            Host::Address(address) => (vec![*address], port),
            Host::Name(name) => {
                // A slow name server must not look like a timeout of the game server.
                let late = || PingError::LookupFailed(name.clone(), "no name server replied in time".into());
                // Boxed: the lookup's future is kilobytes large and every ping would carry it.
                let lookup = Box::pin(look_up(dns, name, port, srv, limit / 2));
                timeout(limit, lookup).await.map_err(|_| late())??
            }
        };
        guard.check_port(port)?;
        let mut rejected = None;
        let mut allowed = Vec::new();
        for address in found {
            match guard.check_address(address) {
                Ok(address) => allowed.push(SocketAddr::new(address, port)),
                Err(error) => rejected = Some(error),
            }
        }
        allowed.sort_by_key(SocketAddr::is_ipv6);
        allowed.truncate(MAX_ADDRESSES);
        match (allowed.is_empty(), rejected) {
            (true, Some(error)) => Err(error.into()),
            (true, None) => Err(PingError::NameNotFound(host.to_string())),
            _ => Ok(allowed),
        }
    }

    /// Target of Query requests for the game server at `address`, which passed the SSRF guard.
    pub(super) fn query_address(
        &self,
        host: &Host,
        address: IpAddr,
        port: u16,
        guard: &SsrfGuard,
    ) -> Option<SocketAddr> {
        match self {
            Self::Static { queries, .. } => queries.get(&(host.to_string(), port)).copied(),
            Self::Dns(_) => guard.check_port(port).ok().map(|()| SocketAddr::new(address, port)),
        }
    }
}

/// The addresses and port of a name. If the SRV lookup fails or exceeds `srv_limit`, the name itself is resolved.
async fn look_up(
    dns: &DnsClient,
    name: &str,
    port: u16,
    srv: SrvRecords,
    srv_limit: Duration,
) -> Result<(Vec<IpAddr>, u16), PingError> {
    let srv = match srv {
        SrvRecords::Follow => timeout(srv_limit, dns.srv_target(name)).await.ok().flatten(),
        SrvRecords::Ignore => None,
    };
    match srv {
        Some((target, port)) => Ok((dns.addresses(&target).await?, port)),
        None => Ok((dns.addresses(name).await?, port)),
    }
}
