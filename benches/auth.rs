//! The cost of authentication and of many open connections, as ratios within one run: `cargo bench --bench auth`.
//!
//! 1. The hot list with API keys and quotas relative to the same responses without them, in alternating rounds.
//! 2. The p99 latency of a steady client with thousands of stalled connections relative to the same client without them.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod http_client;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::any;
use http_client::HttpClient;
use rollcall::app::App;
use rollcall::config::{Config, Flags};
use rollcall::server;
use rollcall::worker_pool::WorkerPool;
use rollcall::{http, v1};
use rollcall_demo::{GenerateProgress, PictureGenerator, WorldSize, generate_demo};
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_store::audit::Author;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::keys::{self, NewKey};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Connections, Database, Pool, migrate};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PATH: &str = "/v1/servers?sort=players";
const CONNECTIONS: usize = 32;
const ROUNDS: usize = 40;
const ROUND_LENGTH: Duration = Duration::from_millis(600);
const STALLED_CONNECTIONS: usize = 5_000;
const STALLED_ROUNDS: usize = 5;
/// The steady client sends one request at a time, far from saturation: it measures latency, not throughput.
const STEADY_REQUESTS: usize = 4_000;
const STEADY_PAUSE: Duration = Duration::from_millis(1);
const SEED: u64 = 1;

fn main() {
    let folder = tempfile::tempdir().expect("create a folder");
    let now = Clock::System.now();
    let database = Database::Sqlite(folder.path().join("rollcall.db"));
    let media = Media::in_folder(&folder.path().join("media")).expect("open the media folder");
    let mut conn = Conn::open(&database).expect("open the database");
    migrate(&mut conn).expect("migrate the schema");
    let builtin = BuiltinPictures::save(&media).expect("store the built-in skins");
    ensure_builtin(&mut conn, &builtin).expect("store the built-in skins");
    let pictures = PictureGenerator::minimal(media.clone());
    generate_demo(&mut conn, SEED, now, &WorldSize::tests(), &pictures, &GenerateProgress::hidden())
        .expect("generate the demo data");
    let secret = ApiKeySecret::generate();
    let limits = Limits { per_minute: u32::MAX, per_day: u32::MAX, per_month: u32::MAX };
    let key = NewKey { id: "bench", name: "bench", account: None, overrides: limits.into(), expires_at: None };
    keys::create(&mut conn, &key, &secret, &Author::command_line(now)).expect("create an API key");
    let pool = Pool::open(&database, Connections::default()).expect("open the database");
    let ledger = Pool::open_ledger(&database, Connections::default()).expect("open the quota ledger");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("build the runtime");
    runtime.block_on(async {
        let mut config = Config::load(&Flags::default()).expect("load the default settings");
        let max_connections = 4 * STALLED_CONNECTIONS;
        (config.http.max_connections, config.http.max_connections_per_address) = (max_connections, max_connections);
        let url = "http://127.0.0.1".to_owned();
        let openapi = v1::document_bytes(&url);
        let resolver = rollcall_minecraft::Resolver::dns(None).expect("a resolver");
        let pinger = std::sync::Arc::new(config.tracker.ping_client(resolver));
        let app =
            App::open(&config, (pool, ledger), media, Clock::System, url, openapi, pinger).await.expect("open the app");
        tokio::spawn(app.auth.ledger().run(std::future::pending()));
        let without_auth = Router::new().fallback(any(respond_without_key)).with_state(app.clone());
        let with_auth = Router::new().fallback(any(respond_with_key)).with_state(app);
        let [with_auth, without_auth] = [with_auth, without_auth]
            .map(|routes| server::Router::without_api(routes, &config.http, "http://127.0.0.1"));
        let [with_auth, without_auth] = [serve(with_auth, &config).await, serve(without_auth, &config).await];
        compare_throughput(with_auth, without_auth, secret.reveal()).await;
        let program = RollcallProcess::start(folder.path());
        compare_latency(program.address, secret.reveal()).await;
    });
}

/// The same responses behind the same middleware, without authentication.
async fn respond_without_key(State(app): State<Arc<App>>, request: Request) -> axum::response::Response {
    v1::respond_without_key(app, request).await
}

async fn respond_with_key(State(app): State<Arc<App>>, request: Request) -> axum::response::Response {
    let (head, _) = request.into_parts();
    v1::respond(&app, &Request::from_parts(head, ()), Ipv4Addr::LOCALHOST.into()).await
}

async fn serve(router: Arc<server::Router>, config: &Config) -> SocketAddr {
    let listener = http::listen("127.0.0.1:0".parse().expect("a valid address")).await.expect("bind a port");
    let (address, settings) = (listener.local_addr().expect("the listener is bound"), config.http.clone());
    let workers = WorkerPool::per_core("http").expect("start the worker threads");
    tokio::spawn(async move { http::serve(listener, workers, router, &settings, None, std::future::pending()).await });
    address
}

