//! SQLite files: what `backup`, `restore` and reading commands need beyond the SQL that both engines share.

use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;

use super::{Conn, Driver, PREPARED_STATEMENTS, SQLITE_BUSY_TIMEOUT, create};
use crate::{Error, Result};

/// Characters besides letters and digits that need no escape in a URI path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// How another file is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachMode {
    /// Other processes may write to it.
    ReadWrite,
    /// Other processes may write to it, this one may not.
    ReadOnly,
    /// No process writes to it. SQLite ignores its WAL and creates no files next to it.
    Immutable,
}

impl AttachMode {
    /// How this process may read a database that others may write.
    pub(crate) fn for_reading(path: &Path) -> Self {
        if crate::private_files::is_writable(path) {
            return Self::ReadWrite;
        }
        let mut wal = path.as_os_str().to_owned();
        wal.push("-wal");
        // Without the right to create the files of a WAL, SQLite can only read a database that has none.
        match Path::new(&wal).metadata() {
            Ok(wal) if wal.len() > 0 => Self::ReadOnly,
            _ => Self::Immutable,
        }
    }
}

/// Values that a column may hold, by its declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Integer,
    Real,
    Text,
    Blob,
}

impl ColumnKind {
    pub fn of_declared(declared: &str) -> Option<Self> {
        match declared.to_ascii_lowercase().as_str() {
            "integer" | "bigint" | "boolean" => Some(Self::Integer),
            "double precision" => Some(Self::Real),
            "text" => Some(Self::Text),
            "blob" => Some(Self::Blob),
            _ => None,
        }
    }

    /// Null is left to the `not null` of the column. Text must be UTF-8, which SQLite does not check.
    fn holds(self, value: ValueRef) -> bool {
        match (self, value) {
            (_, ValueRef::Null)
            | (Self::Integer | Self::Real, ValueRef::Integer(_))
            | (Self::Blob, ValueRef::Blob(_)) => true,
            (Self::Real, ValueRef::Real(number)) => number.is_finite(),
            (Self::Text, ValueRef::Text(text)) => std::str::from_utf8(text).is_ok(),
            _ => false,
        }
    }
}

/// Values that a column of an untrusted file may hold.
pub(crate) struct CheckedColumn {
    pub name: String,
    pub kind: ColumnKind,
    /// Of an integer.
    pub range: RangeInclusive<i64>,
}

/// Largest value and row in a file from outside, in bytes. A snapshot of the leaderboards has the largest of ours.
const MAX_UNTRUSTED_VALUE: i32 = 64 << 20;
/// Longest statement in the schema of a file from outside.
const MAX_UNTRUSTED_SQL: i32 = 64 << 10;
/// Steps of SQLite's virtual machine before the schema of a file from outside is known to be ours. Ours needs some thousands.
const UNTRUSTED_STEPS: i32 = 10_000_000;

impl Conn {
    /// A database in memory.
    pub fn in_memory() -> Result<Self> {
        let conn = rusqlite::Connection::open_in_memory()?;
        Ok(Self {
            driver: Driver::Sqlite { conn, probe: None, deadline: None },
            in_transaction: false,
            only_reads: false,
        })
    }

    /// Opens a database for reading only: on a read-only disk, or for a user who may only read it.
    pub fn open_read_only(path: &Path) -> Result<Self> {
        let mode = match AttachMode::for_reading(path) {
            AttachMode::ReadWrite => AttachMode::ReadOnly,
            mode => mode,
        };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = rusqlite::Connection::open_with_flags(uri(path, mode), flags)?;
        conn.busy_timeout(SQLITE_BUSY_TIMEOUT)?;
        conn.execute_batch("pragma temp_store = memory;")?;
        conn.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        Ok(Self {
            driver: Driver::Sqlite { conn, probe: None, deadline: None },
            in_transaction: false,
            only_reads: false,
        })
    }

    /// Opens a file that no other process uses yet, without a journal file and without syncing. The caller syncs it when it is
    /// complete, and deletes it on failure.
    pub fn open_unsynced(path: &Path) -> Result<Self> {
        create(path).map_err(|e| Error::Unavailable(format!("cannot create {}: {e}", path.display())))?;
        let conn = rusqlite::Connection::open(path)?;
        harden(&conn)?;
        conn.busy_timeout(SQLITE_BUSY_TIMEOUT)?;
        conn.execute_batch(
            "pragma journal_mode = memory;
             pragma synchronous = off;
             pragma foreign_keys = off;
             pragma temp_store = memory;
             pragma cache_size = -65536;",
        )?;
        conn.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        Ok(Self {
            driver: Driver::Sqlite { conn, probe: None, deadline: None },
            in_transaction: false,
            only_reads: false,
        })
    }

