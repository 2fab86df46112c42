//! Backup of a SQLite store into one file, and restore. The file is a SQLite database that any tool can open; its
//! format and SQL are in `rollcall_store::backup`.

mod atomic_file;
mod checksum;
mod progress;
mod restore;
mod schedule;
mod store_lock;
mod swap;
mod validate;
mod write;

use std::path::{Path, PathBuf};

pub use checksum::write_checksum;
pub use restore::{RestoreOptions, RestoreSummary, restore};
pub use schedule::{BackupPlace, BackupSchedule};
pub use store_lock::StoreLock;
pub use swap::is_restore_unfinished;
pub use write::{BackupOptions, BackupSummary, backup};

use rollcall_store::Database;
use rollcall_store::backup::{CopyError, unknown_migration};

/// Called with the current step, the amount done and the total.
pub type BackupProgress<'a> = &'a (dyn Fn(&'static str, u64, u64) + Sync);

/// Row counts by table name.
pub type BackupContents = Vec<(&'static str, u64)>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    Refused(String),
    #[error("{0}: {1}")]
    File(String, std::io::Error),
    #[error("writing {0} failed: {1}")]
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

    /// Adds the name of the file that was being written to an error of the store.
    fn while_writing(path: &Path) -> impl Fn(Self) -> Self {
        let name = path.display().to_string();
        move |error| match error {
            Self::Store(error) => Self::Copy(name.clone(), error),
            other => other,
        }
    }

    /// An error of copying rows out of `source`.
    fn copying(source: &str) -> impl Fn(CopyError) -> Self {
        move |error| match error {
            CopyError::Store(error) => Self::Store(error),
            CopyError::UnknownMigration(number) => newer_version(source, number),
            error @ CopyError::ChangedTable(_) => Self::Refused(error.to_string()),
        }
    }
}

/// Refuses a store whose tables this version does not know.
fn refuse_newer(migrations: &[i64], source: &str) -> Result<(), Error> {
    match unknown_migration(migrations) {
        Some(number) => Err(newer_version(source, number)),
        None => Ok(()),
    }
}

fn newer_version(source: &str, migration: i64) -> Error {
    Error::Refused(format!(
        "{source} was written by a newer version of rollcall than this one ({}): migration {migration} is unknown; \
         use the newer version",
        env!("CARGO_PKG_VERSION")
    ))
}

fn ledger_of(database: &Path) -> PathBuf {
    match Database::Sqlite(database.to_owned()).ledger() {
        Database::Sqlite(path) => path,
        Database::Postgres(_) => unreachable!("the ledger of a SQLite store is a SQLite file"),
    }
}

/// `rollcall.db` and `.part`: `rollcall.db.part`
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn sync_file(path: &Path) -> Result<(), Error> {
    std::fs::File::open(path).and_then(|file| file.sync_all()).map_err(Error::file(path))
}

/// A new file name is durable only after its directory is synced.
fn sync_parent_folder(path: &Path) -> Result<(), Error> {
    sync_file(path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")))
}
