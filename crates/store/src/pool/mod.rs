//! A connection pool with one thread per connection, so that no query blocks an async worker. Readers and writers have separate
//! queues.

mod connections;
mod pooler;
mod stats;
mod thread;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossbeam_channel::{Sender, TrySendError};
use tokio::sync::oneshot;

pub use connections::Connections;
use connections::LEDGER_WRITERS;
pub use stats::{LaneStats, LaneUsage};
use thread::{Group, OutageLog};

use super::{Conn, Database, Error, Result, migrate_ledger};

type Job = Box<dyn FnOnce(&mut Conn) + Send>;

#[derive(Clone)]
pub struct Pool {
    reads: Lane,
    writes: Lane,
    /// How long PostgreSQL may be silent during a query; then the connection is closed. How long a job may read from SQLite; then the
    /// read fails.
    patience: Duration,
}

/// The queue of the readers or the writers.
#[derive(Clone)]
struct Lane {
    queue: Sender<Job>,
    stats: Arc<LaneStats>,
}

impl Lane {
    fn start(group: Group, role: &str, threads: usize) -> Result<Self> {
        Ok(Self { queue: group.start(role, threads)?, stats: Arc::new(LaneStats::new(threads)) })
    }
}

/// Requests give up after ten seconds, too.
const PATIENCE: Duration = Duration::from_secs(10);
/// For queries over all rows, of [`Pool::patient`].
const LONG_PATIENCE: Duration = Duration::from_secs(600);

/// Queued jobs. Beyond this the store is [`Error::Busy`] (backpressure) instead of queueing without bound.
const MAX_QUEUED_JOBS: usize = 1024;

impl Pool {
    /// SQLite has its own number of connections. All but the first ones are opened when first used.
    pub fn open(database: &Database, connections: Connections) -> Result<Self> {
        pooler::refuse_unsafe(database, &mut Conn::open(database)?)?;
        let connections = connections.for_database(database);
        let log = Arc::new(OutageLog::default());
        let reads = Lane::start(Group::new(database, false, &log), "reader", connections.readers)?;
        let writes = Lane::start(Group::new(database, true, &log), "writer", connections.writers)?;
        Ok(Self { reads, writes, patience: PATIENCE })
    }

    /// The same pool for queries over all rows, which may take minutes before the first one comes.
    pub fn patient(&self) -> Self {
        Self { patience: LONG_PATIENCE, ..self.clone() }
    }

    /// The pool of this database's ledger. One writer commits the reservations of all keys together. Several readers, so that a
    /// usage report over a year does not delay a login.
    pub fn open_ledger(database: &Database, connections: Connections) -> Result<Self> {
        let ledger = database.ledger();
        migrate_ledger(&mut Conn::open(&ledger)?)?;
        let connections = connections.for_database(database);
        let log = Arc::new(OutageLog::default());
        let reads = Lane::start(Group::new(&ledger, false, &log), "ledger-reader", connections.ledger_readers)?;
        let writes = Lane::start(Group::new(&ledger, true, &log), "ledger-writer", LEDGER_WRITERS)?;
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

    /// Keeps SQLite's WAL within its bounds; call it from time to time. `false` if readers prevent it now.
    pub async fn limit_wal(&self) -> Result<bool> {
        self.run(&self.writes, Conn::limit_wal).await
    }

    /// What the threads of readers and writers do now and have done.
    pub fn usage(&self) -> [LaneUsage<'_>; 2] {
        [("read", &self.reads), ("write", &self.writes)].map(|(role, lane)| LaneUsage {
            role,
            queued: lane.queue.len(),
            stats: &lane.stats,
        })
    }

    async fn run<T: Send + 'static>(
        &self,
        lane: &Lane,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (patience, (reply, answer)) = (self.patience, oneshot::channel());
        let (stats, queued_at) = (lane.stats.clone(), Instant::now());
        let job: Job = Box::new(move |conn| {
            // A request that timed out must not take effect later.
            if !reply.is_closed() {
                let _running = stats.start(queued_at);
                conn.set_patience(patience);
                let _ = reply.send(work(conn));
            }
        });
        match lane.queue.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_)) => return Err(Error::Busy),
            Err(TrySendError::Disconnected(_)) => return Err(Error::Unavailable("the store is closed".into())),
        }
        // The sender is dropped if the job panicked or no connection could be opened; both are logged.
        answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the store did not answer".into())))
    }
}
