//! From a host to the addresses that may be asked. Every address is checked here, and what comes out is what is connected
//! to: no name is looked up a second time.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::RData;
use hickory_resolver::{Resolver, TokioResolver};

use super::failure::Failure;
use super::guard;
use super::place::{Edition, Host};
use crate::model::id;

/// Where names lead.
pub enum Names {
    Dns(Box<TokioResolver>),
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
/// How long a name server may take before the next try.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 2;
/// Names that are remembered, each for as long as its owner says.
const REMEMBERED: u64 = 1 << 17;
/// Names that do not exist are not asked for again for this long, whatever their owner says.
const NOT_THERE: Duration = Duration::from_secs(30);

impl Names {
    /// Asks this name server, or those of the system.
    pub fn dns(server: Option<SocketAddr>) -> Result<Self, String> {
        let unusable = |error: NetError| format!("names cannot be looked up: {error}");
        let mut builder = match server {
            Some(server) => {
                let at_port = |mut connection: ConnectionConfig| {
                    connection.port = server.port();
                    connection
                };
                let connections = vec![at_port(ConnectionConfig::udp()), at_port(ConnectionConfig::tcp())];
                let config = NameServerConfig::new(server.ip(), true, connections);
                let config = ResolverConfig::from_name_servers(vec![config]);
                Resolver::builder_with_config(config, TokioRuntimeProvider::default())
            }
            None => Resolver::builder_tokio().map_err(unusable)?,
        };
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.timeout = PATIENCE;
        options.attempts = TRIES;
        options.cache_size = REMEMBERED;
        options.negative_min_ttl = Some(NOT_THERE);
        Ok(Self::Dns(Box::new(builder.build().map_err(unusable)?)))
    }

    /// Whether the network is there: somebody far away must say that a name does not exist. Nobody can be asked in a world of
    /// our own.
    pub async fn are_heard(&self) -> bool {
        match self {
            Self::Given { .. } => true,
            Self::Dns(resolver) => {
                let name = format!("{}.com.", id::encode(rand::random()));
                resolver.lookup_ip(name).await.map_or_else(|error| error.is_no_records_found(), |_| true)
            }
        }
    }

    /// Where to connect to, the best first; never empty.
    pub async fn addresses(
        &self,
        host: &Host,
        port: u16,
        edition: Edition,
        allow_private: bool,
    ) -> Result<Vec<SocketAddr>, Failure> {
        let resolver = match self {
            Self::Given { games, .. } => {
                let name = host.to_string();
                return match games.get(&(name.clone(), port)) {
                    Some(address) => Ok(vec![*address]),
                    None => Err(Failure::NameNotFound(name)),
                };
            }
            Self::Dns(resolver) => resolver,
        };
        let (found, port) = match host {
            Host::Address(address) => (vec![*address], port),
            // Apart, since a look-up takes kilobytes that every ask would have to carry.
            Host::Name(name) => Box::pin(found(resolver, name, port, edition)).await?,
        };
        let mut refused = None;
        let mut allowed = Vec::new();
        for address in found {
            let checked = if allow_private { Ok(address.to_canonical()) } else { guard::check(address) };
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
}

impl Names {
    /// Where the game server at this address answers queries.
    pub fn query_address(&self, host: &Host, address: IpAddr, port: u16) -> Option<SocketAddr> {
        match self {
            Self::Given { queries, .. } => queries.get(&(host.to_string(), port)).copied(),
            Self::Dns(_) => Some(SocketAddr::new(address, port)),
        }
    }
}

async fn found(
    resolver: &TokioResolver,
    name: &str,
    port: u16,
    edition: Edition,
) -> Result<(Vec<IpAddr>, u16), Failure> {
    match service(resolver, name, port, edition).await {
        Some((target, port)) => Ok((look_up(resolver, &target).await?, port)),
        None => Ok((look_up(resolver, name).await?, port)),
    }
}

/// Where an SRV record leads. Games look for one only where no other port is given; whatever is wrong with it, the name
/// itself is left.
async fn service(resolver: &TokioResolver, name: &str, port: u16, edition: Edition) -> Option<(String, u16)> {
    if edition != Edition::Java || port != edition.default_port() {
        return None;
    }
    let answer = resolver.srv_lookup(format!("_minecraft._tcp.{name}.")).await.ok()?;
    let services = answer.answers().iter().filter_map(|record| match &record.data {
        RData::SRV(service) => Some(service),
        _ => None,
    });
    let best = services.min_by_key(|service| (service.priority, std::cmp::Reverse(service.weight)))?;
    // Checked like a name that somebody wrote: what is no name of a host ("." says that there is no service) is none.
    let target = best.target.to_string().parse::<Host>().ok()?;
    (best.port > 0).then(|| (target.to_string(), best.port))
}

async fn look_up(resolver: &TokioResolver, name: &str) -> Result<Vec<IpAddr>, Failure> {
    if let Ok(address) = name.parse() {
        return Ok(vec![address]);
    }
    match resolver.lookup_ip(format!("{name}.")).await {
        Ok(found) => Ok(found.iter().collect()),
        Err(error) if error.is_no_records_found() => Err(Failure::NameNotFound(name.to_owned())),
        Err(error) => Err(Failure::NoLookup(name.to_owned(), error.to_string())),
    }
}
