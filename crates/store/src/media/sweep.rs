//! Deletes pictures that no row names any more.
//!
//! Nothing locks pictures and rows together: a picture is stored first, and the row that names it follows, maybe on another node.
//! So a sweep deletes in two steps. It sets a picture aside that has not been stored or used again for a day; there it can still be
//! read. A later sweep deletes it after one more day, or puts it back if a row names it by then. Storing a picture again while
//! it is set aside writes it anew, so a row never names a picture that is gone.

use std::collections::HashSet;

use futures_util::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};

use super::{Error, Media, kind_of, staging};
use rollcall_model::time::DAY;

/// The folder of pictures that were set aside. Not a kind of picture, so nothing in it is served or listed.
const SET_ASIDE: &str = "unused";
/// How long a picture that no row names stays, and then stays set aside. Much longer than it takes to store the row after it.
const RETENTION: i64 = DAY;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    pub set_aside: u64,
    pub put_back: u64,
    pub deleted: u64,
}

/// Location of a picture that is set aside.
pub(super) fn set_aside(location: &Path) -> Path {
    Path::from(format!("{SET_ASIDE}/{location}"))
}

impl Media {
    /// Sweeps pictures that are not among `named`, which was read from the store just before. Also deletes what killed imports left.
    pub async fn sweep(&self, named: &HashSet<String>, now: i64) -> Result<SweepReport, Error> {
        if let Some(folder) = self.staging_folder.clone() {
            // If it fails, the next call tries again.
            let _ = tokio::task::spawn_blocking(move || staging::delete_abandoned(&folder)).await;
        }
        let mut report = SweepReport::default();
        let is_old = |object: &ObjectMeta| object.last_modified.timestamp_millis() < now - RETENTION;
        let mut objects = self.store.list(Some(&Path::from(SET_ASIDE)));
        while let Some(object) = objects.try_next().await.map_err(|error| self.error(error))? {
            let Some(original) = object.location.prefix_match(&Path::from(SET_ASIDE)).map(Path::from_iter) else {
                continue;
            };
            if named.contains(original.as_ref()) {
                self.move_picture(&object.location, &original).await?;
                report.put_back += 1;
            } else if is_old(&object) {
                self.delete(&object.location).await?;
                report.deleted += 1;
            }
        }
        let mut objects = self.store.list(None);
        while let Some(object) = objects.try_next().await.map_err(|error| self.error(error))? {
            let path = object.location.as_ref();
            if kind_of(path).is_some() && !named.contains(path) && is_old(&object) {
                self.move_picture(&object.location, &set_aside(&object.location)).await?;
                report.set_aside += 1;
            }
        }
        Ok(report)
    }

    /// Writes the copy anew instead of renaming it: its time tells the next sweep when it was moved.
    async fn move_picture(&self, from: &Path, to: &Path) -> Result<(), Error> {
        // Another node may have moved it.
        if let Some(bytes) = self.read(from).await? {
            self.write(to, &bytes).await?;
            self.delete(from).await?;
        }
        Ok(())
    }

    async fn delete(&self, location: &Path) -> Result<(), Error> {
        match self.store.delete(location).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.error(error)),
        }
    }
}
