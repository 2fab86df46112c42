//! Database access; no other module names a driver. A [`Conn`] runs the same SQL on SQLite and PostgreSQL: `$1` placeholders
//! and the types of [`Value`].

mod batch;
mod bulk_insert;
mod database;
mod pipeline;
mod pooled;
mod postgres;
mod postgres_tls;
mod postgres_url;
mod read_deadline;
mod sqlite_file;
mod transaction;
mod value;
mod wal;
mod write_probe;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

pub use database::Database;
pub use sqlite_file::AttachMode;
pub(crate) use sqlite_file::{CheckedColumn, ColumnKind};
pub use value::Value;

use pipeline::Pipeline;
use postgres::Postgres;
use read_deadline::ReadDeadline;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use write_probe::WriteProbe;

use super::{Error, Result, private_files};

/// A result row, read by column number.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// Panics if the column has another type: that is a bug in our SQL. The pool catches the panic.
    pub fn get<T>(&self, column: usize) -> T
    where
        T: rusqlite::types::FromSql + for<'b> tokio_postgres::types::FromSql<'b>,
    {
        match self {
            Row::Sqlite(row) => row.get(column).unwrap_or_else(|e| panic!("column {column}: {e}")),
            Row::Postgres(row) => row.try_get(column).unwrap_or_else(|e| panic!("column {column}: {e}")),
        }
    }
}

enum Driver {
    /// A file that no other process uses needs no probe.
    Sqlite {
        conn: rusqlite::Connection,
        probe: Option<WriteProbe>,
        /// Of connections that read for requests.
        deadline: Option<Arc<ReadDeadline>>,
    },
    Postgres(Box<Postgres>),
}

/// A blocking connection. Use it on a thread of the [`super::Pool`] or in a command, never on an async worker.
pub struct Conn {
    driver: Driver,
    in_transaction: bool,
    /// During [`Conn::batch_reads`], which may run its work twice.
    only_reads: bool,
}

/// How long a command waits for SQLite's write lock.
const SQLITE_BUSY_TIMEOUT: Duration = Duration::from_secs(15);
/// How long PostgreSQL may be silent while a command waits for an answer.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(3600);
/// Prepared statements cached per connection; the program has fewer distinct ones.
const PREPARED_STATEMENTS: usize = 256;

impl Conn {
    /// Creates the SQLite file if it does not exist.
    pub fn open(database: &Database) -> Result<Self> {
        if let Database::Sqlite(path) = database {
            create(path).map_err(|e| Error::Unavailable(format!("cannot create {}: {e}", path.display())))?;
        }
        Self::open_existing(database)
    }

    /// Never creates a file: a missing database (an unmounted disk) must not be replaced by an empty one.
    pub fn open_existing(database: &Database) -> Result<Self> {
        let driver = match database {
            Database::Sqlite(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let conn = rusqlite::Connection::open_with_flags(path, flags)?;
                conn.busy_timeout(SQLITE_BUSY_TIMEOUT)?;
                // Keeps prepared statements: without it SQLite may recompile one for each new value.
                conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
                conn.execute_batch(&format!(
                    "pragma journal_mode = wal;
                     pragma journal_size_limit = {};
                     pragma wal_autocheckpoint = {};
                     pragma synchronous = full;
                     pragma foreign_keys = on;
                     pragma temp_store = memory;
                     pragma cache_size = -2048;",
                    wal::MAX_BYTES,
                    wal::CHECKPOINT_PAGES
                ))?;
                conn.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
                Driver::Sqlite { conn, probe: Some(WriteProbe::new(path)?), deadline: None }
            }
            Database::Postgres(url) => Driver::Postgres(Box::new(Postgres::connect(url, COMMAND_TIMEOUT)?)),
        };
        Ok(Self { driver, in_transaction: false, only_reads: false })
    }

