//! Copies of SQLite databases: what `backup` and `restore` need beyond the statements that both engines share.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::OpenFlags;

use super::{Conn, Driver, PREPARED_STATEMENTS, SQLITE_BUSY};
use crate::{Error, Result};

/// What else may stand in a URI as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.');

/// How another file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Others may be writing to it.
    Live,
    /// It is finished: nothing that stands beside it is believed, and nothing is written there.
    Finished,
}

impl Conn {
    /// A file that is nobody else's until it is whole: nothing stands beside it, and nothing waits for the disk. Whoever
    /// wants it to last syncs it at the end, and whoever fails throws it away.
    pub fn open_aside(path: &Path) -> Result<Self> {
        let conn = rusqlite::Connection::open(path)?;
        conn.busy_timeout(SQLITE_BUSY)?;
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

    /// A finished file, which may lie where nothing can be written.
    pub fn open_finished(path: &Path) -> Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = rusqlite::Connection::open_with_flags(uri(path, Reading::Finished), flags)?;
        conn.execute_batch("pragma trusted_schema = off; pragma cell_size_check = on;")?;
        Ok(Self { driver: Driver::Sqlite { conn, probe: None }, in_transaction: false })
    }

    /// Writes one moment of this database into an empty file. Others may read and write meanwhile: it is one read
    /// transaction, which no writer makes begin again, and what was deleted is not copied.
    pub fn copy_into(&mut self, path: &Path) -> Result<()> {
        let path = path.to_str().ok_or_else(|| Error::Unavailable(format!("{} is not UTF-8", path.display())))?;
        self.sqlite()?.execute("vacuum into ?1", [path])?;
        Ok(())
    }

    /// From now on statements may name the tables of another file, as `name.table`.
    pub fn attach(&mut self, path: &Path, name: &str, reading: Reading) -> Result<()> {
        self.sqlite()?.execute(&format!("attach ?1 as {name}"), [uri(path, reading)])?;
        Ok(())
    }

    pub fn detach(&mut self, name: &str) -> Result<()> {
        self.batch(&format!("detach {name}"))
    }

    /// A transaction that locks nothing of what it only reads, attached files included. When it fails, what was
    /// written is left as it is: for files that are thrown away then.
    pub fn fill<T, E: From<Error>>(
        &mut self,
        work: impl FnOnce(&mut Conn) -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        self.batch("begin deferred")?;
        self.in_transaction = true;
        let value = work(self)?;
        self.in_transaction = false;
        self.batch("commit")?;
        Ok(value)
    }

    /// Executes a statement of two parameters, a text and bytes. Bytes are no type of the schema's.
    pub fn execute_bytes(&mut self, sql: &str, text: &str, bytes: &[u8]) -> Result<()> {
        self.sqlite()?.prepare_cached(sql)?.execute(rusqlite::params![text, bytes])?;
        Ok(())
    }

    /// What SQLite finds wrong with the file; `None` when it is sound.
    pub fn fault(&mut self) -> Result<Option<String>> {
        let told: String = self.sqlite()?.query_row("pragma quick_check(1)", [], |row| row.get(0))?;
        // It tells it on several lines.
        Ok((told != "ok").then(|| told.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn sqlite(&mut self) -> Result<&mut rusqlite::Connection> {
        match &mut self.driver {
            Driver::Sqlite { conn, .. } => Ok(conn),
            Driver::Postgres(_) => Err(Error::Unavailable("only a SQLite database is a file".into())),
        }
    }
}

fn uri(path: &Path, reading: Reading) -> String {
    let path = percent_encode(path.as_os_str().as_bytes(), PATH);
    match reading {
        Reading::Live => format!("file:{path}?mode=rw"),
        Reading::Finished => format!("file:{path}?mode=ro&immutable=1"),
    }
}
