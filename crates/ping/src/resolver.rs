//! From a host to the addresses that may be asked. Every address is checked here, and what comes out is what is connected
//! to: no name is looked up a second time.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::time::timeout;

use super::dns::{Dns, Service};
use super::failure::Failure;
use super::ssrf_guard;
use super::target::{Edition, Host};

/// Where names lead.
pub enum Names {
    Dns(Box<Dns>),
    /// A world of our own, such as the demo's: these places and no others, and none of them is forbidden.
    Given {
        games: Places,
        queries: Places,
    },
}

/// Where names and ports really are.
pub type Places = HashMap<(String, u16), SocketAddr>;

/// Addresses of one name that are tried; nobody needs more.
const MOST_ADDRESSES: usize = 4;

impl Names {
    /// Asks this name server, or those of the system.
    pub fn dns(server: Option<SocketAddr>) -> Result<Self, String> {
        Ok(Self::Dns(Box::new(Dns::new(server)?)))
    }

    /// Whether the network is there. Nobody can be asked in a world of our own.
    pub async fn are_heard(&self) -> bool {
        match self {
            Self::Given { .. } => true,
            Self::Dns(dns) => dns.is_heard().await,
        }
    }

    /// Where to connect to, the best first; never empty. `patience` is for all of it.
    pub async fn addresses(
        &self,
        host: &Host,
        port: u16,
        edition: Edition,
        allow_private: bool,
        patience: Duration,
    ) -> Result<Vec<SocketAddr>, Failure> {
        let dns = match self {
            Self::Given { games, .. } => {
                let name = host.to_string();
                return match games.get(&(name.clone(), port)) {
                    Some(address) => Ok(vec![*address]),
                    None => Err(Failure::NameNotFound(name)),
                };
            }
            Self::Dns(dns) => dns,
        };
        let (found, port) = match host {
            Host::Address(address) => (vec![*address], port),
            Host::Name(name) => {
                // Who does not answer in time is not to be taken for the game server's silence.
                let late = || Failure::NoLookup(name.clone(), "no name server answered in time".into());
                // Apart, since a look-up takes kilobytes that every ask would have to carry.
                let looking = Box::pin(look_up(dns, name, port, edition, patience / 2));
                timeout(patience, looking).await.map_err(|_| late())??
            }
        };
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in found {
            let checked = if allow_private { Ok(address.to_canonical()) } else { ssrf_guard::check(address) };
            match checked {
                Ok(address) => allowed.push(SocketAddr::new(address, port)),
                Err(why) => refused = Some(why),
            }
        }
        allowed.sort_by_key(SocketAddr::is_ipv6);
        allowed.truncate(MOST_ADDRESSES);
        match (allowed.is_empty(), refused) {
            (true, Some(why)) => Err(why.into()),
            (true, None) => Err(Failure::NameNotFound(host.to_string())),
            _ => Ok(allowed),
        }
    }

    /// Where the game server at this address answers queries.
    pub fn query_address(&self, host: &Host, address: IpAddr, port: u16) -> Option<SocketAddr> {
        match self {
            Self::Given { queries, .. } => queries.get(&(host.to_string(), port)).copied(),
            Self::Dns(_) => Some(SocketAddr::new(address, port)),
        }
    }
}

/// The addresses of a name and the port there. Games look for an SRV record only where no other port is given; whatever is
/// wrong with it, the name itself is left, and time to look it up.
async fn look_up(
    dns: &Dns,
    name: &str,
    port: u16,
    edition: Edition,
    patience: Duration,
) -> Result<(Vec<IpAddr>, u16), Failure> {
    let service: Option<Service> = if edition == Edition::Java && port == edition.default_port() {
        timeout(patience, dns.service(name)).await.ok().flatten()
    } else {
        None
    };
    match service {
        Some((target, port)) => Ok((dns.addresses(&target).await?, port)),
        None => Ok((dns.addresses(name).await?, port)),
    }
}
