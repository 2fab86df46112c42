//! The only folder that names a database driver. A [`Conn`] speaks to SQLite or PostgreSQL with one SQL text:
//! `$1` placeholders and four types. Everything above it is written once.

mod batch;
mod database;
mod postgres;
mod sqlite_file;
mod value;
mod write_probe;

use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

pub use database::Database;
pub use sqlite_file::Reading;
pub use value::Value;

use postgres::Postgres;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use write_probe::Probe;

use super::{Error, Result};

/// One row of an answer, read by column number.
pub enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

impl Row<'_> {
    /// A column that does not hold the asked type is a mistake in our SQL, not in the data: it panics, and the
    /// request that asked becomes a 500.
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
    /// A file that nobody else knows yet has nothing to ask for.
    Sqlite {
        conn: rusqlite::Connection,
        probe: Option<Probe>,
    },
    Postgres(Box<Postgres>),
}

/// One connection. Blocking: use it on a thread of the [`super::Pool`] or in a command, never on an async worker.
pub struct Conn {
    driver: Driver,
    in_transaction: bool,
}

/// How long a writer waits for another process that holds SQLite's write lock.
const SQLITE_BUSY: Duration = Duration::from_secs(15);
/// The same for a server's pages and calls; less than `http.request_timeout` usually is.
const BRISK: Duration = Duration::from_secs(7);
/// How long PostgreSQL may take to accept a connection or to say that one is well.
const POSTGRES_ANSWER: Duration = Duration::from_secs(5);
/// A server that acknowledges nothing for so long is gone.
const POSTGRES_SILENCE: Duration = Duration::from_secs(10);
/// Distinct statements kept prepared per connection; there are fewer in the whole program.
const PREPARED_STATEMENTS: usize = 256;

impl Conn {
    /// Makes an empty database where there is none.
    pub fn open(database: &Database) -> Result<Self> {
        if let Database::Sqlite(path) = database {
            create(path).map_err(|e| Error::Unavailable(format!("cannot create {}: {e}", path.display())))?;
        }
        Self::open_again(database)
    }

    /// A database that was there before. One that is gone is not replaced by an empty one: it may come back.
    pub fn open_again(database: &Database) -> Result<Self> {
        let driver = match database {
            Database::Sqlite(path) => {
                let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let conn = rusqlite::Connection::open_with_flags(path, flags)?;
                conn.busy_timeout(SQLITE_BUSY)?;
                // Or a statement is compiled anew whenever it is asked for another value.
                conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
                conn.execute_batch(
                    "pragma journal_mode = wal;
                     pragma synchronous = full;
                     pragma foreign_keys = on;
                     pragma temp_store = memory;
                     pragma cache_size = -2048;",
                )?;
                conn.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
                Driver::Sqlite { conn, probe: Some(Probe::beside(path)?) }
            }
            Database::Postgres(url) => {
                let mut config: tokio_postgres::Config =
                    url.parse().map_err(|_| Error::Unavailable("the PostgreSQL URL cannot be read".into()))?;
                config
                    .connect_timeout(POSTGRES_ANSWER)
                    .tcp_user_timeout(POSTGRES_SILENCE)
                    .keepalives_idle(POSTGRES_SILENCE)
                    .application_name("rollcall");
                Driver::Postgres(Box::new(Postgres::connect(&config)?))
            }
        };
        Ok(Self { driver, in_transaction: false })
    }

