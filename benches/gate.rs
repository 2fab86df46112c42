//! What the gate and a crowd at the door cost, as ratios of one run: `cargo bench --bench gate`.
//!
//! 1. The hot list with keys and limits on, against the same answers without them; rounds take turns.
//! 2. The p99 of a steady client of the real program with thousands of stalled connections, against the same client with
//!    none.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

#[path = "load/mod.rs"]
mod load;

use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::routing::any;
use load::Client;
use rollcall::app::App;
use rollcall::config::{Config, Flags};
use rollcall::server;
use rollcall::worker_pool::WorkerPool;
use rollcall::{http, v1};
use rollcall_demo::{Pictures, Progress, Scale, generate};
use rollcall_model::api_key::Secret;
use rollcall_model::clock::Clock;
use rollcall_model::quota::Limits;
use rollcall_store::audit::Author;
use rollcall_store::builtin_skins::{BuiltinPictures, ensure_builtin};
use rollcall_store::keys::{self, NewKey};
use rollcall_store::media::Media;
use rollcall_store::{Conn, Database, Pool, migrate};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PATH: &str = "/v1/servers?sort=players";
const CONNECTIONS: usize = 32;
const ROUNDS: usize = 40;
const ROUND: Duration = Duration::from_millis(600);
const STALLED: usize = 5_000;
/// One request at a time, far from saturation: what is measured is waiting, not throughput.
const STEADY: usize = 4_000;
const STEADY_PAUSE: Duration = Duration::from_millis(1);
const SEED: u64 = 1;

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let now = Clock::System.now();
    let database = Database::Sqlite(folder.path().join("rollcall.db"));
    let media = Media::in_folder(&folder.path().join("media")).expect("a folder for pictures");
    let mut conn = Conn::open(&database).expect("a store");
    migrate(&mut conn).expect("the schema");
    ensure_builtin(&mut conn, &BuiltinPictures::keep(&media).expect("two skins")).expect("two skins");
    let pictures = Pictures::plain(media.clone());
    generate(&mut conn, SEED, now, &Scale::tests(), &pictures, &Progress::hidden()).expect("a world");
    let secret = Secret::generate();
    let limits = Limits { per_minute: u32::MAX, per_day: u32::MAX, per_month: u32::MAX };
    let key = NewKey { id: "bench", name: "bench", account: None, overrides: limits.into(), expires_at: None };
    keys::create(&mut conn, &key, &secret, &Author::command_line(now)).expect("a key");
    let (pool, ledger) = (Pool::open(&database).expect("a store"), Pool::open_ledger(&database).expect("a ledger"));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut config = Config::load(&Flags::default()).expect("the defaults");
        (config.http.max_connections, config.http.max_connections_per_address) = (4 * STALLED, 4 * STALLED);
        let url = "http://127.0.0.1".to_owned();
        let openapi = v1::document_bytes(&url);
        let app = App::open(&config, pool, ledger, media, Clock::System, url, openapi).await.expect("a service");
        tokio::spawn(app.gate.ledger().keep(std::future::pending()));
        let open = Router::new().fallback(any(without_key)).with_state(app.clone());
        let gated = Router::new().fallback(any(with_key)).with_state(app);
        let [gated, open] = [gated, open].map(|routes| server::Router::bounded(routes, &config.http, false));
        let [gated, open] = [serve(gated, &config).await, serve(open, &config).await];
        throughput(gated, open, secret.reveal()).await;
        let program = Program::start(folder.path());
        stalled(program.address, secret.reveal()).await;
    });
}

/// The same answers behind the same middleware, with nobody asked for a key.
async fn without_key(State(app): State<Arc<App>>, request: Request) -> axum::response::Response {
    v1::respond_without_key(app, request).await
}

async fn with_key(State(app): State<Arc<App>>, request: Request) -> axum::response::Response {
    let (head, _) = request.into_parts();
    v1::respond(&app, &Request::from_parts(head, ()), Ipv4Addr::LOCALHOST.into()).await
}

async fn serve(router: Arc<server::Router>, config: &Config) -> SocketAddr {
    let listener = http::listen("127.0.0.1:0".parse().expect("an address")).await.expect("a port");
    let (address, settings) = (listener.local_addr().expect("bound"), config.http.clone());
    let workers = WorkerPool::per_core("http").expect("threads");
    tokio::spawn(async move { http::serve(listener, workers, router, &settings, None, std::future::pending()).await });
    address
}

