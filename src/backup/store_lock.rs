//! Who is at a SQLite store. Every command, and a server for as long as it runs, holds a shared lock on a file beside
//! the database; a restore holds it alone. The file is empty, and stays: to remove a lock that somebody is about to
//! take would give two of them the place.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use super::{Error, swap, with_ending};

/// Ends when it is dropped, or with the process, however that ends.
#[derive(Debug)]
pub struct Presence {
    _lock: File,
}

impl Presence {
    /// Among others, once no restore is under way. One that was cut short when all was ready is finished first.
    pub fn among(database: &Path) -> Result<Self, Error> {
        let busy =
            || Error::Refused(format!("a restore of {} is under way; try again when it is done", database.display()));
        let place = swap::resolve(database);
        loop {
            let lock = open(&place)?;
            if !locked(&place, lock.try_lock_shared())? {
                return Err(busy());
            }
            if !swap::is_unfinished(&place) {
                return Ok(Self { _lock: lock });
            }
            drop(lock);
            drop(Self::take(&place)?.ok_or_else(busy)?);
        }
    }

    /// Alone, or not at all.
    pub fn alone(database: &Path) -> Result<Self, Error> {
        Self::take(&swap::resolve(database))?.ok_or_else(|| {
            Error::Refused(format!(
                "a server or another command is at work on {}; stop it, then restore",
                database.display()
            ))
        })
    }

    fn take(place: &Path) -> Result<Option<Self>, Error> {
        let lock = open(place)?;
        if !locked(place, lock.try_lock())? {
            return Ok(None);
        }
        if swap::is_unfinished(place) {
            swap::finish(place)?;
        }
        Ok(Some(Self { _lock: lock }))
    }
}

fn open(place: &Path) -> Result<File, Error> {
    if let Some(folder) = place.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    }
    let path = with_ending(place, ".lock");
    // To read it is enough for a lock: whoever came first may have been another user.
    let opened = match File::open(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            File::options().read(true).append(true).create(true).open(&path)
        }
        opened => opened,
    };
    opened.map_err(Error::file(&path))
}

/// Whether the lock was to be had.
fn locked(place: &Path, outcome: Result<(), TryLockError>) -> Result<bool, Error> {
    match outcome {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(Error::file(&with_ending(place, ".lock"))(error)),
    }
}
