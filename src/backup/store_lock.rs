//! The lock of a SQLite store. Every command, and a running server, holds a shared lock on a file next to the
//! database; a restore holds an exclusive one. The lock file is never deleted: deleting it while another process is
//! about to lock it would let two processes hold the lock.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use super::{Error, swap, with_suffix};

/// Released when dropped, or when the process ends.
#[derive(Debug)]
pub struct StoreLock {
    _lock: File,
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
                return Ok(Self { _lock: lock });
            }
            drop(lock);
            drop(Self::try_exclusive(&database)?.ok_or_else(busy)?);
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
        Ok(Some(Self { _lock: lock }))
    }
}

fn open(database: &Path) -> Result<File, Error> {
    if let Some(folder) = database.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let path = with_suffix(database, ".lock");
    // Read access is enough to lock: another user may have created the file.
    let opened = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            File::options().read(true).append(true).create(true).open(&path)
        }
        opened => opened,
    };
    opened.map_err(Error::file(&path))
}

fn is_acquired(database: &Path, outcome: Result<(), TryLockError>) -> Result<bool, Error> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::file(&with_suffix(database, ".lock"))(error)),
    }
}