    /// Opens a complete file read-only; it may be on a read-only disk. The file may come from anyone: nothing in its schema
    /// runs, and values are bounded.
    pub fn open_immutable(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = rusqlite::Connection::open_with_flags(uri(path, AttachMode::Immutable), flags)?;
        harden(&conn)?;
        conn.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_UNTRUSTED_VALUE)?;
        conn.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_UNTRUSTED_SQL)?;
        Ok(Self {
            driver: Driver::Sqlite { conn, probe: None, deadline: None },
            in_transaction: false,
            only_reads: false,
        })
    }

    /// Runs `work` and interrupts a statement that takes more steps than any of ours would.
    pub(crate) fn with_step_limit<T>(&mut self, work: impl FnOnce(&mut Conn) -> Result<T>) -> Result<T> {
        self.sqlite()?.progress_handler(UNTRUSTED_STEPS, Some(|| true))?;
        let outcome = work(self);
        self.sqlite()?.progress_handler(0, None::<fn() -> bool>)?;
        outcome
    }

    /// What is wrong with the first value of another type or out of range. Reading the one, or adding to the other, would panic.
    pub(crate) fn first_invalid(&mut self, table: &str, columns: &[CheckedColumn]) -> Result<Option<String>> {
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let mut statement = self.sqlite()?.prepare(&format!("select {} from {table}", names.join(", ")))?;
        let mut rows = statement.query([])?;
        let mut number = 0_u64;
        while let Some(row) = rows.next()? {
            number += 1;
            for (i, CheckedColumn { name, kind, range }) in columns.iter().enumerate() {
                let value = row.get_ref(i)?;
                if !kind.holds(value) {
                    return Ok(Some(format!("{name}, row {number} has a value of the wrong type")));
                }
                if let ValueRef::Integer(value) = value
                    && *kind == ColumnKind::Integer
                    && !range.contains(&value)
                {
                    let (min, max) = (range.start(), range.end());
                    return Ok(Some(format!("{name}, row {number} is {value} and not from {min} to {max}")));
                }
            }
        }
        Ok(None)
    }

    /// Copies a snapshot of this database into an empty file while others read and write. `vacuum into` is one read
    /// transaction, which writers do not restart, and it leaves out deleted data.
    pub fn vacuum_into(&mut self, path: &Path) -> Result<()> {
        let path = path.to_str().ok_or_else(|| Error::Unavailable(format!("{} is not UTF-8", path.display())))?;
        self.sqlite()?.execute("vacuum into ?1", [path])?;
        Ok(())
    }

    /// Attaches another file; statements name its tables `name.table`.
    pub fn attach(&mut self, path: &Path, name: &str, mode: AttachMode) -> Result<()> {
        self.sqlite()?.execute(&format!("attach ?1 as {name}"), [uri(path, mode)])?;
        Ok(())
    }

    pub fn detach(&mut self, name: &str) -> Result<()> {
        self.execute_batch(&format!("detach {name}"))
    }

    /// A transaction that takes no write lock on files it only reads, such as attached ones. There is no rollback on failure:
    /// use it for files that are deleted then.
    pub(crate) fn deferred_transaction<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.execute_batch("begin deferred")?;
        self.in_transaction = true;
        let value = work(self)?;
        self.in_transaction = false;
        self.execute_batch("commit")?;
        Ok(value)
    }

    /// Executes a statement with two parameters, a text and a blob.
    pub(crate) fn execute_with_blob(&mut self, sql: &str, text: &str, bytes: &[u8]) -> Result<()> {
        self.sqlite()?.prepare_cached(sql)?.execute(rusqlite::params![text, bytes])?;
        Ok(())
    }

    /// The first error that SQLite's `quick_check` finds; `None` if the file is intact.
    pub fn quick_check(&mut self) -> Result<Option<String>> {
        let result: String = self.sqlite()?.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
        // The result may span several lines.
        Ok((result != "ok").then(|| result.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn sqlite(&mut self) -> Result<&mut rusqlite::Connection> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => Ok(conn),
            Driver::Postgres(_) => Err(Error::Unavailable("this operation needs a SQLite database".into())),
        }
    }
}

/// Settings that SQLite recommends for files from outside: the schema cannot call functions with side effects, views and triggers
/// do not run, and corrupt cells are found before they are used.
fn harden(conn: &rusqlite::Connection) -> Result<()> {
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    conn.execute_batch("pragma cell_size_check = on; pragma mmap_size = 0;")?;
    Ok(())
}

fn uri(path: &Path, mode: AttachMode) -> String {
    let path = percent_encode(path.as_os_str().as_bytes(), PATH);
    match mode {
        AttachMode::ReadWrite => format!("file:{path}?mode=rw"),
        AttachMode::ReadOnly => format!("file:{path}?mode=ro"),
        AttachMode::Immutable => format!("file:{path}?mode=ro&immutable=1"),
    }
}
