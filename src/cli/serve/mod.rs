mod signals;
mod tracker_node;

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use signals::StopSignal;

use serde_json::json;

use super::output::{OutputArgs, start_logging};
use super::reload::{ReloadFrom, Reloader};
use super::{Failure, StoreArgs, load, store};
use crate::app::{App, limit_wal_forever};
use crate::backup::{BackupPlace, BackupSchedule};
use crate::config::{Config, Flags};
use crate::http;
use crate::server::{self, MetricSources};
use crate::tracker::{StatsUpkeep, Tracker, own_addresses};
use crate::worker_pool::WorkerPool;
use rollcall_demo::DemoServers;
use rollcall_minecraft::join_verify::Verifier;
use rollcall_minecraft::{PingClient, Resolver};
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Database, Pool};

/// Open files besides connections: the store, pictures, the log.
const OTHER_FILES: usize = 256;

/// Open files that the service needs with these settings.
pub fn needed_files(config: &Config) -> u64 {
    let webhooks = config.webhooks.max_sending as usize;
    (config.http.max_connections + config.tracker.max_concurrent_pings + webhooks + OTHER_FILES) as u64
}

#[derive(Args)]
pub struct ServeCommandArgs {
    #[command(flatten)]
    serve: ServeArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// The options that change settings.
#[derive(Args)]
pub struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// What this process does: all, or some of api, web and tracker [default: all]
    #[arg(long = "role", value_name = "ROLE", value_delimiter = ',')]
    roles: Vec<String>,
    /// Base URL that clients use [default: the listen address, if it is one address]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Ping interval: 60s, 5m or off [default: 60s]
    #[arg(long, value_name = "TIME")]
    ping_interval: Option<String>,
    /// Allow pings to private networks and this machine
    #[arg(long)]
    allow_private_addresses: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// How long the final flush of quota and usage may take.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

impl ServeArgs {
    pub fn flags(&self) -> Flags {
        Flags {
            listen: self.listen.clone(),
            roles: self.roles.clone(),
            public_url: self.public_url.clone(),
            ping_interval: self.ping_interval.clone(),
            allow_private_addresses: self.allow_private_addresses,
            ..self.store.flags()
        }
    }
}

pub fn run(args: ServeCommandArgs) -> Result<(), Failure> {
    let flags = args.serve.flags();
    let config = load(&flags)?;
    config.check_serving().map_err(Failure::Usage)?;
    let (_flushed_at_the_end, set_log_filter) = start_logging(&config)?;
    store::wait_until_reachable(&config)?;
    // Migrate and create the built-in skins first.
    drop(store::open(&config)?);
    let reload = ReloadFrom { flags: Some(flags), set_log_filter };
    serve(&config, reload, None, |url| args.output.print(&format!("Listening on {url}"), &json!({"listening": url})))
}

/// Starts the fake servers of the demo and returns how to resolve them.
type StartDemoServers<'a> = &'a dyn Fn() -> Result<(Resolver, DemoServers), Failure>;

/// Shared by nodes of every role.
struct Node<'a> {
    config: &'a Config,
    listener: TcpListener,
    /// Address of the listener.
    url: String,
    /// Address for clients.
    public_url: String,
    tls: Option<Arc<http::Tls>>,
    stop: StopSignal,
    pool: Pool,
    ledger: Pool,
    media: Media,
    pinger: Arc<PingClient>,
}

/// Serves until a signal. With a `world` only its game servers are asked. `announce` runs when the port is open and the
/// catalogue loaded, and gets where that is.
pub fn serve(
    config: &Config,
    reload: ReloadFrom,
    world: Option<StartDemoServers>,
    announce: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let started_at = Clock::System.now();
    let tls = http::Tls::load(&config.tls).map_err(Failure::Failed)?.map(Arc::new);
    raise_open_files(needed_files(config));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    // The store connects with a runtime of its own, which must not start inside ours.
    let (pool, ledger) = store::open_pools(config)?;
    let media = store::media(config)?;
    store::warn_of_local_pictures(config)?;
    let outcome = runtime.block_on(async {
        let listener = listen(config.listen).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr()?);
        let public_url = if config.public_url.is_empty() { url.clone() } else { config.public_url.clone() };
        let stop = StopSignal::catch()?;
        // Caught from now on: it must not end the process while the catalogue loads.
        let hangup = signal(SignalKind::hangup())?;
        let sources = MetricSources {
            store: pool.clone(),
            ledger: ledger.clone(),
            tls: tls.clone(),
            engine: if matches!(store::database(config)?, Database::Sqlite(_)) { "sqlite" } else { "postgres" },
            started_at,
        };
        start_metrics(config, &public_url, sources, stop.clone().received()).await?;
        let (resolver, world) = world.map(|open| open()).transpose()?.unzip();
        let resolver =
            resolver.map_or_else(|| Resolver::dns(config.tracker.name_server), Ok).map_err(Failure::Failed)?;
        let pinger = Arc::new(config.tracker.ping_client(resolver));
        pinger.guard.set_own_addresses(own_addresses(&pinger.resolver, &config.own_hosts()).await.0);
        http::access_log::turn(config.log.access);
        let node = Node { config, listener, url, public_url, tls, stop, pool, ledger, media, pinger };
        let reloader = Reloader::new(reload, config.clone(), node.tls.clone());
        if config.roles.serve_clients() {
            node.serve_clients(reloader, hangup, world, announce).await?;
        } else {
            reloader.start(hangup, None);
            announce(&node.url)?;
            tracing::info!(url = node.url, roles = %config.roles, "serving");
            node.track().await?;
        }
        tracing::info!("stopped");
        Ok(())
    });
    // A blocked disk must not delay the exit.
    runtime.shutdown_background();
    outcome
}

