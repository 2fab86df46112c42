use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use super::output::{print_line, start_logging};
use super::{Failure, StoreArgs, load, store};
use crate::app::App;
use crate::config::{Config, Flags};
use crate::http;
use crate::server::{self, MetricSources};
use crate::tracker::{Tracker, own_addresses};
use crate::worker_pool::WorkerPool;
use rollcall_demo::fake_servers::DemoServers;
use rollcall_minecraft::join_verify::Verifier;
use rollcall_minecraft::{PingClient, Resolver};
use rollcall_model::clock::Clock;
use rollcall_store::media::Media;
use rollcall_store::{Database, Pool};

/// Open files besides connections: the store, pictures, the log.
const OTHER_FILES: usize = 256;

/// Open files that the service needs with these settings.
pub fn needed_files(config: &Config) -> u64 {
    (config.http.max_connections + config.tracker.max_concurrent_pings + OTHER_FILES) as u64
}

#[derive(Args)]
pub struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
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
            public_url: self.public_url.clone(),
            ping_interval: self.ping_interval.clone(),
            allow_private_addresses: self.allow_private_addresses,
            ..self.store.flags()
        }
    }
}

pub fn run(args: ServeArgs) -> Result<(), Failure> {
    let flags = args.flags();
    let config = load(&flags)?;
    config.check_serving().map_err(Failure::Usage)?;
    let _log = start_logging(&config)?;
    store::wait_until_reachable(&config)?;
    // Migrate and create the built-in skins first.
    drop(store::open(&config)?);
    serve(&config, None, |url| print_line(&format!("Listening on {url}")))
}

/// Starts the fake servers of the demo and returns how to resolve them.
pub type StartDemoServers<'a> = &'a dyn Fn() -> Result<(Resolver, DemoServers), Failure>;

/// Serves until a signal. With a `world` only its game servers are asked. `announce` runs when the port is open and the
/// catalogue loaded, and gets where that is.
pub fn serve(
    config: &Config,
    world: Option<StartDemoServers>,
    announce: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let started_at = Clock::System.now();
    let tls = http::Tls::load(&config.tls).map_err(Failure::Failed)?.map(Arc::new);
    raise_open_files(needed_files(config));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let workers = WorkerPool::per_core("http")?;
    // The store connects with a runtime of its own, which must not start inside ours.
    let (pool, ledger) = store::open_pools(config)?;
    let media = store::media(config)?;
    store::warn_of_local_pictures(config)?;
    let outcome = runtime.block_on(async {
        let listener = listen(config.listen).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr()?);
        let public_url = if config.public_url.is_empty() { url.clone() } else { config.public_url.clone() };
        let secure = tls.is_some() || public_url.starts_with("https://");
        let stop = stop_signal()?;
        reload_on_signal(tls.clone())?;
        if let Some(metrics) = config.metrics.listen {
            let listener = listen(metrics).await?;
            tracing::info!("metrics on http://{}/metrics", listener.local_addr()?);
            let sources = MetricSources {
                store: pool.clone(),
                ledger: ledger.clone(),
                tls: tls.clone(),
                engine: if matches!(store::database(config)?, Database::Sqlite(_)) { "sqlite" } else { "postgres" },
                started_at,
            };
            server::serve_metrics(listener, config.http.clone(), &public_url, sources, stopped(stop.clone()))?;
        }
        let (resolver, world) = world.map(|open| open()).transpose()?.unzip();
        let resolver =
            resolver.map_or_else(|| Resolver::dns(config.tracker.name_server), Ok).map_err(Failure::Failed)?;
        let pinger = Arc::new(config.tracker.ping_client(resolver));
        pinger.guard.set_own_addresses(own_addresses(&pinger.resolver, &config.own_hosts()).await.0);
        let tracker = tracker(config, &pinger, &pool, &media);
        let openapi = crate::v1::document_bytes(&public_url);
        let app = App::open(config, (pool, ledger), media, Clock::System, public_url, openapi, pinger).await?;
        if let Some(world) = &world {
            tokio::spawn(Arc::clone(&world.present).run(app.pool.clone(), Clock::System));
            // The fake servers speak plain HTTP.
            if tls.is_none() {
                let service = reachable(listener.local_addr()?);
                tokio::spawn(Arc::clone(&world.reporters).run(app.pool.clone(), service));
            }
        }
        app.start_background_tasks()?;
        let verifier = start_linking(config, &app).await?;
        let tracking = tracker.map(|tracker| tokio::spawn(tracker.run(stopped(stop.clone()))));
        tokio::spawn(Arc::clone(&app).refresh_stats_forever());
        let (served, all_served) = oneshot::channel::<()>();
        let counts = tokio::spawn(Arc::clone(&app).write_counts(async {
            let _ = all_served.await;
        }));
        http::access_log::turn(config.log.access);
        announce(&url)?;
        tracing::info!(url, "serving");
        let router = server::Router::new(app.clone(), &config.http, secure);
        let delay = Duration::from_secs(config.http.shutdown_delay);
        http::serve(listener, workers, router, &config.http, tls, leave_load_balancer(stop, &app, delay)).await;
        drop((served, verifier));
        if let Some(tracking) = tracking {
            let _ = tokio::time::timeout(FLUSH_TIMEOUT, tracking).await;
        }
        if tokio::time::timeout(FLUSH_TIMEOUT, counts).await.is_err() {
            tracing::warn!("could not flush quota, usage and views; keys may lose a few requests");
        }
        tracing::info!("stopped");
        Ok(())
    });
    // A blocked disk must not delay the exit.
    runtime.shutdown_background();
    outcome
}

fn tracker(config: &Config, pinger: &Arc<PingClient>, pool: &Pool, media: &Media) -> Option<Arc<Tracker>> {
    if config.tracker.ping_interval.is_none() {
        tracing::info!("pings are off: tracker.ping_interval is \"off\"");
    }
    Tracker::new(&config.tracker, pinger.clone(), config.own_hosts(), pool.clone(), media.clone(), Clock::System)
}

/// Starts the listener that players join, if it is configured. It stops on drop.
async fn start_linking(config: &Config, app: &App) -> Result<Option<Verifier>, Failure> {
    let Some(address) = config.linking.listen else { return Ok(None) };
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

/// Counts SIGTERM and SIGINT.
fn stop_signal() -> Result<watch::Receiver<u32>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = watch::channel(0_u32);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            tracing::info!("stopping, draining connections");
            sender.send_modify(|signals| *signals = signals.saturating_add(1));
        }
    });
    Ok(receiver)
}

/// Completes when the service should close its listener: some time after the signal, so that a load balancer sees that it is not
/// ready and sends no more requests. A second signal ends the wait.
async fn leave_load_balancer(mut stop: watch::Receiver<u32>, app: &App, delay: Duration) {
    stopped(stop.clone()).await;
    app.announce_stop();
    let _ = tokio::time::timeout(delay, stop.wait_for(|signals| *signals > 1)).await;
}

/// SIGHUP reloads the certificate, and never ends the process.
fn reload_on_signal(tls: Option<Arc<http::Tls>>) -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match tls.as_ref().map(|tls| tls.reload()) {
                Some(Ok(())) => tracing::info!("reloaded the TLS certificate"),
                Some(Err(error)) => tracing::error!("{error}; keeping the previous certificate"),
                None => tracing::info!("SIGHUP ignored: no TLS certificate is configured"),
            }
        }
    });
    Ok(())
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

async fn stopped(mut stop: watch::Receiver<u32>) {
    let _ = stop.wait_for(|signals| *signals > 0).await;
}