async fn compare_throughput(with_auth: SocketAddr, without_auth: SocketAddr, key: &str) {
    let (mut ratios, mut rates) = (Vec::new(), Vec::new());
    rate(with_auth, key).await;
    rate(without_auth, key).await;
    for round in 0..ROUNDS {
        // The first place alternates, so that drift of the machine favours neither.
        let (with, without) = if round % 2 == 0 {
            let with = rate(with_auth, key).await;
            (with, rate(without_auth, key).await)
        } else {
            let without = rate(without_auth, key).await;
            (rate(with_auth, key).await, without)
        };
        ratios.push(with / without);
        rates.push(with);
    }
    let (ratio, rate) = (spread(&mut ratios), spread(&mut rates));
    println!("hot list with keys and quotas / without: {ratio} over {ROUNDS} rounds (with: {rate} requests/s)");
}

fn list_request(key: &str) -> Vec<u8> {
    http_client::request(PATH, &format!("x-api-key: {key}\r\n"))
}

/// Requests per second in a closed loop.
async fn rate(address: SocketAddr, key: &str) -> f64 {
    let started = Instant::now();
    let clients = (0..CONNECTIONS).map(|_| {
        let request = list_request(key);
        tokio::spawn(async move {
            let mut client = HttpClient::connect(address).await;
            let mut responses = 0u64;
            while started.elapsed() < ROUND_LENGTH {
                client.get(&request).await;
                responses += 1;
            }
            responses
        })
    });
    let mut responses = 0;
    for client in clients.collect::<Vec<_>>() {
        responses += client.await.expect("every response is a 200");
    }
    responses as f64 / started.elapsed().as_secs_f64()
}

/// Rollcall in its own process.
struct RollcallProcess {
    child: std::process::Child,
    address: SocketAddr,
}

impl RollcallProcess {
    fn start(data: &Path) -> Self {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rollcall"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", (4 * STALLED_CONNECTIONS).to_string())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("start rollcall");
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        stdout.read_line(&mut line).expect("read the address");
        let address = line.trim_end().rsplit('/').next().and_then(|address| address.parse().ok());
        Self { child, address: address.expect("rollcall prints its address") }
    }
}

impl Drop for RollcallProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn compare_latency(address: SocketAddr, key: &str) {
    let (mut ratios, mut without, mut with) = (Vec::new(), Vec::new(), Vec::new());
    // The background work after a start takes some seconds.
    tokio::time::sleep(Duration::from_secs(5)).await;
    p99(address, key).await;
    for _ in 0..STALLED_ROUNDS {
        let p99_without = p99(address, key).await;
        let mut stalled = Vec::with_capacity(STALLED_CONNECTIONS);
        for _ in 0..STALLED_CONNECTIONS {
            let stream = TcpStream::connect(address).await;
            let mut stream = stream.expect("connect; needs more file descriptors: ulimit -n 20000");
            stream.write_all(b"GET /v1/servers HTTP/1.1\r\nhost:").await.expect("send an incomplete header");
            stalled.push(stream);
        }
        let p99_with = p99(address, key).await;
        drop(stalled);
        tokio::time::sleep(Duration::from_secs(1)).await;
        ratios.push(p99_with / p99_without);
        without.push(p99_without);
        with.push(p99_with);
    }
    let (ratio, without, with) = (spread(&mut ratios), spread(&mut without), spread(&mut with));
    println!("p99 with {STALLED_CONNECTIONS} stalled connections / without: {ratio} ({with} µs / {without} µs)");
}

/// p99 of the steady client in microseconds.
async fn p99(address: SocketAddr, key: &str) -> f64 {
    let (mut client, request) = (HttpClient::connect(address).await, list_request(key));
    let mut latencies = Vec::with_capacity(STEADY_REQUESTS);
    for _ in 0..STEADY_REQUESTS {
        let started = Instant::now();
        client.get(&request).await;
        latencies.push(started.elapsed().as_secs_f64() * 1e6);
        tokio::time::sleep(STEADY_PAUSE).await;
    }
    latencies.sort_by(f64::total_cmp);
    latencies[STEADY_REQUESTS * 99 / 100]
}

/// Median, minimum and maximum.
fn spread(values: &mut [f64]) -> String {
    values.sort_by(f64::total_cmp);
    let digits = if values[0] < 10.0 { 3 } else { 0 };
    let [min, median, max] = [values[0], values[values.len() / 2], values[values.len() - 1]];
    format!("{median:.digits$} [{min:.digits$} to {max:.digits$}]")
}