async fn throughput(gated: SocketAddr, open: SocketAddr, key: &str) {
    let (mut ratios, mut rates) = (Vec::new(), Vec::new());
    rate(gated, key).await;
    rate(open, key).await;
    for round in 0..ROUNDS {
        // Who goes first takes turns, so that a drift of the machine favours nobody.
        let (with, without) = if round % 2 == 0 {
            let with = rate(gated, key).await;
            (with, rate(open, key).await)
        } else {
            let without = rate(open, key).await;
            (rate(gated, key).await, without)
        };
        ratios.push(with / without);
        rates.push(with);
    }
    let (ratio, rate) = (spread(&mut ratios), spread(&mut rates));
    println!("hot list with keys and limits / without: {ratio} over {ROUNDS} rounds (with: {rate} requests/s)");
}

fn asked(key: &str) -> Vec<u8> {
    load::request(PATH, &format!("x-api-key: {key}\r\n"))
}

async fn rate(address: SocketAddr, key: &str) -> f64 {
    let started = Instant::now();
    let clients = (0..CONNECTIONS).map(|_| {
        let request = asked(key);
        tokio::spawn(async move {
            let mut client = Client::connect(address).await;
            let mut answered = 0u64;
            while started.elapsed() < ROUND {
                client.ask(&request).await;
                answered += 1;
            }
            answered
        })
    });
    let mut answered = 0;
    for client in clients.collect::<Vec<_>>() {
        answered += client.await.expect("a client ends well");
    }
    answered as f64 / started.elapsed().as_secs_f64()
}

/// The program itself, in a process of its own.
struct Program {
    child: std::process::Child,
    address: SocketAddr,
}

impl Program {
    fn start(data: &Path) -> Self {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_rollcall"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(data)
            .env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", (4 * STALLED).to_string())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("piped"));
        out.read_line(&mut line).expect("it says where it listens");
        let address = line.trim_end().rsplit('/').next().and_then(|address| address.parse().ok());
        Self { child, address: address.expect("it says where it listens") }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn stalled(address: SocketAddr, key: &str) {
    let (mut ratios, mut alone, mut crowded) = (Vec::new(), Vec::new(), Vec::new());
    // The program has things to do after its start.
    tokio::time::sleep(Duration::from_secs(5)).await;
    p99(address, key).await;
    for _ in 0..5 {
        let calm = p99(address, key).await;
        let mut crowd = Vec::with_capacity(STALLED);
        for _ in 0..STALLED {
            let mut stream = TcpStream::connect(address).await.expect("more file descriptors: ulimit -n 20000");
            stream.write_all(b"GET /v1/servers HTTP/1.1\r\nhost:").await.expect("half a head is read");
            crowd.push(stream);
        }
        let among = p99(address, key).await;
        drop(crowd);
        tokio::time::sleep(Duration::from_secs(1)).await;
        ratios.push(among / calm);
        alone.push(calm);
        crowded.push(among);
    }
    let (ratio, alone, crowded) = (spread(&mut ratios), spread(&mut alone), spread(&mut crowded));
    println!("p99 among {STALLED} stalled connections / alone: {ratio} ({crowded} µs / {alone} µs)");
}

async fn p99(address: SocketAddr, key: &str) -> f64 {
    let (mut client, request) = (Client::connect(address).await, asked(key));
    let mut took = Vec::with_capacity(STEADY);
    for _ in 0..STEADY {
        let started = Instant::now();
        client.ask(&request).await;
        took.push(started.elapsed().as_secs_f64() * 1e6);
        tokio::time::sleep(STEADY_PAUSE).await;
    }
    took.sort_by(f64::total_cmp);
    took[STEADY * 99 / 100]
}

/// Median, least and most.
fn spread(figures: &mut [f64]) -> String {
    figures.sort_by(f64::total_cmp);
    let digits = if figures[0] < 10.0 { 3 } else { 0 };
    let [least, median, most] = [figures[0], figures[figures.len() / 2], figures[figures.len() - 1]];
    format!("{median:.digits$} [{least:.digits$} to {most:.digits$}]")
}