impl Node<'_> {
    async fn serve_clients(
        self,
        reloader: Reloader,
        hangup: Signal,
        world: Option<DemoServers>,
        announce: impl FnOnce(&str) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let (config, workers) = (self.config, WorkerPool::per_core("http")?);
        let is_https = self.tls.is_some() || self.public_url.starts_with("https://");
        let openapi = crate::v1::document_bytes(&self.public_url);
        let pools = (self.pool.clone(), self.ledger.clone());
        let (media, url, pinger) = (self.media.clone(), self.public_url.clone(), self.pinger.clone());
        let app = App::open(config, pools, media, Clock::System, url, openapi, pinger).await?;
        if let Some(world) = &world {
            tokio::spawn(Arc::clone(&world.activity).run(app.pool.clone(), Clock::System));
            // The fake servers speak plain HTTP.
            if self.tls.is_none() {
                let service = reachable(self.listener.local_addr()?);
                tokio::spawn(Arc::clone(&world.reporters).run(app.pool.clone(), service));
            }
        }
        reloader.start(hangup, Some(app.clone()));
        app.start_background_tasks()?;
        self.start_wal_upkeep()?;
        let verifier = start_linking(config, &app).await?;
        let tracking = self.start_tracker()?;
        let (served, all_served) = oneshot::channel::<()>();
        let counts = tokio::spawn(Arc::clone(&app).write_counts(async {
            let _ = all_served.await;
        }));
        announce(&self.url)?;
        tracing::info!(url = self.url, roles = %config.roles, "serving");
        let router = server::Router::new(app.clone(), config.roles, &config.http, is_https);
        let delay = Duration::from_secs(config.http.shutdown_delay);
        let stop = self.stop.leave_load_balancer(|| app.announce_stop(), delay);
        http::serve(self.listener, workers, router, &config.http, self.tls, stop).await;
        drop((served, verifier));
        if let Some(tracking) = tracking {
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, tracking).await;
        }
        if tokio::time::timeout(FLUSH_TIMEOUT, counts).await.is_err() {
            tracing::warn!("could not flush quota, usage and views; keys may lose a few requests");
        }
        Ok(())
    }

    /// Starts what the role of a tracker has to do. `None` if nothing is pinged.
    fn start_tracker(&self) -> Result<Option<JoinHandle<()>>, Failure> {
        let config = self.config;
        if !config.roles.tracker {
            return Ok(None);
        }
        tokio::spawn(StatsUpkeep::new(self.pool.clone(), Clock::System).run());
        self.start_backups()?;
        if config.tracker.ping_interval.is_none() {
            tracing::info!("pings are off: tracker.ping_interval is \"off\"");
        }
        let (pinger, pool, media) = (self.pinger.clone(), self.pool.clone(), self.media.clone());
        let (settings, tells_players, own_hosts) = (&config.tracker, config.events.players, config.own_hosts());
        let tracker = Tracker::new(settings, tells_players, pinger, own_hosts, pool, media, Clock::System);
        Ok(tracker.map(|tracker| tokio::spawn(tracker.run(self.stop.clone().received()))))
    }

    fn start_wal_upkeep(&self) -> Result<(), Failure> {
        if matches!(store::database(self.config)?, Database::Sqlite(_)) {
            tokio::spawn(limit_wal_forever(self.pool.clone(), self.ledger.clone()));
        }
        Ok(())
    }

    fn start_backups(&self) -> Result<(), Failure> {
        let (config, Database::Sqlite(database)) = (self.config, store::database(self.config)?) else { return Ok(()) };
        let Some(every) = config.backup.every else { return Ok(()) };
        let place = config.backup.place(&config.media, &config.data).map_err(Failure::Usage)?;
        let place = BackupPlace::open(&place, &config.data)?;
        let (keep, media, clock) = (config.backup.keep, self.media.clone(), Clock::System);
        tokio::spawn(BackupSchedule { every, keep, place, database, media, clock }.run());
        Ok(())
    }
}

/// Serves metrics, if they are configured.
async fn start_metrics(
    config: &Config,
    public_url: &str,
    sources: MetricSources,
    stop: impl Future<Output = ()> + Send + 'static,
) -> Result<(), Failure> {
    let Some(address) = config.metrics.listen else { return Ok(()) };
    let listener = listen(address).await?;
    tracing::info!("metrics on http://{}/metrics", listener.local_addr()?);
    Ok(server::serve_metrics(listener, config.http.clone(), public_url, sources, stop)?)
}

/// Starts the listener that players join, if it is configured. It stops on drop.
async fn start_linking(config: &Config, app: &App) -> Result<Option<Verifier>, Failure> {
    let Some(address) = config.linking.listen.filter(|_| config.roles.web) else { return Ok(None) };
    let verifier = app.linking.clone().serve(listen(address).await?).await?;
    tracing::info!("players join {} to link their accounts", verifier.address());
    Ok(Some(verifier))
}

/// The address under which this machine reaches a listener of all its addresses.
pub fn reachable(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, address.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (Ipv6Addr::LOCALHOST, address.port()).into(),
        _ => address,
    }
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    http::listen(address).await.map_err(|error| cannot_listen(address, &error))
}

pub fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("cannot listen on {address}: {error}"))
}

/// Every connection is an open file, and the default limit is far below the maximum.
fn raise_open_files(needed: u64) {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < needed => {
            tracing::warn!(
                limit,
                "too few files may be open at once for http.max_connections; raise the limit (ulimit -n)"
            );
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "cannot raise the limit of open files"),
    }
}
