//! SQLite files: what `backup` and `restore` need beyond the SQL that both engines share.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::OpenFlags;

use super::{Conn, Driver, PREPARED_STATEMENTS, SQLITE_BUSY_TIMEOUT};
use crate::{Error, Result};

/// Characters besides letters and digits that need no escape in a URI path.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// How another file is attached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachMode {
    /// Other processes may write to it.
    ReadWrite,
    /// No process writes to it. SQLite ignores its WAL and creates no files next to it.
    Immutable,
}

impl Conn {
    /// Opens a file that no other process uses yet, without a journal file and without syncing. The caller syncs it when it is
    /// complete, and deletes it on failure.
    pub fn open_unsynced(path: &Path) -> Result<Self> {
        let conn = rusqlite::Connection::open(path)?;
        conn.busy_timeout(SQLITE_BUSY_TIMEOUT)?;
        conn.execute_batch(
            "pragma journal_mode = memory;
             pragma synchronous = off;
             pragma foreign_keys = off;
             pragma trusted_schema = off;
             pragma temp_store = memory;
             pragma cache_size = -65536;",
        )?;
        conn.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
        Ok(Self { driver: Driver::Sqlite { conn, probe: None }, in_transaction: false })
    }

    /// Opens a complete file read-only; it may be on a read-only disk.
    pub fn open_immutable(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = rusqlite::Connection::open_with_flags(uri(path, AttachMode::Immutable), flags)?;
        conn.execute_batch("pragma trusted_schema = off; pragma cell_size_check = on;")?;
        Ok(Self { driver: Driver::Sqlite { conn, probe: None }, in_transaction: false })
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

fn uri(path: &Path, mode: AttachMode) -> String {
    let path = percent_encode(path.as_os_str().as_bytes(), PATH);
    match mode {
        AttachMode::ReadWrite => format!("file:{path}?mode=rw"),
        AttachMode::Immutable => format!("file:{path}?mode=ro&immutable=1"),
    }
}