    /// For whoever is waited for: a lock that others hold is given up before a client gives up on us.
    pub fn be_brisk(&mut self) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => conn.busy_timeout(BRISK)?,
            Driver::Postgres(server) => server.batch(&format!("set lock_timeout = {}", BRISK.as_millis()))?,
        }
        Ok(())
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.driver, Driver::Postgres(_))
    }

    /// Whether the connection can be used; `try_it` asks the server or the disk instead of believing it.
    pub fn is_good(&mut self, try_it: bool) -> bool {
        match &mut self.driver {
            Driver::Sqlite { probe, .. } => !try_it || probe.as_ref().is_none_or(Probe::is_in_place),
            Driver::Postgres(server) => !server.is_closed() && (!try_it || server.answers_within(POSTGRES_ANSWER)),
        }
    }

    /// Runs statements that take no parameters and give no rows.
    pub fn batch(&mut self, sql: &str) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => conn.execute_batch(sql)?,
            Driver::Postgres(server) => server.batch(sql)?,
        }
        Ok(())
    }

    pub fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64> {
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

    /// Hands each row to `read` as it arrives: an export of millions of rows never stands in memory whole.
    pub fn for_each(&mut self, sql: &str, values: &[Value], mut read: impl FnMut(&Row)) -> Result<()> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => {
                let mut statement = conn.prepare_cached(&sqlite_placeholders(sql))?;
                let mut rows = statement.query(rusqlite::params_from_iter(values))?;
                while let Some(row) = rows.next()? {
                    read(&Row::Sqlite(row));
                }
            }
            Driver::Postgres(server) => server.for_each(sql, values, |row| read(&Row::Postgres(row)))?,
        }
        Ok(())
    }

    pub fn first<T>(&mut self, sql: &str, values: &[Value], read: impl FnMut(&Row) -> T) -> Result<Option<T>> {
        Ok(self.query(sql, values, read)?.into_iter().next())
    }

    /// The one row a statement always gives (an aggregate, `returning`).
    pub fn one<T>(&mut self, sql: &str, values: &[Value], read: impl FnMut(&Row) -> T) -> Result<T> {
        self.first(sql, values, read)?.ok_or_else(|| Error::Unavailable(format!("no row from: {sql}")))
    }

    /// All or nothing. Takes SQLite's write lock at once, so that a reader never turns writer and fails.
    pub fn transaction<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        if self.in_transaction {
            return work(self);
        }
        if let Driver::Sqlite { probe: Some(probe), .. } = &mut self.driver {
            probe.ask()?;
        }
        self.batch(if self.is_postgres() { "begin" } else { "begin immediate" })?;
        self.in_transaction = true;
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(self)));
        self.in_transaction = false;
        match outcome {
            Ok(Ok(value)) => {
                self.batch("commit").inspect_err(|_| {
                    // A commit that failed (disk full) leaves SQLite inside the transaction.
                    let _ = self.batch("rollback");
                })?;
                Ok(value)
            }
            Ok(Err(error)) => {
                let _ = self.batch("rollback");
                Err(error)
            }
            Err(panic) => {
                let _ = self.batch("rollback");
                std::panic::resume_unwind(panic)
            }
        }
    }

    /// A consistent view for several reads that must agree with each other.
    pub fn snapshot<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        let begin =
            if self.is_postgres() { "begin isolation level repeatable read read only" } else { "begin deferred" };
        self.execute(begin, &[])?;
        let outcome = work(self);
        self.execute("rollback", &[])?;
        outcome
    }

    /// Several reads that need not agree, but belong together: SQLite locks its file once for all of them, while
    /// PostgreSQL would have to be told twice more.
    pub fn together<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        if self.is_postgres() { work(self) } else { self.snapshot(work) }
    }

    /// Inserts many rows quickly: COPY on PostgreSQL, one prepared statement on SQLite. `rows` calls its argument
    /// once per row, with the values in the order of `columns`.
    pub fn bulk_insert(
        &mut self,
        table: &str,
        columns: &[&str],
        rows: impl FnOnce(&mut dyn FnMut(&[Value]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        let names = columns.join(", ");
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => {
                let marks: Vec<String> = (1..=columns.len()).map(|i| format!("?{i}")).collect();
                let sql = format!("insert into {table} ({names}) values ({})", marks.join(", "));
                let mut statement = conn.prepare(&sql)?;
                rows(&mut |values| {
                    statement.execute(rusqlite::params_from_iter(values))?;
                    Ok(())
                })
            }
            Driver::Postgres(server) => server.copy_in(&format!("copy {table} ({names}) from stdin"), |send| {
                let mut line = String::new();
                rows(&mut |values| {
                    line.clear();
                    copy_line(values, &mut line);
                    send(&line)
                })
            }),
        }
    }
}

/// For its owner alone, as it holds names and hashes; what SQLite puts beside it gets the same mode.
fn create(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)?;
    }
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// SQLite numbers `$1` by its first appearance; `?1` is numbered by what it says, as PostgreSQL's `$1` is.
fn sqlite_placeholders(sql: &str) -> String {
    sql.replace('$', "?")
}

/// PostgreSQL's text format: tab-separated, `\N` for null, backslash escapes.
fn copy_line(values: &[Value], line: &mut String) {
    use std::fmt::Write;
    for (i, value) in values.iter().enumerate() {
        if i > 0 {
            line.push('\t');
        }
        match value {
            Value::Null => line.push_str("\\N"),
            Value::Int(v) => write!(line, "{v}").expect("writing to a string"),
            Value::Real(v) => write!(line, "{v:?}").expect("writing to a string"),
            Value::Bool(v) => line.push(if *v { 't' } else { 'f' }),
            Value::Bytes(v) => {
                line.push_str("\\\\x");
                v.iter().for_each(|byte| write!(line, "{byte:02x}").expect("writing to a string"));
            }
            Value::Text(v) => {
                for c in v.chars() {
                    match c {
                        '\\' => line.push_str("\\\\"),
                        '\t' => line.push_str("\\t"),
                        '\n' => line.push_str("\\n"),
                        '\r' => line.push_str("\\r"),
                        c => line.push(c),
                    }
                }
            }
        }
    }
    line.push('\n');
}
