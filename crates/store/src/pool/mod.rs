//! A connection pool with one thread per connection, so that no query blocks an async worker. Readers and writers have separate
//! queues.

mod connection_failures;
mod connections;
mod job;
mod pooler;
mod repeatable_write;
mod replica;
mod replica_freshness;
mod replica_reader;
mod replica_watch;
mod replicas;
mod stats;
mod thread;

use std::sync::Arc;
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError};
use tokio::sync::oneshot;

use connection_failures::ConnectionFailures;
pub use connections::Connections;
use connections::LEDGER_WRITERS;
use job::{Call, Job, JobOutcome};
use repeatable_write::RepeatableWrite;
pub use repeatable_write::{EarlierRun, FailedWrite};
pub use replica::{LeftOut, ReplicaState, ReplicaUsage, check_replica};
use replicas::Replicas;
pub use replicas::ReplicatedReads;
pub use stats::{LaneStats, LaneUsage};
use thread::Group;

use super::revision::{self, StoreRevision};
use super::{Conn, Database, Error, Result, migrate_ledger};

#[derive(Clone)]
pub struct Pool {
    reads: Lane,
    writes: Lane,
    /// Of PostgreSQL, if there are any.
    replicas: Option<Arc<Replicas>>,
    /// How long PostgreSQL may be silent during a query; then the connection is closed. How long a job may read from SQLite; then the
    /// read fails.
    timeout: Duration,
}

/// The queue of the readers or the writers.
#[derive(Clone)]
struct Lane {
    queue: Sender<Box<dyn Job>>,
    stats: Arc<LaneStats>,
}

impl Lane {
    fn start(group: Group, role: &str, threads: usize) -> Result<Self> {
        let stats = Arc::new(LaneStats::new(threads));
        Ok(Self { queue: group.start(role, threads, &stats)?, stats })
    }

    fn send(&self, job: Box<dyn Job>) -> Result<()> {
        self.queue.try_send(job).map_err(|refused| match refused {
            TrySendError::Full(_) => Error::Busy,
            TrySendError::Disconnected(_) => Error::Unavailable("the store is closed".into()),
        })
    }
}

/// Requests give up after ten seconds, too.
const TIMEOUT: Duration = Duration::from_secs(10);
/// For queries over all rows, of [`Pool::with_long_timeout`].
const LONG_TIMEOUT: Duration = Duration::from_secs(600);

/// Queued jobs. Beyond this the store is [`Error::Busy`] (backpressure) instead of queueing without bound.
const MAX_QUEUED_JOBS: usize = 1024;

impl Pool {
    /// SQLite has its own number of connections. All but the first ones are opened when first used.
    pub fn open(database: &Database, connections: Connections) -> Result<Self> {
        Self::open_with_replicas(database, &[], connections)
    }

    /// [`Pool::open`] with replicas for [`Pool::read_replicated`]. Each has as many connections as read the primary, and one more.
    pub fn open_with_replicas(database: &Database, replicas: &[Database], connections: Connections) -> Result<Self> {
        let mut conn = Conn::open(database)?;
        pooler::refuse_unsafe(database, &mut conn)?;
        let connections = connections.for_database(database);
        let failures = Arc::new(ConnectionFailures::default());
        let reads = Lane::start(Group::reading(database, &failures), "reader", connections.readers)?;
        let replicas = match replicas {
            [] => None,
            replicas => Some(Arc::new(Replicas::start(&mut conn, replicas, connections.readers, &reads.queue)?)),
        };
        let writers = Group::writing(database, &failures, replicas.clone());
        let writes = Lane::start(writers, "writer", connections.writers)?;
        Ok(Self { reads, writes, replicas, timeout: TIMEOUT })
    }

    /// The same pool for queries over all rows, which may take minutes before the first one comes.
    pub fn with_long_timeout(&self) -> Self {
        Self { timeout: LONG_TIMEOUT, ..self.clone() }
    }

    /// The pool of this database's ledger. One writer commits the reservations of all keys together. Several readers, so that a
    /// usage report over a year does not delay a login.
    pub fn open_ledger(database: &Database, connections: Connections) -> Result<Self> {
        let ledger = database.ledger();
        migrate_ledger(&mut Conn::open(&ledger)?)?;
        let connections = connections.for_database(database);
        let failures = Arc::new(ConnectionFailures::default());
        let reads = Lane::start(Group::reading(&ledger, &failures), "ledger-reader", connections.ledger_readers)?;
        let writes = Lane::start(Group::writing(&ledger, &failures, None), "ledger-writer", LEDGER_WRITERS)?;
        Ok(Self { reads, writes, replicas: None, timeout: TIMEOUT })
    }

