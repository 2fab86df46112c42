//! Throughput while the tracker writes: this process persists 1,667 polls per second in a copy of the store, as the tracker does,
//! and Rollcall serves that copy.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rollcall::tracker::{CompletedPoll, PollOutcome, PollSchedule, ReportedInfo, SanitizedStatus, persist_batch};
use rollcall_model::clock::Clock;
use rollcall_store::{Conn, tracking};

use crate::background_load::{self, StoreCopy, WorkloadShare};
use crate::data::BenchStore;
use crate::options::BenchOptions;
use crate::services::{ServiceKind, ServiceProcess};
use crate::testbed::{CacheState, Testbed};
use crate::workloads::{COUNTRIES, FILTERS, HOT_LIST, LIVE, PLAYER_ID, REVIEWS, SEARCHES, SKIN, VOTERS};

/// 100,000 servers a minute.
const SAMPLES_PER_SECOND: f64 = 1_667.0;
/// Milliseconds between two polls of a server.
const INTERVAL: i64 = 60_000;
const TICK: Duration = Duration::from_millis(250);
const MEASURED: [(&str, CacheState); 9] = [
    (HOT_LIST, CacheState::Hot),
    (LIVE, CacheState::Hot),
    (COUNTRIES, CacheState::Hot),
    (FILTERS, CacheState::Cold),
    (PLAYER_ID, CacheState::Cold),
    (SKIN, CacheState::Cold),
    (VOTERS, CacheState::Cold),
    (REVIEWS, CacheState::Cold),
    (SEARCHES[1], CacheState::Cold),
];

pub struct TrackerLoadResult {
    /// Samples written per second.
    pub samples_per_second: f64,
    pub workloads: Vec<WorkloadShare>,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Result<Option<TrackerLoadResult>, String> {
    if !options.includes_workload("tracking") {
        return Ok(None);
    }
    let copy = StoreCopy::new(testbed, "tracked")?;
    let writer = SampleWriter::start(&copy.0)?;
    let service = ServiceProcess::rollcall(ServiceKind::Sqlite, &copy.0, &testbed.values.accounts, None, &[])?;
    let load = ("throughput while the tracker writes", |on| writer.switch(on));
    let workloads = background_load::measure(testbed, options, &service, &MEASURED, load).await;
    Ok(Some(TrackerLoadResult { samples_per_second: writer.stop(), workloads }))
}

/// A thread that persists polls while it is switched on.
struct SampleWriter {
    on: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
    samples: Arc<AtomicU64>,
    write_ms: Arc<AtomicU64>,
    thread: std::thread::JoinHandle<Result<(), rollcall_store::Error>>,
}

impl SampleWriter {
    fn start(store: &BenchStore) -> Result<Self, String> {
        let [on, stopped]: [Arc<AtomicBool>; 2] = Default::default();
        let [samples, write_ms]: [Arc<AtomicU64>; 2] = Default::default();
        let mut conn = Conn::open_existing(&store.database()).map_err(|error| error.to_string())?;
        let servers = reported_info(&mut conn).map_err(|error| error.to_string())?;
        let now = Clock::System.now();
        let schedule = PollSchedule::new(INTERVAL, servers.len() as i64);
        // All servers are due at once; the size of each batch bounds the write rate.
        let started = conn.transaction(|conn| {
            conn.execute("update servers set is_tracked = true", &[])?;
            tracking::start_tracking(conn, -1, |_, _| now - INTERVAL)
        });
        started.map_err(|error| error.to_string())?;
        let thread = std::thread::spawn({
            let (on, stopped, samples, write_ms) = (on.clone(), stopped.clone(), samples.clone(), write_ms.clone());
            move || {
                let (mut pending, mut last) = (0.0, Instant::now());
                while !stopped.load(Ordering::Relaxed) {
                    #[expect(clippy::disallowed_methods, reason = "paces a blocking writer thread")]
                    std::thread::sleep(TICK);
                    let elapsed = last.elapsed();
                    last = Instant::now();
                    if !on.load(Ordering::Relaxed) {
                        pending = 0.0;
                        continue;
                    }
                    pending += SAMPLES_PER_SECOND * elapsed.as_secs_f64();
                    let count = write_batch(&mut conn, schedule, &servers, pending as i64)?;
                    pending -= count as f64;
                    samples.fetch_add(count as u64, Ordering::Relaxed);
                    write_ms.fetch_add(elapsed.as_millis() as u64, Ordering::Relaxed);
                }
                Ok(())
            }
        });
        Ok(Self { on, stopped, samples, write_ms, thread })
    }

    /// Returns whether that is a change.
    fn switch(&self, on: bool) -> bool {
        self.on.swap(on, Ordering::Relaxed) != on
    }

    /// Ends the thread. Returns the samples written per second.
    fn stop(self) -> f64 {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.join().expect("the writer thread does not panic").expect("the writes succeed");
        self.samples.load(Ordering::Relaxed) as f64 * 1e3 / self.write_ms.load(Ordering::Relaxed).max(1) as f64
    }
}

/// Version, protocol, MOTD, player limit and players of each server, so that a poll changes only players and latency.
type ReportedByServer = HashMap<i64, (String, i64, String, i64, i64)>;

fn reported_info(conn: &mut Conn) -> rollcall_store::Result<ReportedByServer> {
    let sql = "select n, version, protocol, motd_raw, max_players, current_players from servers";
    let rows =
        conn.query(sql, &[], |row| (row.get(0), (row.get(1), row.get(2), row.get(3), row.get(4), row.get(5))))?;
    Ok(rows.into_iter().collect())
}

/// Claims the next polls and persists them, in one transaction each, as the tracker does.
fn write_batch(
    conn: &mut Conn,
    schedule: PollSchedule,
    servers: &ReportedByServer,
    limit: i64,
) -> rollcall_store::Result<usize> {
    let now = Clock::System.now();
    let next = |n: i64, failing_since: Option<i64>| schedule.next_due(n, now, schedule.pause(failing_since, now));
    let due = conn.transaction(|conn| tracking::claim(conn, now, limit, next))?;
    let batch: Vec<CompletedPoll> = due
        .into_iter()
        .map(|due| {
            let n = due.server_n;
            let (version, protocol, motd_raw, max_players, players) = servers.get(&n).cloned().unwrap_or_default();
            let players = players + (n * 7 + now / 1_000) % 5;
            let status = SanitizedStatus { players, max_players, ..SanitizedStatus::default() };
            let outcome = PollOutcome::Replied { status, latency_ms: 20 + (n + now / 1_000) % 60 };
            let info = ReportedInfo { version, protocol, motd_raw, ..ReportedInfo::default() };
            CompletedPoll { claim: due, at: now, outcome, info, new_player_limit: 0 }
        })
        .collect();
    conn.transaction(|conn| persist_batch(conn, &batch, schedule, true))?;
    Ok(batch.len())
}
