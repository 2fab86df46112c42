//! A SQLite store as one file, and back. The file is a database of its own that any SQLite opens: the tables of the
//! store, those of the ledger, `pictures` (path and bytes), and `backup`, the one row that says when it was made, by
//! which version, and what all its bytes add up to.

mod atomic_file;
mod checksum;
mod progress;
mod read;
mod restore;
mod rows;
mod store_lock;
mod swap;
mod write;

use std::path::{Path, PathBuf};

pub use checksum::seal;
pub use restore::{Restore, Restored, restore};
pub use store_lock::Presence;
pub use swap::is_unfinished;
pub use write::{Backup, Written, backup};

use rollcall_store::{Conn, Database};

/// Stands in SQLite's header as `application_id`, "Roll": other databases are told apart by it.
const APPLICATION: u32 = 0x526f_6c6c;
/// Stands there as `user_version`. To be raised when a backup could no longer be read as before.
const FORMAT: u32 = 1;

/// What is being done, how far it is, and how far it has to go.
pub type Progress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Sync);

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Refused(String),
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("the copy into {0} failed: {1}")]
    Copy(String, rollcall_store::Error),
    #[error(transparent)]
    Store(#[from] rollcall_store::Error),
    #[error(transparent)]
    Media(#[from] rollcall_store::media::Error),
}

impl Error {
    fn file(path: &Path) -> impl Fn(std::io::Error) -> Self {
        let name = path.display().to_string();
        move |error| Self::File(name.clone(), error)
    }

    /// A failure of the store while a file was written says which.
    fn while_writing(path: &Path) -> impl Fn(Self) -> Self {
        let name = path.display().to_string();
        move |error| match error {
            Self::Store(error) => Self::Copy(name.clone(), error),
            other => other,
        }
    }
}

/// What a backup holds, by name.
pub type Contents = Vec<(&'static str, u64)>;

fn contents(conn: &mut Conn) -> rollcall_store::Result<Contents> {
    let count = |table: &'static str| {
        let rows: i64 = conn.one(&format!("select count(*) from {table}"), &[], |row| row.get(0))?;
        Ok((table, rows.cast_unsigned()))
    };
    ["servers", "players", "accounts", "keys", "pictures"].into_iter().map(count).collect()
}

fn ledger_of(database: &Path) -> PathBuf {
    match Database::Sqlite(database.to_owned()).ledger() {
        Database::Sqlite(path) => path,
        Database::Postgres(_) => unreachable!("the ledger of a file is a file"),
    }
}

/// `rollcall.db` and `.part`: `rollcall.db.part`
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn sync_file(path: &Path) -> Result<(), Error> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(Error::file(path))
}

/// A new name lasts when its folder does.
fn sync_folder_of(path: &Path) -> Result<(), Error> {
    sync_file(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}
