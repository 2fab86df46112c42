//! Write transactions, and snapshots for reads that must agree.

use super::{Conn, Driver};
use crate::{Error, Result};

impl Conn {
    /// Runs `work` in a write transaction; a nested call joins the outer one. Takes SQLite's write lock at the start, because
    /// a read transaction that turns into a write may fail.
    pub fn transaction<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.in_transaction {
            return work(self);
        }
        let (mut work, mut outcome) = (Some(work), None);
        self.run_transaction(&mut |conn| {
            let work = work.take().expect("it runs once");
            outcome.insert(work(conn)).is_ok()
        })?;
        outcome.expect("it has run")
    }

    /// Commits if `work` returns true. Not generic, as [`Self::stream`].
    fn run_transaction(&mut self, work: &mut dyn FnMut(&mut Conn) -> bool) -> Result<()> {
        self.refuse_in_batch("begin");
        self.begin()?;
        self.in_transaction = true;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        self.in_transaction = false;
        match outcome {
            Ok(true) => {
                let committed = self.commit();
                if committed.is_err() {
                    // A commit that failed (disk full) leaves SQLite inside the transaction.
                    self.roll_back();
                }
                committed
            }
            Ok(false) => {
                self.roll_back();
                Ok(())
            }
            Err(panic) => {
                self.roll_back();
                std::panic::resume_unwind(panic)
            }
        }
    }

    fn begin(&mut self) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, probe, .. } => {
                if let Some(probe) = probe {
                    probe.check_writable()?;
                }
                Ok(conn.execute_batch("begin immediate")?)
            }
            Driver::Postgres(server) => server.begin(),
        }
    }

    fn commit(&mut self) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => Ok(conn.execute_batch("commit")?),
            Driver::Postgres(server) => server.commit(),
        }
    }

    /// Ends the transaction after an error. Its own error is only logged: the caller must see the cause.
    fn roll_back(&mut self) {
        if let Err(error) = self.execute_batch("rollback") {
            tracing::debug!(%error, "rollback failed");
        }
    }

    /// Runs reads that must agree with each other on one consistent snapshot.
    pub fn snapshot<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let begin =
            if self.is_postgres() { "begin isolation level repeatable read read only" } else { "begin deferred" };
        self.execute(begin, &[])?;
        let outcome = work(self);
        match self.execute("rollback", &[]) {
            Err(error) if outcome.is_ok() => return Err(error),
            Err(error) => tracing::debug!(%error, "rollback failed"),
            Ok(_) => {}
        }
        outcome
    }
}
