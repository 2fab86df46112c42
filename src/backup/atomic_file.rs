//! A file that gets its name only when it is complete.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Error, sync_file, sync_parent_folder, with_suffix};
use rollcall_store::private_files;

/// A file under its temporary name, readable by the owner only. Dropping it without [`AtomicFile::publish`] removes it.
pub struct AtomicFile {
    target: PathBuf,
    temporary: PathBuf,
}

impl AtomicFile {
    pub fn create(target: &Path) -> Result<Self, Error> {
        let target = std::path::absolute(target).map_err(Error::file(target))?;
        if target.file_name().is_none() {
            return Err(Error::Refused(format!("{} is not a file name", target.display())));
        }
        // `exists` would miss a dangling symbolic link.
        if target.symlink_metadata().is_ok() {
            return Err(already_exists(&target));
        }
        let temporary = with_suffix(&target, ".part");
        match private_files::create_new(&temporary) {
            Ok(_) => Ok(Self { target, temporary }),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(Error::Refused(format!(
                "{} exists: another backup is running, or one was interrupted; if none is running, delete the file",
                temporary.display()
            ))),
            Err(error) => Err(Error::Refused(format!("cannot write {}: {error}", temporary.display()))),
        }
    }

    pub fn temporary_path(&self) -> &Path {
        &self.temporary
    }

    /// Gives the file its name, durably.
    pub fn publish(self) -> Result<(), Error> {
        sync_file(&self.temporary)?;
        // Unlike a rename, a hard link never replaces a file created meanwhile. Some file systems have no hard links.
        match std::fs::hard_link(&self.temporary, &self.target) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::AlreadyExists || self.target.symlink_metadata().is_ok() => {
                return Err(already_exists(&self.target));
            }
            Err(_) => std::fs::rename(&self.temporary, &self.target).map_err(Error::file(&self.target))?,
        }
        let target = self.target.clone();
        // Removes the temporary name.
        drop(self);
        sync_parent_folder(&target)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        // A failed copy leaves its journal behind.
        for path in [with_suffix(&self.temporary, "-journal"), self.temporary.clone()] {
            let _ = std::fs::remove_file(path);
        }
    }
}

fn already_exists(file: &Path) -> Error {
    Error::Refused(format!("{} already exists; a backup never overwrites a file", file.display()))
}
