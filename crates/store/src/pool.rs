//! A connection pool with one thread per connection, so that no query blocks an async worker. Readers and writers have separate
//! queues.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::oneshot;

use super::{Conn, Database, Error, Result, migrate_ledger};

type Job = Box<dyn FnOnce(&mut Conn) + Send>;

#[derive(Clone)]
pub struct Pool {
    reads: Sender<Job>,
    writes: Sender<Job>,
    /// How long PostgreSQL may be silent during a query; then the connection is closed.
    patience: Duration,
}

/// Requests give up after ten seconds, too.
const PATIENCE: Duration = Duration::from_secs(10);
/// For queries over all rows, of [`Pool::patient`].
const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// More than cores, because a PostgreSQL reader mostly waits for the server.
const POSTGRES_READERS: usize = 8;
const MAX_SQLITE_READERS: usize = 8;
const LEDGER_READERS: usize = 4;
/// SQLite allows one writer; more would only wait for its lock.
const SQLITE_WRITERS: usize = 1;
const POSTGRES_WRITERS: usize = 4;
/// Queued jobs. Beyond this the store is [`Error::Busy`] (backpressure) instead of queueing without bound.
const MAX_QUEUED_JOBS: usize = 1024;

impl Pool {
    /// Opens one connection to check that the database can be reached; the threads connect when first used.
    pub fn open(database: &Database) -> Result<Self> {
        drop(Conn::open(database)?);
        let (readers, writers) = match database {
            Database::Sqlite(_) => (sqlite_readers(), SQLITE_WRITERS),
            Database::Postgres(_) => (POSTGRES_READERS, POSTGRES_WRITERS),
        };
        let log = Arc::new(OutageLog::default());
        let reads = threads("reader", readers, database, &log);
        let writes = threads("writer", writers, database, &log);
        Ok(Self { reads, writes, patience: PATIENCE })
    }

    /// The same pool for queries over all rows, which may take minutes before the first one comes.
    pub fn patient(&self) -> Self {
        Self { patience: LONG_PATIENCE, ..self.clone() }
    }

    /// The pool of this database's ledger. One writer commits the reservations of all keys together. Several readers, so that a
    /// usage report over a year does not delay a login.
    pub fn open_ledger(database: &Database) -> Result<Self> {
        let ledger = database.ledger();
        migrate_ledger(&mut Conn::open(&ledger)?)?;
        let log = Arc::new(OutageLog::default());
        let reads = threads("ledger-reader", LEDGER_READERS, &ledger, &log);
        let writes = threads("ledger-writer", 1, &ledger, &log);
        Ok(Self { reads, writes, patience: PATIENCE })
    }

    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(&self.reads, work).await
    }

    /// [`Pool::read`] for work with errors of its own.
    pub async fn try_read<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        self.run(&self.reads, move |conn| Ok(work(conn))).await?
    }

    /// Runs `work` in a transaction.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run(&self.writes, move |conn| conn.transaction(work)).await
    }

    /// [`Pool::write`] for work with errors of its own. They roll the transaction back, too.
    pub async fn try_write<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        self.run(&self.writes, move |conn| Ok(conn.transaction(work))).await?
    }

    async fn run<T: Send + 'static>(
        &self,
        queue: &Sender<Job>,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (patience, (reply, answer)) = (self.patience, oneshot::channel());
        let job: Job = Box::new(move |conn| {
            // A request that timed out must not take effect later.
            if !reply.is_closed() {
                conn.set_patience(patience);
                let _ = reply.send(work(conn));
            }
        });
        match queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(Error::Busy),
            Err(TrySendError::Disconnected(_)) => return Err(Error::Unavailable("the store is closed".into())),
        }
        // The sender is dropped if the job panicked or no connection could be opened; both are logged.
        answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the store did not answer".into())))
    }
}

/// Twice as many as cores: some wait for the disk, and a long scan must not block the others.
fn sqlite_readers() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * cores).min(MAX_SQLITE_READERS)
}

fn threads(role: &str, count: usize, database: &Database, log: &Arc<OutageLog>) -> Sender<Job> {
    let (sender, receiver) = bounded::<Job>(MAX_QUEUED_JOBS);
    for i in 0..count {
        let (receiver, database, log) = (receiver.clone(), database.clone(), log.clone());
        let is_writer = role.ends_with("writer");
        std::thread::Builder::new()
            .name(format!("store-{role}-{i}"))
            .spawn(move || serve(&receiver, &database, is_writer, &log))
            .expect("the system can start a thread");
    }
    sender
}

/// Pause after a failed connect; jobs in between fail at once.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);
/// A connection is checked before use if the last check is older than this: the server may have restarted, or the file may have
/// been moved.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The connections of a pool fail together; one line says so.
#[derive(Default)]
struct OutageLog(Mutex<Option<Instant>>);

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

fn serve(receiver: &Receiver<Job>, database: &Database, is_writer: bool, log: &OutageLog) {
    let mut connection: Option<(Conn, Instant)> = None;
    let mut failed_at: Option<Instant> = None;
    for job in receiver {
        let usable = connection.as_mut().is_some_and(|(conn, checked_at)| {
            let due = checked_at.elapsed() > CHECK_INTERVAL;
            if due {
                *checked_at = Instant::now();
            }
            conn.is_usable(due)
        });
        if !usable && failed_at.is_none_or(|at| at.elapsed() > RECONNECT_DELAY) {
            connection = match Conn::open_existing(database)
                .and_then(|mut conn| conn.prepare_for_requests(is_writer).map(|()| conn))
            {
                Ok(conn) => Some((conn, Instant::now())),
                Err(error) => {
                    log.record("cannot open the store", &error);
                    None
                }
            };
            failed_at = connection.is_none().then(Instant::now);
        } else if !usable {
            connection = None;
        }
        // Dropping the job fails its caller.
        let Some((conn, _)) = connection.as_mut() else { continue };
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(conn))).is_err() {
            tracing::error!("a store job panicked; its connection is reopened");
            connection = None;
        }
        if let Some(error) = connection.as_ref().and_then(|(conn, _)| conn.stall()) {
            log.record("a connection to the store is closed", &error);
            connection = None;
        }
        // Lets an async worker on this core send its response first; a busy reader would keep the core for milliseconds.
        std::thread::yield_now();
    }
}