    /// Connects to a replica whose server may be silent for this long.
    pub(crate) fn open_replica(database: &Database, timeout: Duration) -> Result<Self> {
        match database {
            Database::Sqlite(_) => Err(Error::Unavailable("SQLite has no replicas".into())),
            Database::Postgres(url) => {
                let driver = Driver::Postgres(Box::new(Postgres::connect(url, timeout)?));
                Ok(Self { driver, in_transaction: false, only_reads: false })
            }
        }
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.driver, Driver::Postgres(_))
    }

    /// Runs statements that have no parameters and return no rows.
    pub fn execute_batch(&mut self, sql: &str) -> Result<()> {
        self.refuse_in_batch(sql);
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => conn.execute_batch(sql)?,
            Driver::Postgres(server) => server.execute_batch(sql)?,
        }
        Ok(())
    }

    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
        self.refuse_in_batch(sql);
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => {
                let mut statement = conn.prepare_cached(&sqlite_placeholders(sql))?;
                Ok(statement.execute(rusqlite::params_from_iter(values))? as u64)
            }
            Driver::Postgres(server) => server.execute(sql, values),
        }
    }

    pub fn query<T>(&mut self, sql: &str, values: &[Value], mut read: impl FnMut(&Row) -> T) -> Result<Vec<T>> {
        let mut out = Vec::new();
        self.for_each(sql, values, |row| out.push(read(row)))?;
        Ok(out)
    }

    /// Streams the rows to `read`, so that an export of millions of rows needs little memory.
    pub fn for_each(&mut self, sql: &str, values: &[Value], mut read: impl FnMut(&Row)) -> Result<()> {
        self.stream(sql, values, &mut read)
    }

    /// Not generic: both drivers would be compiled again for each of some 400 queries.
    fn stream(&mut self, sql: &str, values: &[Value], read: &mut dyn FnMut(&Row)) -> Result<()> {
        if !sql.trim_start().starts_with("select") && !sql.trim_start().starts_with("with") {
            self.refuse_in_batch(sql);
        }
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => {
                let mut statement = conn.prepare_cached(&sqlite_placeholders(sql))?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    read(&Row::Sqlite(row));
                }
            }
            Driver::Postgres(server) => server.for_each(sql, values, &mut |row| read(&Row::Postgres(row)))?,
        }
        Ok(())
    }

    /// The first row, if any.
    pub fn query_optional<T>(&mut self, sql: &str, values: &[Value], read: impl FnMut(&Row) -> T) -> Result<Option<T>> {
        Ok(self.query(sql, values, read)?.into_iter().next())
    }

    /// The row that a statement always returns (an aggregate, `returning`). No row is [`Error::MissingRow`].
    pub fn query_one<T>(&mut self, sql: &str, values: &[Value], read: impl FnMut(&Row) -> T) -> Result<T> {
        self.query_optional(sql, values, read)?.ok_or_else(|| Error::MissingRow(sql.to_owned()))
    }

    /// Runs `work` with SQLite's temporary data in files. Elsewhere it is in memory, where it is small and must be fast.
    pub(crate) fn with_temporary_files<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        // SQLite refuses to change it within a transaction.
        if self.is_postgres() || self.in_transaction {
            return work(self);
        }
        let before: i64 = self.query_one("pragma temp_store", &[], |row| row.get(0))?;
        self.execute_batch("pragma temp_store = file")?;
        let outcome = work(self);
        let restored = self.execute_batch(&format!("pragma temp_store = {before}"));
        outcome.and_then(|value| restored.map(|()| value))
    }

    /// Runs several reads that need not agree. SQLite locks its file once for all of them. On PostgreSQL they take one round trip:
    /// `work` runs once without rows to learn its queries, and then with the rows of all of them. A query that depends on the rows of
    /// another is sent when `work` makes it, and so are those that follow a missing row of [`Self::query_one`].
    /// Work that changes something panics.
    pub fn batch_reads<T>(&mut self, work: impl Fn(&mut Conn) -> Result<T>) -> Result<T> {
        let outer = self.only_reads;
        let work = |conn: &mut Conn| {
            conn.only_reads = true;
            let outcome = work(conn);
            conn.only_reads = outer;
            outcome
        };
        let Driver::Postgres(server) = &mut self.driver else { return self.snapshot(work) };
        if !server.pipeline.is_off() {
            return work(self);
        }
        server.pipeline = Pipeline::Recording(Vec::new());
        // Its result was made without rows. A panic would leave the connection recording.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self).map(drop)));
        self.only_reads = outer;
        let outcome = self.postgres().map_or(Ok(()), Postgres::send_recorded).and_then(|()| work(self));
        if let Some(server) = self.postgres() {
            server.pipeline = Pipeline::Off;
        }
        outcome
    }

    /// Panics: it is a bug to change something in [`Self::batch_reads`]. The pool catches the panic.
    fn refuse_in_batch(&self, sql: &str) {
        assert!(!self.only_reads, "batch_reads may run its work twice, so it must not run {sql:?}");
    }

    fn postgres(&mut self) -> Option<&mut Postgres> {
        match &mut self.driver {
            Driver::Postgres(server) => Some(server),
            Driver::Sqlite { .. } => None,
        }
    }
}

