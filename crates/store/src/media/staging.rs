//! Pictures of an import that is not complete. They are in a folder beside the others, and nothing in it is served.

use std::fs::File;
use std::path::{Path as FilePath, PathBuf};

use super::{Error, Media, batch, kind_of};
use crate::private_files;

/// Begins the names of their folders. Not a kind of picture.
const STAGING: &str = ".importing-";

impl Media {
    /// A place for pictures that belong to these only when all are complete. It is gone when it is dropped; one of a process that
    /// was killed goes with the next.
    pub fn staging(&self) -> Result<StagedMedia, Error> {
        let in_memory = || Ok(StagedMedia { pictures: Self::in_memory(), folder: None, _lock: None });
        let Some(media) = &self.staging_folder else { return in_memory() };
        // With pictures elsewhere, this machine may have no disk to write to.
        if self.folder.is_none() && private_files::create_folder(media).is_err() {
            return in_memory();
        }
        delete_abandoned(media);
        loop {
            let folder = media.join(format!("{STAGING}{}-{:08x}", std::process::id(), rand::random::<u32>()));
            private_files::create_folder(&folder)
                .map_err(|error| Error::Folder(folder.display().to_string(), error))?;
            let lock = private_files::open(&folder);
            if let Ok(lock) = &lock {
                // Where folders cannot be locked, abandoned ones are not deleted either.
                let _ = lock.lock();
            }
            // Another process may have deleted it before it was locked.
            if folder.is_dir() {
                let lock = lock.map_err(|error| Error::Folder(folder.display().to_string(), error))?;
                return Ok(StagedMedia {
                    pictures: Self::in_folder(&folder)?,
                    folder: Some(folder),
                    _lock: Some(lock),
                });
            }
        }
    }
}

/// Pictures of an import that is not complete.
pub struct StagedMedia {
    pub pictures: Media,
    folder: Option<PathBuf>,
    /// The locked folder. The lock ends with the process, however that ends.
    _lock: Option<File>,
}

impl StagedMedia {
    /// Adds all pictures to `media`.
    pub fn publish(&self, media: &Media) -> Result<(), Error> {
        let paths = self.pictures.list_blocking()?;
        let publish = async |path: &str| {
            if let (Some(bytes), Some(kind)) = (self.pictures.get(path).await?, kind_of(path)) {
                media.put_png(kind, &bytes).await?;
            }
            Ok(())
        };
        batch::for_each(&paths, publish, |_, ()| ())
    }
}

impl Drop for StagedMedia {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Deletes the staging folders that no process has locked. What cannot be deleted stays.
pub(super) fn delete_abandoned(media: &FilePath) {
    let Ok(entries) = std::fs::read_dir(media) else { return };
    for entry in entries.flatten() {
        let is_staging = entry.file_name().as_encoded_bytes().starts_with(STAGING.as_bytes())
            && entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_staging {
            continue;
        }
        // Locked until it is gone, so that its owner, if it is just being created, finds out.
        if let Ok(folder) = private_files::open(&entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
