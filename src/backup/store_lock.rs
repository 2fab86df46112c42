//! The lock of a SQLite store. Every command, and a running server, holds a shared lock on a file next to the
//! database; a restore holds an exclusive one. The lock file is never deleted: deleting it while another process is
//! about to lock it would let two processes hold the lock.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use super::{Error, swap, with_suffix};
use rollcall_store::private_files;

/// Released when dropped, or when the process ends.
#[derive(Debug)]
pub struct StoreLock {
    _lock: Option<File>,
}

impl StoreLock {
    /// Fails while a restore is running. First completes a restore that was interrupted after its commit point.
    pub fn shared(database: &Path) -> Result<Self, Error> {
        let busy =
            || Error::Refused(format!("a restore of {} is running; try again when it is finished", database.display()));
        let database = swap::resolve(database);
        loop {
            let lock = open(&database)?;
            if !is_acquired(&database, lock.try_lock_shared())? {
                return Err(busy());
            }
            if !swap::is_restore_unfinished(&database) {
                return Ok(Self { _lock: Some(lock) });
            }
            drop(lock);
            drop(Self::try_exclusive(&database)?.ok_or_else(busy)?);
        }
    }

    /// For a command that only reads and may not create the lock file. Without a lock file this store was never
    /// restored, so there is nothing to wait for.
    pub fn shared_for_reading(database: &Path) -> Result<Self, Error> {
        let resolved = swap::resolve(database);
        if swap::is_restore_unfinished(&resolved) {
            return Err(Error::Refused(format!(
                "a restore of {} was interrupted; any command of a user who may write there completes it",
                database.display()
            )));
        }
        match with_suffix(&resolved, ".lock").try_exists() {
            Ok(true) => Self::shared(database),
            _ => Ok(Self { _lock: None }),
        }
    }

    /// Fails while any other process uses the store.
    pub fn exclusive(database: &Path) -> Result<Self, Error> {
        Self::try_exclusive(&swap::resolve(database))?.ok_or_else(|| {
            Error::Refused(format!(
                "a server or another command is using {}; stop it, then restore",
                database.display()
            ))
        })
    }

    fn try_exclusive(database: &Path) -> Result<Option<Self>, Error> {
        let lock = open(database)?;
        if !is_acquired(database, lock.try_lock())? {
            return Ok(None);
        }
        if swap::is_restore_unfinished(database) {
            swap::finish(database)?;
        }
        Ok(Some(Self { _lock: Some(lock) }))
    }
}

/// Read access is enough to hold the lock, so the file is closed to everyone who may not open the database.
fn open(database: &Path) -> Result<File, Error> {
    if let Some(folder) = database.parent() {
        private_files::create_folder(folder).map_err(Error::file(folder))?;
    }
    let path = with_suffix(database, ".lock");
    let opened = match private_files::open(&path) {
        // Opens it if another process was faster.
        Err(error) if error.kind() == ErrorKind::NotFound => private_files::open_or_create(&path),
        opened => opened,
    };
    let lock = opened.map_err(Error::file(&path))?;
    private_files::check_lock_file(&lock, database).map_err(Error::file(&path))?;
    Ok(lock)
}

fn is_acquired(database: &Path, outcome: Result<(), TryLockError>) -> Result<bool, Error> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::file(&with_suffix(database, ".lock"))(error)),
    }
}
