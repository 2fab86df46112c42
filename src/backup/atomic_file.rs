//! A file that has its name only when it is whole.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::{Error, sync_file, sync_folder_of, with_ending};

/// For its owner alone: a backup holds account names and hashes of keys.
const MODE: u32 = 0o600;

/// The file under its temporary name; what is not published is removed.
pub struct Part {
    file: PathBuf,
    path: PathBuf,
}

impl Part {
    pub fn create(file: &Path) -> Result<Self, Error> {
        let file = std::path::absolute(file).map_err(Error::file(file))?;
        if file.file_name().is_none() {
            return Err(Error::Refused(format!("{} is no name for a file", file.display())));
        }
        // A link that leads nowhere is something that is there, too.
        if file.symlink_metadata().is_ok() {
            return Err(taken(&file));
        }
        let path = with_ending(&file, ".part");
        match OpenOptions::new().write(true).create_new(true).mode(MODE).open(&path) {
            Ok(_) => Ok(Self { file, path }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Error::Refused(format!(
                "{} is there: another backup is being written, or one was cut short; if none is, remove it",
                path.display()
            ))),
            Err(error) => Err(Error::Refused(format!("cannot write {}: {error}", path.display()))),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its name, on the disk.
    pub fn publish(self) -> Result<(), Error> {
        sync_file(&self.path)?;
        // A link, unlike a new name, never replaces what somebody put there meanwhile. Some file systems have none.
        match std::fs::hard_link(&self.path, &self.file) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists || self.file.symlink_metadata().is_ok() => {
                return Err(taken(&self.file));
            }
            Err(_) => std::fs::rename(&self.path, &self.file).map_err(Error::file(&self.file))?,
        }
        let file = self.file.clone();
        // The temporary name goes.
        drop(self);
        sync_folder_of(&file)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // A copy that fails leaves its journal beside it.
        for path in [with_ending(&self.path, "-journal"), self.path.clone()] {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn taken(file: &Path) -> Error {
    Error::Refused(format!("{} is there already; a backup never overwrites", file.display()))
}
