//! Checks that the disk is writable before SQLite writes.
//!
//! SQLite maps its WAL index into memory. If the disk has become read-only, a write there kills the process with SIGBUS
//! instead of returning an error. A normal write of one byte finds out first.

use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::{Error, Result, private_files};

/// A file of one byte next to the database, and the identity of the database file when it was opened.
pub struct WriteProbe {
    database: PathBuf,
    opened: (u64, u64),
    path: PathBuf,
    /// Opened by the first check.
    file: Option<File>,
}

impl WriteProbe {
    pub fn new(database: &Path) -> Result<Self> {
        let opened =
            file_id(database).map_err(|error| Error::Unavailable(format!("{}: {error}", database.display())))?;
        let mut name = database.as_os_str().to_owned();
        name.push("-probe");
        Ok(Self { database: database.to_owned(), opened, path: name.into(), file: None })
    }

    /// Whether the path still leads to the file that was opened; the directory may have been moved or replaced.
    pub fn is_same_file(&self) -> bool {
        file_id(&self.database).is_ok_and(|now| now == self.opened)
    }

    pub fn check_writable(&mut self) -> Result<()> {
        let refused = |error: std::io::Error| Error::Unavailable(format!("the disk is not writable: {error}"));
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(private_files::open_or_create(&self.path).map_err(refused)?),
        };
        file.write_all_at(b"\n", 0).map_err(refused)
    }
}

/// Device and inode.
fn file_id(path: &Path) -> std::io::Result<(u64, u64)> {
    path.metadata().map(|file| (file.dev(), file.ino()))
}
