//! Interface of a pooled connection.

use std::time::Duration;

use super::postgres::CONNECT_TIMEOUT;
use super::read_deadline::ReadDeadline;
use super::write_probe::WriteProbe;
use super::{Conn, Driver};
use crate::{Error, Result};

/// How long a request waits for a lock; shorter than the default of `http.request_timeout`.
pub(super) const REQUEST_LOCK_TIMEOUT: Duration = Duration::from_secs(7);
/// Pages that the one writer of SQLite keeps between transactions. Readers have a smaller cache each.
const WRITER_CACHE_KIB: i64 = 16 * 1024;

impl Conn {
    /// Sets the lock timeout for requests, which must end before the client gives up, and the page cache of SQLite.
    pub(crate) fn prepare_for_requests(&mut self, is_writer: bool) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, deadline, .. } => {
                conn.busy_timeout(REQUEST_LOCK_TIMEOUT)?;
                if is_writer {
                    conn.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
                } else {
                    *deadline = Some(ReadDeadline::install(conn)?);
                }
            }
            Driver::Postgres(server) => server.set_lock_timeout(REQUEST_LOCK_TIMEOUT),
        }
        Ok(())
    }

    /// Begins a job. `timeout`: the timeout for an answer of PostgreSQL, and for reads of the job from SQLite.
    pub(crate) fn prepare_for_job(&mut self, timeout: Duration) {
        match &mut self.driver {
            Driver::Postgres(server) => server.prepare_for_job(timeout),
            Driver::Sqlite { deadline, .. } => {
                if let Some(deadline) = deadline {
                    deadline.set(timeout);
                }
            }
        }
    }

    /// From now on [`Self::take_commit`] knows the log position of PostgreSQL after each commit.
    pub(crate) fn note_commits(&mut self) {
        if let Driver::Postgres(server) = &mut self.driver {
            server.note_commits();
        }
    }

    /// The log position after the last commit, once.
    pub(crate) fn take_commit(&mut self) -> Option<i64> {
        match &mut self.driver {
            Driver::Sqlite { .. } => None,
            Driver::Postgres(server) => server.take_commit(),
        }
    }

    /// The number of the running transaction of PostgreSQL, for [`Self::is_committed`].
    pub(crate) fn transaction_number(&mut self) -> Result<Option<i64>> {
        match &self.driver {
            Driver::Sqlite { .. } => Ok(None),
            Driver::Postgres(_) => self.query_one("select txid_current()", &[], |row| row.get(0)).map(Some),
        }
    }

    /// Whether a transaction of another connection took effect. `None` if it has not ended, or is forgotten.
    pub(crate) fn is_committed(&mut self, transaction: i64) -> Result<Option<bool>> {
        let sql = "select txid_status($1) = 'committed', txid_status($1) = 'aborted'";
        let (is_committed, is_aborted): (Option<bool>, Option<bool>) =
            self.query_one(sql, &[transaction.into()], |row| (row.get(0), row.get(1)))?;
        Ok((is_committed == Some(true) || is_aborted == Some(true)).then_some(is_committed == Some(true)))
    }

    /// Whether this job sent a commit to PostgreSQL, and its connection ended without an answer.
    pub(crate) fn is_commit_unanswered(&self) -> bool {
        matches!(&self.driver, Driver::Postgres(server) if server.is_commit_unanswered())
    }

    /// Whether a query of this job failed.
    pub(crate) fn failed_in_job(&self) -> bool {
        matches!(&self.driver, Driver::Postgres(server) if server.failed_in_job())
    }

    /// Whether a query of this job failed because the connection was closed, and not because the server was silent: a new
    /// connection may work, and there is time for it.
    pub(crate) fn broke_in_job(&self) -> bool {
        self.failed_in_job()
            && matches!(&self.driver, Driver::Postgres(server) if server.is_closed() && server.stall().is_none())
    }

    /// The error of a connection whose server was silent for too long.
    pub(crate) fn stall(&self) -> Option<Error> {
        match &self.driver {
            Driver::Sqlite { .. } => None,
            Driver::Postgres(server) => server.stall(),
        }
    }

    /// Whether the connection can be used. With `check` the server or the file is really tested.
    pub(crate) fn is_usable(&mut self, check: bool) -> bool {
        match &mut self.driver {
            Driver::Sqlite { probe, .. } => !check || probe.as_ref().is_none_or(WriteProbe::is_same_file),
            Driver::Postgres(server) => !server.is_closed() && (!check || server.answers_within(CONNECT_TIMEOUT)),
        }
    }
}
