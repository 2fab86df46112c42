//! A thread of the pool: one connection, opened when first used and again after it was lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Select, Sender, TryRecvError, bounded};

use super::connection_failures::ConnectionFailures;
use super::job::Job;
use super::replicas::Replicas;
use super::{LaneStats, MAX_QUEUED_JOBS};
use crate::{Conn, Database, Result};

/// Threads that serve one queue.
pub struct Group {
    database: Database,
    is_writer: bool,
    /// They are notified of commits.
    replicas: Option<Arc<Replicas>>,
    failures: Arc<ConnectionFailures>,
    /// Threads with a connection.
    connected: AtomicUsize,
}

impl Group {
    pub fn reading(database: &Database, failures: &Arc<ConnectionFailures>) -> Self {
        let (database, failures) = (database.clone(), failures.clone());
        Self { database, is_writer: false, replicas: None, failures, connected: AtomicUsize::new(0) }
    }

    pub fn writing(database: &Database, failures: &Arc<ConnectionFailures>, replicas: Option<Arc<Replicas>>) -> Self {
        Self { is_writer: true, replicas, ..Self::reading(database, failures) }
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
                let opened = worker.open()?;
                worker.set_connected(opened);
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
/// How often a job is run, or a connection opened, if the server ends the connection each time.
const MAX_ATTEMPTS: usize = 4;

/// A connection of a thread.
struct Opened {
    conn: Conn,
    /// Before it was opened.
    opened_at: Instant,
    checked_at: Instant,
}

struct Worker {
    group: Arc<Group>,
    receiver: Receiver<Box<dyn Job>>,
    stats: Arc<LaneStats>,
    connection: Option<Opened>,
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

    /// Runs a job and answers its caller. A job whose connection the server ended runs again on a new one, for example after a
    /// failover: as often as is useful, and within the time that it had from the start.
    fn process(&mut self, mut job: Box<dyn Job>) {
        let stats = self.stats.clone();
        let _running = stats.start(job.queued_at());
        let end = Instant::now() + job.timeout();
        for attempt in 1..=MAX_ATTEMPTS {
            let time_left = end.saturating_duration_since(Instant::now());
            let is_broken = self.run(job.as_mut(), time_left);
            if !is_broken || attempt == MAX_ATTEMPTS || !job.is_repeatable() || !job.is_wanted() || Instant::now() > end
            {
                break;
            }
            self.replace();
        }
        self.report_commit();
        job.answer();
        if let Some(error) = self.connection.as_ref().and_then(|opened| opened.conn.stall()) {
            self.group.failures.log("a connection to the store is closed", &error);
            self.disconnect();
        }
    }

    /// Before the caller knows that it has written: its next read must see that.
    fn report_commit(&mut self) {
        if let (Some(replicas), Some(opened)) = (&self.group.replicas, &mut self.connection)
            && let Some(position) = opened.conn.take_commit()
        {
            replicas.add_written(position);
        }
    }

    /// Returns whether the server ended the connection meanwhile. Without a connection nothing runs, and a job that panicked is done.
    fn run(&mut self, job: &mut dyn Job, timeout: Duration) -> bool {
        let Some(Opened { conn, opened_at, .. }) = self.connection.as_mut() else { return false };
        conn.prepare_for_job(timeout);
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job.run(conn))).is_err() {
            tracing::error!("a store job panicked; its connection is reopened");
            self.disconnect();
            return false;
        }
        let is_broken = conn.broke_in_job();
        if is_broken {
            self.group.failures.note_break(*opened_at);
        }
        is_broken
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

    /// Replaces a connection that is lost, or was opened before another one was lost.
    fn check(&mut self) {
        let Some(Opened { conn, opened_at, checked_at }) = self.connection.as_mut() else { return };
        if self.group.failures.is_suspect(*opened_at) {
            return self.replace();
        }
        let is_due = checked_at.elapsed() > CHECK_INTERVAL;
        if is_due {
            *checked_at = Instant::now();
        }
        if !conn.is_usable(is_due) {
            self.group.failures.note_break(*opened_at);
            self.replace();
        }
    }

    fn replace(&mut self) {
        self.disconnect();
        self.connect();
    }

    /// Opens a connection, unless the last attempt failed just now.
    fn connect(&mut self) {
        if self.failed_at.is_some_and(|at| at.elapsed() <= RECONNECT_DELAY) {
            return;
        }
        match self.open_persistently() {
            Ok(opened) => self.set_connected(opened),
            Err(error) => {
                self.group.failures.log("cannot open the store", &error);
                self.failed_at = Some(Instant::now());
            }
        }
    }

    /// A server that ends all its sessions ends those that begin, too. The next one may stay.
    fn open_persistently(&self) -> Result<Opened> {
        for _ in 1..MAX_ATTEMPTS {
            match self.open() {
                Err(error) if error.is_ended_session() => {}
                outcome => return outcome,
            }
        }
        self.open()
    }

    fn open(&self) -> Result<Opened> {
        let opened_at = Instant::now();
        let mut conn = Conn::open_existing(&self.group.database)?;
        conn.prepare_for_requests(self.group.is_writer)?;
        if self.group.replicas.is_some() {
            conn.note_commits();
        }
        Ok(Opened { conn, opened_at, checked_at: Instant::now() })
    }

    fn set_connected(&mut self, opened: Opened) {
        self.connection = Some(opened);
        self.failed_at = None;
        self.group.connected.fetch_add(1, Ordering::Relaxed);
    }

    fn disconnect(&mut self) {
        if self.connection.take().is_some() {
            self.group.connected.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
