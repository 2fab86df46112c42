//! Latency while the servers of a network ten times as large change: another process writes 17,000 results of polls per second, and
//! Rollcall applies them to its catalogue.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use rollcall_model::clock::Clock;
use rollcall_store::servers::{self, ServerStatusUpdate};
use rollcall_store::{Conn, Database, revision};

use crate::background_load::StoreCopy;
use crate::half_load_latency::{self, RoundLatency};
use crate::http_client::{HttpClient, request};
use crate::options::BenchOptions;
use crate::services::{ServiceKind, ServiceProcess};
use crate::testbed::{CacheState, Testbed};
use crate::workloads::{FILTERS, HOT_LIST, WORKLOADS};

/// A million servers a minute.
const CHANGES_PER_SECOND: usize = 17_000;
/// Pause between two transactions.
const PAUSE: Duration = Duration::from_millis(100);
/// The writer, the load generator and the service share the cores of this machine.
const REQUESTS_PER_SECOND: f64 = 2_000.0;
const ROUND: Duration = Duration::from_secs(1);
const ROUNDS: usize = 7;

pub struct ChangeLoadResult {
    pub changes_per_second: f64,
    /// From the last change to the response that shows it, in seconds.
    pub lag: f64,
    pub latencies: Vec<ChangeLatency>,
}

/// Milliseconds, without and with the changes.
pub struct ChangeLatency {
    pub workload: &'static str,
    pub cache: CacheState,
    pub alone_p99: f64,
    pub p99: f64,
    pub ceiling_p99: f64,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Result<Option<ChangeLoadResult>, String> {
    if !options.includes_workload("changes") {
        return Ok(None);
    }
    let copy = StoreCopy::new(testbed, "changes")?;
    let service = ServiceProcess::rollcall(ServiceKind::Sqlite, &copy.0, &testbed.values.accounts, None, &[])?;
    service.wait_until_settled();
    let workloads = [(HOT_LIST, CacheState::Hot), (FILTERS, CacheState::Cold)];
    let alone = measure(testbed, &service, &workloads).await;
    let writer = ChangeWriter::start(copy.0.database());
    let with = measure(testbed, &service, &workloads).await;
    let (changes_per_second, last) = writer.stop();
    let lag = lag(&service, &last).await;
    let p99 = |rounds: &[RoundLatency]| half_load_latency::median(rounds, |round| round.p99);
    let latency = |(((workload, cache), alone), with): ((_, &Vec<RoundLatency>), &Vec<RoundLatency>)| ChangeLatency {
        workload,
        cache,
        alone_p99: p99(alone),
        p99: p99(with),
        ceiling_p99: half_load_latency::median(with, |round| round.ceiling_p99),
    };
    let latencies = workloads.into_iter().zip(&alone).zip(&with).map(latency).collect();
    Ok(Some(ChangeLoadResult { changes_per_second, lag, latencies }))
}

async fn measure(
    testbed: &Testbed,
    service: &ServiceProcess,
    workloads: &[(&'static str, CacheState)],
) -> Vec<Vec<RoundLatency>> {
    let mut rounds = Vec::new();
    for &(name, cache) in workloads {
        let workload = WORKLOADS.iter().find(|workload| workload.name == name).expect("known workload");
        let stream = testbed.requests(workload, cache, service).expect("Rollcall takes part in every workload");
        rounds.push(half_load_latency::measure(testbed, service, &stream, REQUESTS_PER_SECOND, ROUND, ROUNDS).await);
    }
    rounds
}

/// A server as it was written last.
struct LastChange {
    slug: String,
    players: i64,
    at: Instant,
}

/// Seconds from the last change until the service shows it.
async fn lag(service: &ServiceProcess, last: &LastChange) -> f64 {
    let mut client = HttpClient::connect(service.address).await;
    let request = request(&format!("/v1/servers/batch?slugs={}", last.slug), &service.headers);
    let shown = format!("\"currentPlayers\":{},", last.players);
    while !String::from_utf8_lossy(client.get(&request).await).contains(&shown) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    last.at.elapsed().as_secs_f64()
}

/// Writes results of polls like trackers on other machines.
struct ChangeWriter {
    stop: Sender<()>,
    thread: std::thread::JoinHandle<(f64, LastChange)>,
}

impl ChangeWriter {
    fn start(database: Database) -> Self {
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut conn = Conn::open_existing(&database).expect("the store opens");
            let sql = "select n, slug from servers where visibility = 'PUBLIC' order by n";
            let servers = conn.query(sql, &[], |row| (row.get::<i64>(0), row.get::<String>(1)));
            let servers = servers.expect("the servers can be read");
            let (began, mut written) = (Instant::now(), 0_usize);
            loop {
                let due = (began.elapsed().as_secs_f64() * CHANGES_PER_SECOND as f64) as usize;
                let changes: Vec<(usize, i64)> =
                    (written..due).map(|i| (i % servers.len(), (i / servers.len() + i % 50) as i64 + 1)).collect();
                conn.transaction(|conn| {
                    let rev = revision::bump(conn)?;
                    let updates: Vec<ServerStatusUpdate> =
                        changes.iter().map(|(i, players)| update(servers[*i].0, *players)).collect();
                    servers::update_status(conn, &updates, rev)
                })
                .expect("changes can be written");
                written = due;
                if stopped.recv_timeout(PAUSE) != Err(RecvTimeoutError::Timeout) {
                    let (i, players) = *changes.last().expect("changes are due after each pause");
                    let rate = written as f64 / began.elapsed().as_secs_f64();
                    return (rate, LastChange { slug: servers[i].1.clone(), players, at: Instant::now() });
                }
            }
        });
        Self { stop, thread }
    }

    /// The changes per second, and the last one.
    fn stop(self) -> (f64, LastChange) {
        drop(self.stop);
        self.thread.join().expect("the writer thread does not panic")
    }
}

fn update(n: i64, players: i64) -> ServerStatusUpdate {
    ServerStatusUpdate {
        n,
        is_online: true,
        players,
        last_ping: Clock::System.now(),
        latency: Some(20 + players % 60),
        ..ServerStatusUpdate::default()
    }
}