    /// Runs `work` on a connection. If the server ends it, `work` runs again on a new one, up to four times in all.
    pub async fn read<T: Send + 'static>(&self, work: impl Fn(&mut Conn) -> Result<T> + Send + 'static) -> Result<T> {
        self.run(&self.reads, move |conn| JobOutcome::Repeatable(work(conn))).await
    }

    /// [`Pool::read`] for work with errors of its own.
    pub async fn try_read<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl Fn(&mut Conn) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        self.read(move |conn| Ok(work(conn))).await?
    }

    /// [`Pool::read`] for public data: a replica may answer if it has all that this process has written, or has
    /// reported with [`Pool::has_loaded`]. Reads that decide something (authentication, permissions, the next write)
    /// use [`Pool::read`].
    pub async fn read_replicated<T: Send + 'static>(
        &self,
        work: impl Fn(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (call, answer) = Call::new(move |conn: &mut Conn| JobOutcome::Repeatable(work(conn)), self.timeout);
        let job: Box<dyn Job> = Box::new(call);
        let job = match &self.replicas {
            Some(replicas) => replicas.try_send(job),
            None => Some(job),
        };
        if let Some(job) = job {
            self.reads.send(job)?;
        }
        outcome(answer).await
    }

    /// Notes what a read model is going to contain. From then on only replicas that have it are used. Call it before the read model
    /// shows it.
    pub fn has_loaded(&self, revision: StoreRevision) {
        if let Some(replicas) = &self.replicas {
            replicas.add_loaded(revision);
        }
    }

    /// [`Pool::has_loaded`] for what was read just now, whatever that was.
    pub async fn has_loaded_current(&self) -> Result<()> {
        if self.replicas.is_some() {
            self.has_loaded(self.read(revision::current).await?);
        }
        Ok(())
    }

    /// [`Pool::read`] for work that must not run twice, because it leaves something behind in this process.
    pub async fn read_once<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let mut work = Some(work);
        self.run(&self.reads, move |conn| JobOutcome::Final(work.take().expect("it is final")(conn))).await
    }

    /// Runs `work` in a transaction. It runs once, because a commit without an answer may have taken effect; a transaction that
    /// could not begin is begun once more.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.try_write(work).await
    }

    /// [`Pool::write`] for work with errors of its own. They roll the transaction back, too.
    pub async fn try_write<T: Send + 'static, E: From<Error> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E> + Send + 'static,
    ) -> std::result::Result<T, E> {
        let mut work = Some(work);
        let transaction = move |conn: &mut Conn| {
            let outcome = conn.transaction(|conn| work.take().expect("it has not begun")(conn));
            if work.is_some() { JobOutcome::Repeatable(Ok(outcome)) } else { JobOutcome::Final(Ok(outcome)) }
        };
        self.run(&self.writes, transaction).await?
    }

    /// [`Pool::write`] that runs again if the server ends its connection, up to four times in all. `work` learns
    /// whether an earlier run was committed although no answer came: then it must skip writes that may not happen
    /// twice.
    pub async fn write_repeatable<T: Send + 'static>(
        &self,
        work: impl FnMut(&mut Conn, EarlierRun) -> Result<T> + Send + 'static,
    ) -> std::result::Result<T, FailedWrite> {
        let mut write = RepeatableWrite::new(work);
        self.run(&self.writes, move |conn| JobOutcome::Repeatable(Ok(write.run(conn)))).await?
    }

    /// Keeps SQLite's WAL within its bounds; call it from time to time. `false` if readers prevent it now.
    pub async fn limit_wal(&self) -> Result<bool> {
        self.run(&self.writes, |conn| JobOutcome::Repeatable(conn.limit_wal())).await
    }

    /// What the threads of readers and writers do now and have done.
    pub fn usage(&self) -> [LaneUsage<'_>; 2] {
        [("read", &self.reads), ("write", &self.writes)].map(|(role, lane)| LaneUsage {
            role,
            queued: lane.queue.len(),
            stats: &lane.stats,
        })
    }

    /// The replicas now.
    pub fn replicas(&self) -> impl Iterator<Item = ReplicaUsage> {
        self.replicas.iter().flat_map(|replicas| replicas.usage())
    }

    /// What [`Pool::read_replicated`] has read; `None` without replicas.
    pub fn replicated_reads(&self) -> Option<ReplicatedReads> {
        self.replicas.as_ref().map(|replicas| replicas.reads())
    }

    async fn run<T: Send + 'static>(
        &self,
        lane: &Lane,
        work: impl FnMut(&mut Conn) -> JobOutcome<T> + Send + 'static,
    ) -> Result<T> {
        let (call, answer) = Call::new(work, self.timeout);
        lane.send(Box::new(call))?;
        outcome(answer).await
    }
}

async fn outcome<T>(answer: oneshot::Receiver<Result<T>>) -> Result<T> {
    // The sender is dropped if the job panicked or no connection could be opened; both are logged.
    answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the store did not answer".into())))
}
