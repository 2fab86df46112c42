//! What name servers say. Whoever owns a name decides how long the answer is and how often it is given, so no more of it is
//! remembered than is needed.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use hickory_resolver::config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::rr::RData;
use hickory_resolver::{Resolver, TokioResolver};
use moka::Expiry;
use moka::future::Cache;

use super::failure::Failure;
use super::target::Host;

/// How long a name server may take before the next try.
const PATIENCE: Duration = Duration::from_secs(2);
const TRIES: usize = 2;
/// Names that are remembered, each for as long as its owner says.
const REMEMBERED: u64 = 1 << 17;
/// Names that do not exist are not asked for again for this long, whatever their owner says.
const NOT_THERE: Duration = Duration::from_secs(30);
/// Addresses of one name that are remembered; an answer may have thousands.
const ADDRESSES: usize = 16;

/// Where a service is: a host and a port.
pub type Service = (String, u16);

pub struct Dns {
    resolver: TokioResolver,
    /// `None`: the name does not exist.
    addresses: Memory<Option<Vec<IpAddr>>>,
    /// `None`: there is no such service.
    services: Memory<Option<Service>>,
}

impl Dns {
    /// Asks this name server, or those of the system.
    pub fn new(server: Option<SocketAddr>) -> Result<Self, String> {
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
        // It would remember whole answers: a megabyte of memory for each that fills its 64 KiB.
        options.cache_size = 0;
        let resolver = builder.build().map_err(unusable)?;
        Ok(Self { resolver, addresses: Memory::new(), services: Memory::new() })
    }

    /// Whether the network is there: somebody far away must say that a name does not exist.
    pub async fn is_heard(&self) -> bool {
        let name = format!("{:032x}.com.", rand::random::<u128>());
        self.resolver.lookup_ip(name).await.map_or_else(|error| error.is_no_records_found(), |_| true)
    }

    /// The addresses of a name, or of an address that is written as one.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, Failure> {
        if let Ok(address) = name.parse() {
            return Ok(vec![address]);
        }
        let missing = || Failure::NameNotFound(name.to_owned());
        if let Some(known) = self.addresses.recall(name).await {
            return known.ok_or_else(missing);
        }
        match self.resolver.lookup_ip(format!("{name}.")).await {
            Ok(found) => {
                let addresses: Vec<IpAddr> = found.iter().take(ADDRESSES).collect();
                self.addresses.keep(name, Some(addresses.clone()), found.valid_until()).await;
                Ok(addresses)
            }
            Err(error) if error.is_no_records_found() => {
                self.addresses.keep(name, None, until(&error)).await;
                Err(missing())
            }
            Err(error) => Err(Failure::NoLookup(name.to_owned(), error.to_string())),
        }
    }

    /// Where a service of the game is, if a record says so; trouble is as good as none.
    pub async fn service(&self, name: &str) -> Option<Service> {
        if let Some(known) = self.services.recall(name).await {
            return known;
        }
        match self.resolver.srv_lookup(format!("_minecraft._tcp.{name}.")).await {
            Ok(found) => {
                let best = best(found.answers().iter().map(|record| &record.data));
                self.services.keep(name, best.clone(), found.valid_until()).await;
                best
            }
            Err(error) => {
                if error.is_no_records_found() {
                    self.services.keep(name, None, until(&error)).await;
                }
                None
            }
        }
    }
}

fn best<'r>(records: impl Iterator<Item = &'r RData>) -> Option<Service> {
    let services = records.filter_map(|record| match record {
        RData::SRV(service) => Some(service),
        _ => None,
    });
    let best = services.min_by_key(|service| (service.priority, std::cmp::Reverse(service.weight)))?;
    // Checked like a name that somebody wrote: what is no name of a host ("." says that there is no service) is none.
    let target = best.target.to_string().parse::<Host>().ok()?;
    (best.port > 0).then(|| (target.to_string(), best.port))
}

/// How long it holds that there is nothing.
fn until(error: &NetError) -> Instant {
    let told = match error {
        NetError::Dns(DnsError::NoRecordsFound(nothing)) => nothing.negative_ttl,
        _ => None,
    };
    Instant::now() + NOT_THERE.max(Duration::from_secs(told.unwrap_or(0).into()).min(LONGEST))
}

/// However long its owner says.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// What was found, until when it holds.
struct Memory<T>(Cache<String, (T, Instant)>);

impl<T: Clone + Send + Sync + 'static> Memory<T> {
    fn new() -> Self {
        Self(Cache::builder().max_capacity(REMEMBERED).expire_after(AsTold).build())
    }

    async fn recall(&self, name: &str) -> Option<T> {
        self.0.get(name).await.map(|(found, _)| found)
    }

    async fn keep(&self, name: &str, found: T, until: Instant) {
        self.0.insert(name.to_owned(), (found, until)).await;
    }
}

struct AsTold;

impl<T> Expiry<String, (T, Instant)> for AsTold {
    fn expire_after_create(&self, _: &String, (_, until): &(T, Instant), now: Instant) -> Option<Duration> {
        Some(until.saturating_duration_since(now))
    }

    fn expire_after_update(
        &self,
        name: &String,
        found: &(T, Instant),
        now: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        self.expire_after_create(name, found, now)
    }
}