/// Creates the file for its owner only. SQLite gives its WAL files the mode and the owner of the database.
fn create(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        private_files::create_folder(folder)?;
    }
    match private_files::create_new(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => {
            for suffix in ["", "-wal", "-shm", "-journal", "-probe"] {
                let mut name = path.as_os_str().to_owned();
                name.push(suffix);
                private_files::close_to_others(Path::new(&name));
            }
            Ok(())
        }
        Ok(_) => Ok(()),
    }
}

/// SQLite numbers `$1` by order of appearance; `?1` means what PostgreSQL's `$1` means.
fn sqlite_placeholders(sql: &str) -> String {
    sql.replace('$', "?")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch() -> (tempfile::TempDir, Conn) {
        let folder = tempfile::tempdir().unwrap();
        let conn = Conn::open_unsynced(&folder.path().join("scratch.db")).unwrap();
        (folder, conn)
    }

    #[test]
    fn a_batch_of_reads_changes_nothing() {
        for change in [
            |conn: &mut Conn| conn.execute("create table t (n bigint)", &[]).map(drop),
            |conn: &mut Conn| conn.execute_batch("create table t (n bigint)"),
            |conn: &mut Conn| conn.transaction(|_| Ok(())),
            |conn: &mut Conn| conn.query("insert into t values (1) returning n", &[], |_| ()).map(drop),
        ] {
            let (_folder, mut conn) = scratch();
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| conn.batch_reads(change)));
            let message = *outcome.unwrap_err().downcast::<String>().unwrap();
            assert!(message.starts_with("batch_reads may run its work twice"), "{message}");
        }
    }

    /// Fails with a cause of its own after the transaction has ended, so that the rollback fails too.
    fn fail_with_busy(conn: &mut Conn) -> Result<()> {
        conn.execute_batch("rollback")?;
        Err(Error::Busy)
    }

    #[test]
    fn a_missing_row_is_a_bug_and_not_an_outage() {
        let (_folder, mut conn) = scratch();
        let error = conn.query_one("select 1 where false", &[], |_| ()).unwrap_err();
        assert!(matches!(error, Error::MissingRow(_)), "{error:?}");
        assert!(!error.is_outage());
    }

    #[test]
    fn a_failed_rollback_does_not_hide_the_cause() {
        let (_folder, mut conn) = scratch();
        assert!(matches!(conn.snapshot(fail_with_busy), Err(Error::Busy)));
        assert!(matches!(conn.transaction(fail_with_busy), Err(Error::Busy)));
        assert_eq!(conn.query_one("select 1", &[], |row| row.get::<i64>(0)).unwrap(), 1);
    }
}
