//! A thread of the pool: one connection, opened when first used and again after it was lost.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, Sender, TryRecvError, bounded};

use super::job::Job;
use super::replica::Replicas;
use super::{LaneStats, MAX_QUEUED_JOBS};
use crate::{Conn, Database, Result};

/// Threads that serve one queue.
pub struct Group {
    database: Database,
    is_writer: bool,
    /// They are told what was written.
    replicas: Option<Arc<Replicas>>,
    log: Arc<OutageLog>,
    /// Threads with a connection.
    connected: AtomicUsize,
}

impl Group {
    pub fn reading(database: &Database, log: &Arc<OutageLog>) -> Self {
        let (database, log) = (database.clone(), log.clone());
        Self { database, is_writer: false, replicas: None, log, connected: AtomicUsize::new(0) }
    }

    pub fn writing(database: &Database, log: &Arc<OutageLog>, replicas: Option<Arc<Replicas>>) -> Self {
        Self { is_writer: true, replicas, ..Self::reading(database, log) }
    }

    /// Starts the threads and returns their queue. One connection is opened at once: an error shows at the start, and a group
    /// has at least that one if PostgreSQL allows fewer than all groups want.
    pub fn start(self, role: &str, count: usize, stats: &Arc<LaneStats>) -> Result<Sender<Box<dyn Job>>> {
        let (sender, receiver) = bounded(MAX_QUEUED_JOBS);
        let group = Arc::new(self);
        for i in 0..count {
            let (group, receiver, stats) = (group.clone(), receiver.clone(), stats.clone());
            let mut worker = Worker { group, receiver, stats, connection: None, failed_at: None };
            if i == 0 {
                let conn = worker.open()?;
                worker.set_connected(conn);
            }
            std::thread::Builder::new()
                .name(format!("store-{role}-{i}"))
                .spawn(move || worker.serve())
                .expect("the system can start a thread");
        }
        Ok(sender)
    }
}

/// Pause after a failed connect; jobs in between fail at once.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// Pause after a failed connect while other threads of the group are connected and do the work.
const SPARE_RECONNECT_DELAY: Duration = Duration::from_secs(5);
/// A connection is checked before use if the last check is older than this: the server may have restarted, or the file may have
/// been moved.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

struct Worker {
    group: Arc<Group>,
    receiver: Receiver<Box<dyn Job>>,
    stats: Arc<LaneStats>,
    /// With the time of the last check.
    connection: Option<(Conn, Instant)>,
    failed_at: Option<Instant>,
}

impl Worker {
    fn serve(mut self) {
        while let Some(job) = self.next_job() {
            // A request that timed out must not take effect later.
            if job.is_wanted() {
                self.check();
                self.process(job);
            }
            // Lets an async worker on this core send its response first; a busy reader would keep the core for milliseconds.
            std::thread::yield_now();
        }
    }

    /// Runs a job and answers its caller. A connection that the server closed is often replaced at once, for example after a
    /// failover.
    fn process(&mut self, mut job: Box<dyn Job>) {
        let stats = self.stats.clone();
        let _running = stats.start(job.queued_at());
        if self.run(job.as_mut()).is_some_and(|is_broken| is_broken && job.is_repeatable() && job.is_wanted()) {
            self.disconnect();
            self.connect();
            self.run(job.as_mut());
        }
        self.report_commit();
        job.answer();
        if let Some(error) = self.connection.as_ref().and_then(|(conn, _)| conn.stall()) {
            self.group.log.record("a connection to the store is closed", &error);
            self.disconnect();
        }
    }

    /// Before the caller knows that it has written: its next read must see that.
    fn report_commit(&mut self) {
        if let (Some(replicas), Some((conn, _))) = (&self.group.replicas, &mut self.connection)
            && let Some(position) = conn.take_commit()
        {
            replicas.add_written(position);
        }
    }

    /// Returns whether the connection broke meanwhile. `None` without a connection, or if the job panicked.
    fn run(&mut self, job: &mut dyn Job) -> Option<bool> {
        let (conn, _) = self.connection.as_mut()?;
        conn.prepare_for_job(job.patience());
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(conn))).is_err() {
            tracing::error!("a store job panicked; its connection is reopened");
            self.disconnect();
            return None;
        }
        Some(conn.broke_in_job())
    }

    /// The next job, with a connection if there can be one. PostgreSQL may allow fewer connections than this process wants: a
    /// thread without one takes no job while others have one. `None`: the pool is closed.
    fn next_job(&mut self) -> Option<Box<dyn Job>> {
        while self.connection.is_none() {
            let mut work = Select::new();
            work.recv(&self.receiver);
            work.ready();
            if self.receiver.is_empty() {
                match self.receiver.try_recv() {
                    Err(TryRecvError::Disconnected) => return None,
                    // Another thread was faster.
                    Err(TryRecvError::Empty) => continue,
                    // It has arrived just now.
                    Ok(job) => {
                        self.connect();
                        return Some(job);
                    }
                }
            }
            self.connect();
            if self.connection.is_some() {
                break;
            }
            if self.group.connected.load(Ordering::Relaxed) > 0 {
                #[expect(clippy::disallowed_methods, reason = "this thread has nothing else to do")]
                std::thread::sleep(SPARE_RECONNECT_DELAY);
                continue;
            }
            // Nobody has a connection, so the job fails.
            if let Ok(job) = self.receiver.try_recv() {
                return Some(job);
            }
        }
        self.receiver.recv().ok()
    }

    /// Replaces a connection that is lost.
    fn check(&mut self) {
        let Some((conn, checked_at)) = self.connection.as_mut() else { return };
        let is_due = checked_at.elapsed() > CHECK_INTERVAL;
        if is_due {
            *checked_at = Instant::now();
        }
        if !conn.is_usable(is_due) {
            self.disconnect();
            self.connect();
        }
    }

    /// Opens a connection, unless the last attempt failed just now.
    fn connect(&mut self) {
        if self.failed_at.is_some_and(|at| at.elapsed() <= RECONNECT_DELAY) {
            return;
        }
        match self.open() {
            Ok(conn) => self.set_connected(conn),
            Err(error) => {
                self.group.log.record("cannot open the store", &error);
                self.failed_at = Some(Instant::now());
            }
        }
    }

    fn open(&self) -> Result<Conn> {
        let mut conn = Conn::open_existing(&self.group.database)?;
        conn.prepare_for_requests(self.group.is_writer)?;
        if self.group.replicas.is_some() {
            conn.note_commits();
        }
        Ok(conn)
    }

    fn set_connected(&mut self, conn: Conn) {
        self.connection = Some((conn, Instant::now()));
        self.failed_at = None;
        self.group.connected.fetch_add(1, Ordering::Relaxed);
    }

    fn disconnect(&mut self) {
        if self.connection.take().is_some() {
            self.group.connected.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// The connections of a pool fail together; one line says so.
#[derive(Default)]
pub struct OutageLog(Mutex<Option<Instant>>);

/// Failures within this time are those of one outage.
const OUTAGE_LOG_INTERVAL: Duration = Duration::from_secs(30);

impl OutageLog {
    fn record(&self, problem: &str, error: &dyn std::fmt::Display) {
        let mut last = self.0.lock().expect("nothing panics under this lock");
        if last.is_none_or(|at| at.elapsed() > OUTAGE_LOG_INTERVAL) {
            tracing::error!(%error, "{problem}");
            *last = Some(Instant::now());
        }
    }
}
