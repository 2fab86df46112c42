//! Many event streams on one service: the memory that they take, and the latency of the API beside them.

use std::net::SocketAddr;
use std::time::Duration;

use rollcall_model::clock::Clock;
use rollcall_model::event::{EventFacts, EventKind};
use rollcall_store::events::{self, NewEvent};
use rollcall_store::{Conn, Database, values};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::background_load::StoreCopy;
use crate::half_load_latency::{self, RoundLatency};
use crate::http_client::request;
use crate::load_generator::{CONNECTIONS, RequestStream};
use crate::options::BenchOptions;
use crate::progress::steps;
use crate::services::{ServiceKind, ServiceProcess};
use crate::testbed::{CacheState, Testbed, run_round};
use crate::workloads::{HOT_LIST, WORKLOADS};

const STREAMS: usize = 10_000;
/// Each stream follows one server, as a site or bot does.
const EVENTS_PER_SECOND: u64 = 50;
/// The first servers, by number, take turns.
const EVENT_SERVERS: usize = 1_000;
/// More than the streams and the load generator need.
const MAX_CONNECTIONS: &str = "20000";
const ROUND: Duration = Duration::from_millis(400);
const ROUNDS: usize = 7;

pub struct StreamLoadResult {
    pub streams: usize,
    /// Bytes of memory that the streams add.
    pub memory: u64,
    /// Requests per second while latency is measured.
    pub rate: f64,
    /// Of the hot list without and with the streams, and of the ceiling, in milliseconds.
    pub alone_p99: f64,
    pub p99: f64,
    pub ceiling_p99: f64,
    /// Read by the streams in all.
    pub events_received: u64,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Result<Option<StreamLoadResult>, String> {
    if !options.includes_workload("streams") {
        return Ok(None);
    }
    let limit = rlimit::increase_nofile_limit(u64::MAX).unwrap_or(0);
    if limit < STREAMS as u64 + 1_000 {
        return Err(format!("{STREAMS} streams need more open files than {limit}: raise the limit with ulimit -n"));
    }
    let copy = StoreCopy::new(testbed, "streams")?;
    let settings = [
        ("ROLLCALL_HTTP_MAX_CONNECTIONS", MAX_CONNECTIONS),
        ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", MAX_CONNECTIONS),
        ("ROLLCALL_EVENTS_STREAMS_PER_KEY", MAX_CONNECTIONS),
        ("ROLLCALL_EVENTS_MAX_STREAMS", MAX_CONNECTIONS),
    ];
    let service = ServiceProcess::rollcall(ServiceKind::Sqlite, &copy.0, &testbed.values.accounts, None, &settings)?;
    service.wait_until_settled();
    let workload = WORKLOADS.iter().find(|workload| workload.name == HOT_LIST).expect("known workload");
    let list = testbed.requests(workload, CacheState::Hot, &service).expect("Rollcall takes part in every workload");
    let rate = run_round(&service, &list, Duration::from_secs(1), CONNECTIONS).await.rate / 2.0;
    let writer = EventWriter::start(copy.0.database());
    let alone = measure(testbed, &service, &list, rate).await;
    let before = service.memory().resident;

    let slugs = &testbed.values.slugs;
    let bar = steps(STREAMS, "opening event streams");
    let mut streams = JoinSet::new();
    for number in 0..STREAMS {
        // Servers that the events are about.
        let target = format!("/v1/events/stream?server={}", slugs[number % EVENT_SERVERS.min(slugs.len())]);
        let stream = open(service.address, &request(&target, &service.headers)).await;
        streams.spawn(count_events(stream));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let with = measure(testbed, &service, &list, rate).await;
    let memory = service.memory().resident.saturating_sub(before);
    writer.stop();
    drop(service);
    let events_received = streams.join_all().await.into_iter().sum();
    let p99 = |rounds: &[RoundLatency]| half_load_latency::median(rounds, |round| round.p99);
    Ok(Some(StreamLoadResult {
        streams: STREAMS,
        memory,
        rate,
        alone_p99: p99(&alone),
        p99: p99(&with),
        ceiling_p99: half_load_latency::median(&with, |round| round.ceiling_p99),
        events_received,
    }))
}

async fn measure(testbed: &Testbed, service: &ServiceProcess, list: &RequestStream, rate: f64) -> Vec<RoundLatency> {
    half_load_latency::measure(testbed, service, list, rate, ROUND, ROUNDS).await
}

/// A stream whose response has begun.
async fn open(address: SocketAddr, request: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.expect("connect to the server");
    stream.write_all(request).await.expect("send the request");
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).await.expect("read the response");
    assert_eq!(&begin, b"HTTP/1.1 200", "the stream opens");
    stream
}

/// Reads until the service ends the stream. Counts lines that begin with `event:`, except those cut by the buffer.
async fn count_events(mut stream: TcpStream) -> u64 {
    let (mut buffer, mut count) = ([0; 2_048], 0);
    while let Ok(read @ 1..) = stream.read(&mut buffer).await {
        count += memchr::memmem::find_iter(&buffer[..read], b"\nevent: server.").count() as u64;
    }
    count
}

/// Writes events like a tracker on another node.
struct EventWriter {
    stop: std::sync::mpsc::Sender<()>,
    thread: std::thread::JoinHandle<()>,
}

impl EventWriter {
    fn start(database: Database) -> Self {
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut conn = Conn::open_existing(&database).expect("the store opens");
            let sql = "select n from servers where visibility = 'PUBLIC' order by n limit $1";
            let servers = conn.query(sql, values![EVENT_SERVERS as i64], |row| row.get::<i64>(0));
            let servers = servers.expect("the servers can be read");
            let pause = Duration::from_millis(1_000 / EVENTS_PER_SECOND);
            for server in servers.iter().cycle() {
                if stopped.recv_timeout(pause) != Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    return;
                }
                let mut event = NewEvent::of_server(EventKind::ServerPeak, Clock::System.now(), *server);
                event.facts = EventFacts { players: Some(40), previous_players: Some(39), ..event.facts };
                conn.transaction(|conn| events::write(conn, &[event])).expect("an event can be written");
            }
        });
        Self { stop, thread }
    }

    fn stop(self) {
        drop(self.stop);
        let _ = self.thread.join();
    }
}
