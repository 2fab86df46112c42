//! What the pool needs of a connection that serves requests.

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

    /// How long PostgreSQL may be silent while a caller waits, and how long a job may read from SQLite.
    pub(crate) fn set_patience(&mut self, patience: Duration) {
        match &mut self.driver {
            Driver::Postgres(server) => server.set_patience(patience),
            Driver::Sqlite { deadline, .. } => {
                if let Some(deadline) = deadline {
                    deadline.set(patience);
                }
            }
        }
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
