//! Whether the disk can be written, asked before SQLite tries.
//!
//! SQLite's WAL index is memory mapped from a file. When the disk has become read-only, writing there is no error that
//! could be handled: the system ends the process (SIGBUS). A byte written the usual way tells in time.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// A file of one byte beside the database, and where the database was when it was opened.
pub struct Probe {
    database: PathBuf,
    opened: (u64, u64),
    path: PathBuf,
    /// Made when something is first written.
    file: Option<File>,
}

impl Probe {
    pub fn beside(database: &Path) -> Result<Self> {
        let opened = place(database).map_err(|error| Error::Unavailable(format!("{}: {error}", database.display())))?;
        let mut name = database.as_os_str().to_owned();
        name.push("-probe");
        Ok(Self { database: database.to_owned(), opened, path: name.into(), file: None })
    }

    /// Whether the database is still the one that was opened: a folder may be moved away, or another put in its place.
    pub fn is_in_place(&self) -> bool {
        place(&self.database).is_ok_and(|now| now == self.opened)
    }

    pub fn ask(&mut self) -> Result<()> {
        let refused = |error: std::io::Error| Error::Unavailable(format!("the disk cannot be written: {error}"));
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(
                OpenOptions::new()
                    .create(true)
                    .truncate(false)
                    .write(true)
                    .mode(0o600)
                    .open(&self.path)
                    .map_err(refused)?,
            ),
        };
        file.write_all_at(b"\n", 0).map_err(refused)
    }
}

/// The file itself, whatever its name: device and inode.
fn place(path: &Path) -> std::io::Result<(u64, u64)> {
    path.metadata().map(|file| (file.dev(), file.ino()))
}
