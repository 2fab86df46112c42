//! A write that runs again when its connection ends. A commit without an answer may have taken effect, so the next run asks
//! PostgreSQL for the outcome of that transaction.

use std::time::Duration;

use crate::{Conn, Error, Result};

/// Effects of earlier runs of a write on the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlierRun {
    NothingStored,
    /// One was committed. What it returned is lost.
    Stored,
}

/// A write that failed each time.
pub struct FailedWrite {
    pub error: Error,
    /// It may be stored all the same: what must not be stored twice may not be written again.
    pub may_be_stored: bool,
}

/// An error before or outside of any run.
impl From<Error> for FailedWrite {
    fn from(error: Error) -> Self {
        Self { error, may_be_stored: false }
    }
}

pub struct RepeatableWrite<W> {
    work: W,
    earlier: EarlierRun,
    /// The transaction whose commit was not answered.
    unanswered: Option<i64>,
}

impl<T, W: FnMut(&mut Conn, EarlierRun) -> Result<T>> RepeatableWrite<W> {
    pub fn new(work: W) -> Self {
        Self { work, earlier: EarlierRun::NothingStored, unanswered: None }
    }

    pub fn run(&mut self, conn: &mut Conn) -> std::result::Result<T, FailedWrite> {
        self.run_once(conn).map_err(|error| FailedWrite {
            error,
            may_be_stored: self.unanswered.is_some() || self.earlier == EarlierRun::Stored,
        })
    }

    fn run_once(&mut self, conn: &mut Conn) -> Result<T> {
        if let Some(transaction) = self.unanswered {
            if is_committed(conn, transaction)? {
                self.earlier = EarlierRun::Stored;
            }
            self.unanswered = None;
        }
        let (work, earlier, mut transaction) = (&mut self.work, self.earlier, None);
        let outcome = conn.transaction(|conn| {
            transaction = conn.transaction_number()?;
            work(conn, earlier)
        });
        if conn.is_commit_unanswered() {
            self.unanswered = transaction;
        }
        outcome
    }
}

/// How often a transaction is asked for that has not ended, and how long it has between two times. A server ends the transaction of
/// a lost connection within milliseconds, unless it has not noticed the loss.
const OUTCOME_CHECKS: usize = 20;
const OUTCOME_PAUSE: Duration = Duration::from_millis(50);

fn is_committed(conn: &mut Conn, transaction: i64) -> Result<bool> {
    for _ in 0..OUTCOME_CHECKS {
        if let Some(is_committed) = conn.is_committed(transaction)? {
            return Ok(is_committed);
        }
        #[expect(clippy::disallowed_methods, reason = "the job of this thread is to wait")]
        std::thread::sleep(OUTCOME_PAUSE);
    }
    Err(Error::Unavailable("PostgreSQL has not decided a commit yet".into()))
}
