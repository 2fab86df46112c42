//! DNS lookups with a bounded cache. The owner of a name controls the size and TTL of a response, so only the part we need
//! is cached.

use std::net::{IpAddr, SocketAddr};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::rr::RData;
use moka::Expiry;
use moka::future::Cache;

use super::error::PingError;
use super::target::Host;

/// Timeout of one DNS query.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);
const ATTEMPTS: usize = 2;
/// Names held in each cache.
const CACHE_CAPACITY: u64 = 1 << 17;
/// Bounds of the TTL of a negative response, whatever the zone says.
const MIN_NEGATIVE_TTL: Duration = Duration::from_secs(30);
const MAX_NEGATIVE_TTL: Duration = Duration::from_secs(24 * 3600);
/// Addresses cached per name; a response may list thousands.
const MAX_CACHED_ADDRESSES: usize = 16;

/// TXT records that are read of one name, and bytes of each.
const MAX_TXT_RECORDS: usize = 32;
const MAX_TXT_BYTES: usize = 512;

/// Host and port of an SRV record.
type SrvTarget = (String, u16);

pub struct DnsClient {
    resolver: TokioResolver,
    /// `None`: the name does not exist.
    addresses: TtlCache<Option<Vec<IpAddr>>>,
    /// `None`: there is no usable SRV record.
    srv_targets: TtlCache<Option<SrvTarget>>,
}

impl DnsClient {
    /// Uses this name server, or those of the system.
    pub fn new(name_server: Option<SocketAddr>) -> Result<Self, String> {
        let unusable = |error: NetError| format!("cannot set up the DNS resolver: {error}");
        let mut builder = match name_server {
            Some(server) => {
                let at_port = |mut connection: ConnectionConfig| {
                    connection.port = server.port();
                    connection
                };
                let connections = vec![at_port(ConnectionConfig::udp()), at_port(ConnectionConfig::tcp())];
                let config = NameServerConfig::new(server.ip(), true, connections);
                let config = ResolverConfig::from_name_servers(vec![config]);
                TokioResolver::builder_with_config(config, TokioRuntimeProvider::default())
            }
            None => TokioResolver::builder_tokio().map_err(unusable)?,
        };
        let options = builder.options_mut();
        options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
        options.timeout = QUERY_TIMEOUT;
        options.attempts = ATTEMPTS;
        // hickory caches whole responses: a 64 KiB response costs about a megabyte. We use our own caches.
        options.cache_size = 0;
        let resolver = builder.build().map_err(unusable)?;
        Ok(Self { resolver, addresses: TtlCache::new(), srv_targets: TtlCache::new() })
    }

    /// Whether name servers reply. The random name under `.com` forces the query past every local cache.
    pub async fn is_reachable(&self) -> bool {
        let name = format!("{:032x}.com.", rand::random::<u128>());
        self.resolver.lookup_ip(name).await.map_or_else(|error| error.is_no_records_found(), |_| true)
    }

    /// The addresses of a name. A literal address is returned as it is.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, PingError> {
        if let Ok(address) = name.parse() {
            return Ok(vec![address]);
        }
        let not_found = || PingError::NameNotFound(name.to_owned());
        if let Some(cached) = self.addresses.get(name).await {
            return cached.ok_or_else(not_found);
        }
        match self.resolver.lookup_ip(format!("{name}.")).await {
            Ok(found) => {
                let addresses: Vec<IpAddr> = found.iter().take(MAX_CACHED_ADDRESSES).collect();
                self.addresses.insert(name, Some(addresses.clone()), found.valid_until()).await;
                Ok(addresses)
            }
            Err(error) if error.is_no_records_found() => {
                self.addresses.insert(name, None, negative_expiry(&error)).await;
                Err(not_found())
            }
            Err(error) => Err(PingError::LookupFailed(name.to_owned(), error.to_string())),
        }
    }

    /// The target of the `_minecraft._tcp` SRV record. A failed lookup counts as no record.
    pub async fn srv_target(&self, name: &str) -> Option<SrvTarget> {
        if let Some(cached) = self.srv_targets.get(name).await {
            return cached;
        }
        match self.resolver.srv_lookup(format!("_minecraft._tcp.{name}.")).await {
            Ok(found) => {
                let target = preferred_target(found.answers().iter().map(|record| &record.data));
                self.srv_targets.insert(name, target.clone(), found.valid_until()).await;
                target
            }
            Err(error) => {
                if error.is_no_records_found() {
                    self.srv_targets.insert(name, None, negative_expiry(&error)).await;
                }
                None
            }
        }
    }

    /// The TXT records of a name, without a cache: users often look right after changing one.
    pub async fn txt_records(&self, name: &str) -> Result<Vec<String>, PingError> {
        match self.resolver.txt_lookup(format!("{name}.")).await {
            Ok(found) => {
                let texts = found.answers().iter().filter_map(|record| match &record.data {
                    RData::TXT(txt) => Some(joined_text(&txt.txt_data)),
                    _ => None,
                });
                Ok(texts.take(MAX_TXT_RECORDS).collect())
            }
            Err(error) if error.is_no_records_found() => Ok(Vec::new()),
            Err(error) => Err(PingError::LookupFailed(name.to_owned(), error.to_string())),
        }
    }
}

/// A long text is stored in several strings. Bytes that are not UTF-8 are replaced.
fn joined_text(strings: &[Box<[u8]>]) -> String {
    let bytes: Vec<u8> = strings.iter().flat_map(|string| string.iter().copied()).take(MAX_TXT_BYTES).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The record of the lowest priority value, then of the highest weight.
fn preferred_target<'r>(records: impl Iterator<Item = &'r RData>) -> Option<SrvTarget> {
    let records = records.filter_map(|record| match record {
        RData::SRV(srv) => Some(srv),
        _ => None,
    });
    let best = records.min_by_key(|srv| (srv.priority, std::cmp::Reverse(srv.weight)))?;
    // The target is validated like user input. "." means that there is no service, and fails to parse.
    let target = best.target.to_string().parse::<Host>().ok()?;
    (best.port > 0).then(|| (target.to_string(), best.port))
}

/// When a negative response expires.
fn negative_expiry(error: &NetError) -> Instant {
    let ttl = match error {
        NetError::Dns(DnsError::NoRecordsFound(response)) => response.negative_ttl,
        _ => None,
    };
    let ttl = Duration::from_secs(ttl.unwrap_or(0).into());
    Instant::now() + ttl.clamp(MIN_NEGATIVE_TTL, MAX_NEGATIVE_TTL)
}

/// Values by name, each with its own expiry.
struct TtlCache<T>(Cache<String, (T, Instant)>);

impl<T: Clone + Send + Sync + 'static> TtlCache<T> {
    fn new() -> Self {
        Self(Cache::builder().max_capacity(CACHE_CAPACITY).expire_after(ExpireAtInstant).build())
    }

    async fn get(&self, name: &str) -> Option<T> {
        self.0.get(name).await.map(|(value, _)| value)
    }

    async fn insert(&self, name: &str, value: T, expires_at: Instant) {
        self.0.insert(name.to_owned(), (value, expires_at)).await;
    }
}

struct ExpireAtInstant;

impl<T> Expiry<String, (T, Instant)> for ExpireAtInstant {
    fn expire_after_create(&self, _: &String, (_, expires_at): &(T, Instant), now: Instant) -> Option<Duration> {
        Some(expires_at.saturating_duration_since(now))
    }

    fn expire_after_update(
        &self,
        name: &String,
        value: &(T, Instant),
        now: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        self.expire_after_create(name, value, now)
    }
}
