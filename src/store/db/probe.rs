//! Whether the disk can be written, asked before SQLite tries.
//!
//! SQLite's WAL index is memory mapped from a file. When the disk has become read-only, writing there is no error that
//! could be handled: the system ends the process (SIGBUS). A byte written the usual way tells in time.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use crate::store::{Error, Result};

/// A file of one byte beside the database.
pub struct Probe {
    path: PathBuf,
    /// Made when something is first written.
    file: Option<File>,
}

impl Probe {
    pub fn beside(database: &Path) -> Self {
        let mut name = database.as_os_str().to_owned();
        name.push("-probe");
        Self { path: name.into(), file: None }
    }

    pub fn ask(&mut self) -> Result<()> {
        let refused = |error: std::io::Error| Error::Unavailable(format!("the disk cannot be written: {error}"));
        let file = match &mut self.file {
            Some(file) => file,
            none => none
                .insert(OpenOptions::new().create(true).truncate(false).write(true).open(&self.path).map_err(refused)?),
        };
        file.write_all_at(b"\n", 0).map_err(refused)
    }
}
