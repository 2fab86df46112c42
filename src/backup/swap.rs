//! Replaces a store by another atomically, even across a crash.
//!
//! A store is two databases, and no file system renames two files at once. So the new databases are prepared under
//! temporary names (`rollcall.db.restoring`, `rollcall-ledger.db.restoring`), and then a marker file
//! (`rollcall.db.restored`) is written. The marker is the commit point. Before it, the old store is untouched, and the
//! next restore deletes the temporary files. After it, the next process that gets the exclusive lock completes these
//! steps, each of which is idempotent:
//!
//! 1. Rename the old database's log (`-wal`) and then the database to the name in the marker.
//! 2. Rename the new database to its final name. No log of the old one is left next to it.
//! 3. The same for the ledger.
//! 4. Delete the marker.
//!
//! Nothing of the old store is deleted. Under its new name it is a complete store.

use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::{Error, ledger_of, sync_parent_folder, with_suffix};
use rollcall_store::private_files;

/// Follows symbolic links: locks and logs are next to the real file.
pub fn resolve(database: &Path) -> PathBuf {
    database.canonicalize().unwrap_or_else(|_| database.to_owned())
}

/// Two new databases next to the ones they will replace. Dropping it before [`PendingStore::swap_in`] deletes them.
pub struct PendingStore {
    database: PathBuf,
    is_committed: bool,
}

impl PendingStore {
    /// Deletes what an interrupted restore left behind. The caller must hold the exclusive lock.
    pub fn new(database: &Path) -> Result<Self, Error> {
        let pending = Self { database: database.to_owned(), is_committed: false };
        for path in pending.temporary_files() {
            remove(&path)?;
        }
        // The new files get the owner and the permissions of the old ones, except those of everyone.
        for (old, new) in [(database.to_owned(), pending.database()), (ledger_of(database), pending.ledger())] {
            if let Ok(old) = old.metadata() {
                private_files::create_like(&new, &old).map_err(Error::file(&new))?;
            }
        }
        Ok(pending)
    }

    pub fn database(&self) -> PathBuf {
        pending_path(&self.database)
    }

    pub fn ledger(&self) -> PathBuf {
        pending_path(&ledger_of(&self.database))
    }

    /// Commits the new store and moves it into place. Its files must be synced already. Returns the new name of the
    /// old database.
    pub fn swap_in(mut self) -> Result<PathBuf, Error> {
        let old_database = free_name(&self.database);
        sync_parent_folder(&self.database)?;
        let draft = with_suffix(&self.database, ".restored.part");
        let write = || {
            let mut marker = private_files::open_or_create(&draft)?;
            marker.set_len(0)?;
            marker.write_all(old_database.file_name().unwrap_or_default().as_bytes())?;
            marker.sync_all()
        };
        write().map_err(Error::file(&draft))?;
        rename(&draft, &marker_path(&self.database))?;
        self.is_committed = true;
        sync_parent_folder(&self.database)?;
        finish(&self.database)?;
        Ok(old_database)
    }

    fn temporary_files(&self) -> [PathBuf; 3] {
        [self.database(), self.ledger(), with_suffix(&self.database, ".restored.part")]
    }
}

impl Drop for PendingStore {
    fn drop(&mut self) {
        if !self.is_committed {
            for path in self.temporary_files() {
                let _ = remove(&path);
            }
        }
    }
}

/// Whether a restore was interrupted after its commit point.
pub fn is_restore_unfinished(database: &Path) -> bool {
    marker_path(&resolve(database)).exists()
}

/// Completes a committed restore from any step. The caller must hold the exclusive lock.
pub fn finish(database: &Path) -> Result<(), Error> {
    let marker = marker_path(database);
    let old_name = std::fs::read(&marker).map_err(Error::file(&marker))?;
    let old_database = database.with_file_name(OsString::from_vec(old_name));
    for (current, renamed) in
        [(database.to_owned(), old_database.clone()), (ledger_of(database), ledger_of(&old_database))]
    {
        let new = pending_path(&current);
        if !new.exists() {
            continue;
        }
        for suffix in ["-wal", "-journal", ""] {
            let old = with_suffix(&current, suffix);
            if old.exists() {
                rename(&old, &with_suffix(&renamed, suffix))?;
            }
        }
        // SQLite rebuilds this index of the log.
        remove(&with_suffix(&current, "-shm"))?;
        rename(&new, &current)?;
    }
    sync_parent_folder(database)?;
    remove(&marker)?;
    sync_parent_folder(database)
}

/// `rollcall-before-restore.db`, or with a number. The name of its ledger follows from it.
fn free_name(database: &Path) -> PathBuf {
    let name = |number: u32| {
        let mut name = database.file_stem().unwrap_or_default().to_owned();
        name.push("-before-restore");
        if number > 1 {
            name.push(format!("-{number}"));
        }
        if let Some(extension) = database.extension() {
            name.push(".");
            name.push(extension);
        }
        database.with_file_name(name)
    };
    let is_free = |path: &PathBuf| !path.exists() && !ledger_of(path).exists();
    (1..).map(name).find(is_free).expect("there is always a free number")
}

fn pending_path(path: &Path) -> PathBuf {
    with_suffix(path, ".restoring")
}

fn marker_path(database: &Path) -> PathBuf {
    with_suffix(database, ".restored")
}

fn rename(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(Error::file(from))
}

fn remove(path: &Path) -> Result<(), Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::file(path)(error)),
        _ => Ok(()),
    }
}
