use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use tokio::net::TcpListener;
use tokio::sync::{oneshot, watch};

use super::output::{say, start_logging};
use super::{Failure, StoreArgs, load, store};
use crate::app::App;
use crate::config::{Config, Flags};
use crate::http;
use crate::server;
use crate::tracker::Tracker;
use crate::worker_pool::WorkerPool;
use rollcall_demo::fake_servers::World;
use rollcall_model::clock::Clock;
use rollcall_ping::Names;
use rollcall_store::Pool;
use rollcall_store::media::Media;

/// What is open beside connections: the store, pictures being read, the log.
const OTHER_FILES: usize = 256;

#[derive(Args)]
pub struct ServeArgs {
    /// Address and port to listen on [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// What clients see in front of every picture's address [default: the address listened on]
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// How often each game server is asked: 60s, 5m; off: nobody is [default: 60s]
    #[arg(long, value_name = "TIME")]
    ping_interval: Option<String>,
    /// Ask game servers in private networks and on this machine, too
    #[arg(long)]
    allow_private_addresses: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// How long limits and usage may take to be written when the service stops.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub fn run(args: ServeArgs) -> Result<(), Failure> {
    let flags = Flags {
        listen: args.listen,
        public_url: args.public_url,
        ping_interval: args.ping_interval,
        allow_private_addresses: args.allow_private_addresses,
        ..args.store.flags()
    };
    let config = load(&flags)?;
    let _log = start_logging(&config)?;
    // Migrates and creates the built-in skins before anyone is served.
    drop(store::open(&config)?);
    serve(&config, None, |url| say(&format!("Listening on {url}")))
}

/// Game servers of our own: where they are, and what keeps them there.
pub type OpenWorld<'a> = &'a dyn Fn() -> Result<(Names, World), Failure>;

/// Serves until a signal. With a `world` only its game servers are asked. `announce` runs when the port is open and the
/// catalogue loaded, and gets where that is.
pub fn serve(
    config: &Config,
    world: Option<OpenWorld>,
    announce: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let tls = http::Tls::load(&config.tls).map_err(Failure::Failed)?.map(Arc::new);
    raise_open_files(config.http.max_connections + config.tracker.max_asks);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let workers = WorkerPool::per_core("http")?;
    // The store connects with a runtime of its own, which must not start inside ours.
    let (pool, ledger) = store::open_pools(config)?;
    let outcome = runtime.block_on(async {
        let listener = listen(config.listen).await?;
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr()?);
        let public_url = if config.public_url.is_empty() { url.clone() } else { config.public_url.clone() };
        let secure = tls.is_some() || public_url.starts_with("https://");
        let media = Media::in_folder(&config.data.join("media"))?;
        let stop = stop_signal()?;
        reload_on_signal(tls.clone())?;
        if let Some(metrics) = config.metrics.listen {
            let listener = listen(metrics).await?;
            tracing::info!("metrics on http://{}/metrics", listener.local_addr()?);
            server::serve_metrics(listener, config.http.clone(), stopped(stop.clone()))?;
        }
        let (names, _world) = world.map(|open| open()).transpose()?.unzip();
        let tracker = tracker(config, names, &pool, &media)?;
        let openapi = crate::v1::document_bytes(&public_url);
        let app = App::open(config, pool, ledger, media, Clock::System, public_url, openapi).await?;
        app.keep_current()?;
        let tracking = tracker.map(|tracker| tokio::spawn(tracker.run(stopped(stop.clone()))));
        tokio::spawn(Arc::clone(&app).keep_figures());
        let (served, all_served) = oneshot::channel::<()>();
        let ledger = tokio::spawn(app.gate.ledger().keep(async {
            let _ = all_served.await;
        }));
        announce(&url)?;
        tracing::info!(url, "serving");
        let router = server::Router::new(app, &config.http, secure);
        http::serve(listener, workers, router, &config.http, tls, stopped(stop)).await;
        drop(served);
        if let Some(tracking) = tracking {
            let _ = tokio::time::timeout(LAST_WORDS, tracking).await;
        }
        if tokio::time::timeout(LAST_WORDS, ledger).await.is_err() {
            tracing::warn!("limits and usage could not be written to the last; keys may lose a few requests");
        }
        tracing::info!("stopped");
        Ok(())
    });
    // A disk that does not answer must not hold up the end.
    runtime.shutdown_background();
    outcome
}

fn tracker(config: &Config, names: Option<Names>, pool: &Pool, media: &Media) -> Result<Option<Arc<Tracker>>, Failure> {
    let settings = &config.tracker;
    if settings.ping_interval.is_none() {
        tracing::info!("no game servers are asked: tracker.ping_interval is off");
        return Ok(None);
    }
    let names = names.map_or_else(|| Names::dns(settings.name_server), Ok).map_err(Failure::Failed)?;
    Ok(Tracker::new(settings, names, pool.clone(), media.clone(), Clock::System))
}

async fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    http::listen(address).await.map_err(|error| cannot_listen(address, &error))
}

pub fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    Failure::Failed(format!("cannot listen on {address}: {error}"))
}

/// Turns true when the process is asked to stop.
fn stop_signal() -> Result<watch::Receiver<bool>, Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let (sender, receiver) = watch::channel(false);
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("stopping: running requests may finish");
        let _ = sender.send(true);
    });
    Ok(receiver)
}

/// SIGHUP reads the certificate anew, and never ends the process.
fn reload_on_signal(tls: Option<Arc<http::Tls>>) -> Result<(), Failure> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::spawn(async move {
        while hangup.recv().await.is_some() {
            match tls.as_ref().map(|tls| tls.reload()) {
                Some(Ok(())) => tracing::info!("the certificate was read anew"),
                Some(Err(error)) => tracing::error!("{error}; the certificate from before stays"),
                None => tracing::info!("there is nothing to read anew: no certificate is set"),
            }
        }
    });
    Ok(())
}

/// Every connection is an open file, and the usual limit of a process is far below what the system allows it.
fn raise_open_files(connections: usize) {
    match rlimit::increase_nofile_limit(u64::MAX) {
        Ok(limit) if limit < (connections + OTHER_FILES) as u64 => {
            tracing::warn!(
                limit,
                "too few files may be open at once for http.max_connections; raise the limit (ulimit -n)"
            );
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit on open files cannot be raised"),
    }
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}
