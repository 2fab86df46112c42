//! Connections on threads of their own, so that no query ever runs on an async worker. Many readers, and one
//! writer that SQLite would allow anyway (PostgreSQL gets several).

use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded};
use tokio::sync::oneshot;

use super::{Conn, Database, Error, Result, migrate_ledger};

type Job = Box<dyn FnOnce(&mut Conn) + Send>;

#[derive(Clone)]
pub struct Pool {
    reads: Sender<Job>,
    writes: Sender<Job>,
}

/// PostgreSQL's are waited for, so that more of them than cores have something to do; SQLite's work themselves.
const POSTGRES_READERS: usize = 8;
const MOST_SQLITE_READERS: usize = 8;
const LEDGER_READERS: usize = 4;
/// SQLite has one writer; more would only wait for its lock.
const SQLITE_WRITERS: usize = 1;
const POSTGRES_WRITERS: usize = 4;
/// Jobs that may wait. Past this the store says it is busy instead of growing a queue nobody will see the end of.
const WAITING: usize = 1024;

impl Pool {
    /// Opens one connection to see that the database can be reached; the others open when first used.
    pub fn open(database: &Database) -> Result<Self> {
        drop(Conn::open(database)?);
        let (readers, writers) = match database {
            Database::Sqlite(_) => (sqlite_readers(), SQLITE_WRITERS),
            Database::Postgres(_) => (POSTGRES_READERS, POSTGRES_WRITERS),
        };
        Ok(Self { reads: threads("reader", readers, database), writes: threads("writer", writers, database) })
    }

    /// The pool of the ledger beside this database. Its one writer takes everybody's reservations in one commit; its
    /// readers are for pages, and one who adds up a year must not keep another from signing in.
    pub fn open_ledger(database: &Database) -> Result<Self> {
        let ledger = database.ledger();
        migrate_ledger(&mut Conn::open(&ledger)?)?;
        Ok(Self {
            reads: threads("ledger-reader", LEDGER_READERS, &ledger),
            writes: threads("ledger-writer", 1, &ledger),
        })
    }

    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        run(&self.reads, work).await
    }

    /// Runs `work` in a transaction.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        run(&self.writes, move |conn| conn.transaction(work)).await
    }
}

/// Twice as many as cores: some wait for the disk, and one that looks through a lot must not keep the others waiting.
fn sqlite_readers() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (2 * cores).min(MOST_SQLITE_READERS)
}

async fn run<T: Send + 'static>(
    queue: &Sender<Job>,
    work: impl FnOnce(&mut Conn) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (reply, answer) = oneshot::channel();
    let job: Job = Box::new(move |conn| {
        // Whoever was told that it took too long must not find it done later.
        if !reply.is_closed() {
            let _ = reply.send(work(conn));
        }
    });
    match queue.try_send(job) {
        Ok(()) => {}
        Err(TrySendError::Full(_)) => return Err(Error::Busy),
        Err(TrySendError::Disconnected(_)) => return Err(Error::Unavailable("the store is closed".into())),
    }
    // The sender is dropped unanswered when the job panicked or no connection could be opened; both are logged.
    answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the store did not answer".into())))
}

fn threads(role: &str, count: usize, database: &Database) -> Sender<Job> {
    let (sender, receiver) = bounded::<Job>(WAITING);
    for i in 0..count {
        let (receiver, database) = (receiver.clone(), database.clone());
        std::thread::Builder::new()
            .name(format!("store-{role}-{i}"))
            .spawn(move || serve(&receiver, &database))
            .expect("the system refuses a thread at start");
    }
    sender
}

/// How long a database that could not be opened is left alone: those who come meanwhile hear so at once.
const LEFT_ALONE: Duration = Duration::from_millis(500);
/// A connection that was not tried for so long is tried before it is used: its server may have gone and come back, its
/// file may have been moved.
const TRUSTED: Duration = Duration::from_secs(1);

fn serve(receiver: &Receiver<Job>, database: &Database) {
    let mut held: Option<(Conn, Instant)> = None;
    let mut failed: Option<Instant> = None;
    for job in receiver {
        let good = held.as_mut().is_some_and(|(conn, tried)| {
            let due = tried.elapsed() > TRUSTED;
            if due {
                *tried = Instant::now();
            }
            conn.is_good(due)
        });
        if !good && failed.is_none_or(|at| at.elapsed() > LEFT_ALONE) {
            held = match Conn::open_again(database).and_then(|mut conn| conn.be_brisk().map(|()| conn)) {
                Ok(conn) => Some((conn, Instant::now())),
                Err(error) => {
                    if failed.is_none() {
                        tracing::error!(%error, "the store cannot be opened");
                    }
                    None
                }
            };
            failed = held.is_none().then(Instant::now);
        } else if !good {
            held = None;
        }
        // A job that is dropped tells whoever waits for it that the store did not answer.
        let Some((conn, _)) = held.as_mut() else { continue };
        if std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(conn))).is_err() {
            tracing::error!("a store job panicked; its connection is opened anew");
            held = None;
        }
        // Whoever waits for this core to send an answer goes first: as long as there are jobs, a thread would keep it for
        // some milliseconds.
        std::thread::yield_now();
    }
}
