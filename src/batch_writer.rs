//! Writes rows of many requests in shared transactions: what arrives while a batch is written, and shortly after that, forms
//! the next one. A commit waits for the disk, so one per request would limit the service to a few hundred a second.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use rollcall_store::{Conn, Error, Pool, Result};

/// Entries in one transaction.
const MAX_BATCH: usize = 256;
/// Entries that may wait; beyond this the service is busy.
const CAPACITY: usize = 4 * MAX_BATCH;

/// How long an entry waits for others. Nobody notices it, and a busy service needs a fraction of the transactions.
const GATHERING: Duration = Duration::from_millis(40);
/// If this many have come by then, the service is busy, and the batch waits longer: that halves the transactions again.
const BUSY_BATCH: usize = 16;
const BUSY_GATHERING: Duration = Duration::from_millis(60);

type Reply<R> = oneshot::Sender<Result<R>>;
type Pending<T, R> = (T, Reply<R>, Instant);

/// Entries of type `T`, each with an outcome of type `R`.
pub struct BatchWriter<T, R> {
    /// Name of the rows, for metrics.
    name: &'static str,
    sender: mpsc::Sender<Pending<T, R>>,
    /// Taken by [`Self::run`].
    receiver: Mutex<Option<mpsc::Receiver<Pending<T, R>>>>,
}

impl<T: Send + Sync + 'static, R: Send + 'static> BatchWriter<T, R> {
    pub fn new(name: &'static str) -> Self {
        let (sender, receiver) = mpsc::channel(CAPACITY);
        Self { name, sender, receiver: Mutex::new(Some(receiver)) }
    }

    /// Returns when the entry is stored.
    pub async fn write(&self, entry: T) -> Result<R> {
        let (reply, answer) = oneshot::channel();
        self.sender.try_send((entry, reply, Instant::now())).map_err(|_| Error::Busy)?;
        answer.await.unwrap_or_else(|_| Err(Error::Unavailable("the store did not answer".into())))
    }

    /// Writes batches until the service stops. `record` returns one outcome per entry; it runs again for each entry alone if the
    /// batch fails although the store works.
    pub async fn run(&self, pool: &Pool, record: fn(&mut Conn, &[T]) -> Result<Vec<R>>) {
        let Some(mut receiver) = self.receiver.lock().expect("nothing panics under this lock").take() else { return };
        let mut pending = Vec::with_capacity(MAX_BATCH);
        while receiver.recv_many(&mut pending, MAX_BATCH).await > 0 {
            gather(&mut receiver, &mut pending).await;
            let waits = metrics::histogram!("rollcall_batch_wait_seconds", "batch" => self.name);
            for (_, _, queued_at) in &pending {
                waits.record(queued_at.elapsed());
            }
            let (batch, replies): (Vec<T>, Vec<_>) = pending.drain(..).map(|(entry, reply, _)| (entry, reply)).unzip();
            let batch = Arc::new(batch);
            let whole = Arc::clone(&batch);
            match pool.write(move |conn| record(conn, &whole)).await {
                // One entry that the store refuses must not fail the others.
                Err(error) if batch.len() > 1 && !error.is_outage() => {
                    for (i, reply) in replies.into_iter().enumerate() {
                        let batch = Arc::clone(&batch);
                        send(vec![reply], pool.write(move |conn| record(conn, &batch[i..=i])).await);
                    }
                }
                written => send(replies, written),
            }
        }
    }
}

/// Adds the entries that come shortly after, unless the batch is full.
async fn gather<E>(receiver: &mut mpsc::Receiver<E>, batch: &mut Vec<E>) {
    for (least, time) in [(0, GATHERING), (BUSY_BATCH, BUSY_GATHERING)] {
        let room = MAX_BATCH - batch.len();
        if room == 0 || batch.len() < least {
            return;
        }
        tokio::time::sleep(time).await;
        batch.extend(std::iter::from_fn(|| receiver.try_recv().ok()).take(room));
    }
}

/// Tells each sender the outcome of its entry.
fn send<R>(replies: Vec<Reply<R>>, written: Result<Vec<R>>) {
    match written {
        Ok(outcomes) => {
            for (reply, outcome) in replies.into_iter().zip(outcomes) {
                let _ = reply.send(Ok(outcome));
            }
        }
        Err(error) => {
            for reply in replies {
                let _ = reply.send(Err(same_outcome(&error)));
            }
        }
    }
}

/// Errors of the store cannot be copied; each sender learns whether to try again.
fn same_outcome(error: &Error) -> Error {
    match error {
        Error::Busy => Error::Busy,
        error if error.is_outage() => Error::Unavailable(error.to_string()),
        error => Error::MissingRow(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_store::{Connections, Database};

    const REFUSED: u32 = 13;

    fn record(_: &mut Conn, entries: &[u32]) -> Result<Vec<u32>> {
        if entries.contains(&REFUSED) {
            return Err(Error::MissingRow("the entry".into()));
        }
        Ok(entries.to_vec())
    }

    #[test]
    fn one_refused_entry_fails_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let database = Database::sqlite(folder.path().join("rollcall.db"));
        rollcall_store::migrate(&mut Conn::open(&database).expect("it opens")).expect("a schema");
        let pool = Pool::open(&database, Connections::default()).expect("it opens");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let writer = BatchWriter::<u32, u32>::new("tests");
            let entries = futures_util::future::join_all((0..100).map(|entry| writer.write(entry)));
            let outcomes = tokio::select! {
                outcomes = entries => outcomes,
                () = writer.run(&pool, record) => unreachable!("it runs until the service stops"),
            };
            for (entry, outcome) in (0..100).zip(outcomes) {
                assert_eq!(outcome.ok(), (entry != REFUSED).then_some(entry));
            }
        });
    }
}
