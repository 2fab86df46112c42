//! Content-addressed picture storage: a picture's path contains the hash of its bytes, so equal pictures are stored once and a
//! path never changes its content.

use std::fs::File;
use std::path::{Path as FilePath, PathBuf};
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use crate::private_files;

/// Hex digits of the hash in a name: 128 bits, enough to rule out collisions.
const NAME_LENGTH: usize = 32;
const ENDING: &str = ".png";
/// Folders of unfinished imports. Not a kind of picture, so nothing in them is served.
const STAGING: &str = ".importing-";
/// Longer than any kind, shorter than file system limits.
const MAX_KIND_LENGTH: usize = 16;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("picture storage: {0}")]
    Store(#[from] object_store::Error),
    #[error("cannot use {0} for pictures: {1}")]
    Folder(String, std::io::Error),
    #[error("{0:?} is not a kind of picture")]
    Kind(String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PictureUsage {
    pub pictures: i64,
    pub bytes: i64,
}

/// Bytes of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    pub free: i64,
    pub total: i64,
}

impl DiskSpace {
    pub fn percent_free(&self) -> i64 {
        (self.free as f64 / self.total.max(1) as f64 * 100.0) as i64
    }
}

#[derive(Clone)]
pub struct Media {
    store: Arc<dyn ObjectStore>,
    folder: Option<Arc<FilePath>>,
    /// User and group that new files are given to, if root works in the folder of another user.
    owner: Option<(u32, u32)>,
}

impl Media {
    /// Stores pictures as files under `folder`, which is created if missing.
    pub fn in_folder(folder: &FilePath) -> Result<Self, Error> {
        Self::over(folder, files(folder)?)
    }

    /// Like [`Media::in_folder`], but with fsync: for pictures that cannot be painted again after a power failure.
    pub fn durable(folder: &FilePath) -> Result<Self, Error> {
        Self::over(folder, files(folder)?.with_fsync(true))
    }

    /// For reading only: a missing folder is not created, and holds no pictures.
    pub fn existing(folder: &FilePath) -> Result<Self, Error> {
        if folder.is_dir() { Self::in_folder(folder) } else { Ok(Self::in_memory()) }
    }

    pub fn in_memory() -> Self {
        Self { store: Arc::new(InMemory::new()), folder: None, owner: None }
    }

    fn over(folder: &FilePath, files: LocalFileSystem) -> Result<Self, Error> {
        let unusable = |error| Error::Folder(folder.display().to_string(), error);
        // The owner of the folder itself, as seen from a file in it.
        let owner = private_files::foreign_owner(&folder.join(ENDING)).map_err(unusable)?;
        Ok(Self { store: Arc::new(files), folder: Some(folder.into()), owner })
    }

    /// A place for pictures that belong to these only when all are complete. It is gone when it is dropped; one of a process that
    /// was killed goes with the next.
    pub fn staging(&self) -> Result<StagedMedia, Error> {
        let Some(media) = &self.folder else {
            return Ok(StagedMedia { pictures: Self::in_memory(), folder: None, _lock: None });
        };
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

    async fn write(&self, location: &Path, bytes: &[u8]) -> Result<(), Error> {
        self.store.put(location, PutPayload::from(bytes.to_vec())).await?;
        if let (Some(owner), Some(folder)) = (self.owner, &self.folder) {
            let file = folder.join(location.as_ref());
            for path in file.ancestors().take(2) {
                private_files::give_to_owner(path, owner)
                    .map_err(|error| Error::Folder(path.display().to_string(), error))?;
            }
        }
        Ok(())
    }

    /// Stores a picture and returns its path. An existing file is not written again.
    pub async fn put_png(&self, kind: &str, bytes: &[u8]) -> Result<String, Error> {
        let path = path_in_kind(kind, bytes);
        let location = location(&path).ok_or_else(|| Error::Kind(kind.to_owned()))?;
        if self.has(&path).await? {
            return Ok(path);
        }
        self.write(&location, bytes).await?;
        Ok(path)
    }

    /// Stores a picture under its path, replacing a damaged file. `false` if the bytes do not match the path.
    pub async fn repair(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        let Some(location) = location(path).filter(|_| matches_content(path, bytes)) else { return Ok(false) };
        if self.get(path).await?.as_deref() != Some(bytes) {
            self.write(&location, bytes).await?;
        }
        Ok(true)
    }

    /// The paths of all pictures, sorted.
    pub async fn list(&self) -> Result<Vec<String>, Error> {
        let objects = self.store.list(None).map_ok(|object| object.location.to_string());
        let mut paths: Vec<String> = objects.try_collect().await?;
        paths.retain(|path| kind_of(path).is_some());
        paths.sort_unstable();
        Ok(paths)
    }

    /// How many pictures there are, and their bytes. Walks all files.
    pub async fn usage(&self) -> Result<PictureUsage, Error> {
        let objects = self.store.list(None).map_err(Error::from);
        objects
            .try_fold(PictureUsage::default(), |sum, object| async move {
                let is_picture = kind_of(object.location.as_ref()).is_some();
                let bytes = if is_picture { object.size as i64 } else { 0 };
                Ok(PictureUsage { pictures: sum.pictures + i64::from(is_picture), bytes: sum.bytes + bytes })
            })
            .await
    }

    /// The disk that holds the pictures; `None` if it is not known.
    pub fn disk(&self) -> Option<DiskSpace> {
        let space = rustix::fs::statvfs(&**self.folder.as_ref()?).ok()?;
        let bytes = |blocks: u64| i64::try_from(blocks.saturating_mul(space.f_frsize)).unwrap_or(i64::MAX);
        Some(DiskSpace { free: bytes(space.f_bavail), total: bytes(space.f_blocks) })
    }

    /// Deletes pictures of these kinds that were stored before `before` and are not referenced, and returns how many. Calls
    /// `is_referenced` right before the deletion, so that a picture referenced meanwhile survives. Also deletes what killed imports
    /// left.
    pub async fn delete_unreferenced(
        &self,
        kinds: &[&str],
        before: i64,
        is_referenced: impl Fn(&str) -> bool,
    ) -> Result<usize, Error> {
        if let Some(folder) = self.folder.clone() {
            // If it fails, the next call tries again.
            let _ = tokio::task::spawn_blocking(move || delete_abandoned(&folder)).await;
        }
        let mut deleted = 0;
        for kind in kinds {
            let mut objects = self.store.list(Some(&Path::from(*kind)));
            while let Some(object) = objects.try_next().await? {
                let path = object.location.to_string();
                let is_old = object.last_modified.timestamp_millis() < before;
                if is_old && kind_of(&path) == Some(kind) && !is_referenced(&path) {
                    self.store.delete(&object.location).await?;
                    deleted += 1;
                }
            }
        }
        Ok(deleted)
    }

    /// `None` for an invalid path or a missing picture.
    pub async fn get(&self, path: &str) -> Result<Option<Bytes>, Error> {
        let Some(location) = location(path) else { return Ok(None) };
        match self.store.get(&location).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub async fn has(&self, path: &str) -> Result<bool, Error> {
        let Some(location) = location(path) else { return Ok(false) };
        match self.store.head(&location).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// [`Media::has`] for commands. Never call it on an async worker.
    pub fn has_blocking(&self, path: &str) -> Result<bool, Error> {
        wait(self.has(path))
    }

    /// [`Media::put_png`] for commands. Never call it on an async worker.
    pub fn put_png_blocking(&self, kind: &str, bytes: &[u8]) -> Result<String, Error> {
        wait(self.put_png(kind, bytes))
    }

    /// [`Media::get`] for commands. Never call it on an async worker.
    pub fn get_blocking(&self, path: &str) -> Result<Option<Bytes>, Error> {
        wait(self.get(path))
    }

    /// [`Media::repair`] for commands. Never call it on an async worker.
    pub fn repair_blocking(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        wait(self.repair(path, bytes))
    }

    /// [`Media::list`] for commands. Never call it on an async worker.
    pub fn list_blocking(&self) -> Result<Vec<String>, Error> {
        wait(self.list())
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
        for path in self.pictures.list_blocking()? {
            if let (Some(bytes), Some(kind)) = (self.pictures.get_blocking(&path)?, kind_of(&path)) {
                media.put_png_blocking(kind, &bytes)?;
            }
        }
        Ok(())
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
fn delete_abandoned(media: &FilePath) {
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

fn files(folder: &FilePath) -> Result<LocalFileSystem, Error> {
    let unusable = |error| Error::Folder(folder.display().to_string(), error);
    private_files::create_folder(folder).map_err(unusable)?;
    Ok(LocalFileSystem::new_with_prefix(folder)?)
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    // Shared: the runtime reads files on its own threads, and starting those takes longer than reading.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime without drivers needs no system resources")
    });
    RUNTIME.block_on(work)
}

fn name_of(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut name = String::with_capacity(NAME_LENGTH);
    for byte in &Sha256::digest(bytes)[..NAME_LENGTH / 2] {
        write!(name, "{byte:02x}").expect("a String accepts any write");
    }
    name
}

/// Whether the path is valid and contains the hash of these bytes.
pub fn matches_content(path: &str, bytes: &[u8]) -> bool {
    kind_of(path).is_some() && path == path_of(path, bytes)
}

/// The path of these bytes as a picture of the same kind as the picture at `path`.
pub fn path_of(path: &str, bytes: &[u8]) -> String {
    path_in_kind(kind_of(path).unwrap_or_default(), bytes)
}

/// The path of these bytes as a picture of a kind.
pub fn path_in_kind(kind: &str, bytes: &[u8]) -> String {
    format!("{kind}/{}{ENDING}", name_of(bytes))
}

/// The kind in `kind/<32 hex digits>.png`; `None` for any other path.
pub fn kind_of(path: &str) -> Option<&str> {
    let (kind, file) = path.split_once('/')?;
    let name = file.strip_suffix(ENDING)?;
    let is_valid = (1..=MAX_KIND_LENGTH).contains(&kind.len())
        && kind.bytes().all(|b| b.is_ascii_lowercase())
        && name.len() == NAME_LENGTH
        && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    is_valid.then_some(kind)
}

/// The storage location. Only valid paths reach the storage, so that a client cannot traverse directories.
fn location(path: &str) -> Option<Path> {
    kind_of(path).and_then(|_| Path::parse(path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn equal_pictures_are_stored_once() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::in_folder(&folder.path().join("media")).unwrap();
        let path = media.put_png("icon", b"picture").await.unwrap();
        assert_eq!(path, format!("icon/{}.png", name_of(b"picture")));
        assert_eq!(media.put_png("icon", b"picture").await.unwrap(), path);
        assert_eq!(media.get(&path).await.unwrap().as_deref(), Some(b"picture".as_slice()));
        let files = std::fs::read_dir(folder.path().join("media/icon")).unwrap();
        assert_eq!(files.count(), 1);
    }

    #[tokio::test]
    async fn invalid_paths_find_nothing() {
        let media = Media::in_memory();
        let name = "0".repeat(NAME_LENGTH);
        for path in [
            String::new(),
            format!("/{name}.png"),
            format!("../{name}.png"),
            format!("icon/../{name}.png"),
            format!("icon/{name}.PNG"),
            format!("Icon/{name}.png"),
            format!("icon/{name}.png/"),
            format!("icon/{}g.png", &name[1..]),
            format!("icon/{name}0.png"),
            format!("icon//{name}.png"),
            format!("{}/{name}.png", "i".repeat(6000)),
            format!("icon/{name}.png"),
        ] {
            assert_eq!(media.get(&path).await.unwrap(), None, "{path}");
        }
        assert!(media.put_png("../x", b"picture").await.is_err());
    }

    #[tokio::test]
    async fn repair_replaces_a_damaged_file_and_refuses_other_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::durable(folder.path()).unwrap();
        let path = media.put_png("icon", b"picture").await.unwrap();
        std::fs::write(folder.path().join(&path), "pic").unwrap();
        std::fs::write(folder.path().join("icon/stray"), "no picture").unwrap();
        assert!(!matches_content(&path, b"pic") && matches_content(&path, b"picture"));
        assert!(media.repair(&path, b"picture").await.unwrap());
        assert_eq!(media.get(&path).await.unwrap().as_deref(), Some(b"picture".as_slice()));
        for (path, bytes) in [(path.as_str(), "other"), ("../../x", "picture"), ("/etc/x", "picture")] {
            assert!(!media.repair(path, bytes.as_bytes()).await.unwrap(), "{path}");
        }
        assert_eq!(media.list().await.unwrap(), [path]);
    }

    #[tokio::test]
    async fn only_old_unreferenced_pictures_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::in_folder(folder.path()).unwrap();
        let referenced = media.put_png("motd", b"referenced").await.unwrap();
        let unreferenced = media.put_png("motd", b"unreferenced").await.unwrap();
        let skin = media.put_png("skin", b"another kind").await.unwrap();
        let is_referenced = |path: &str| path == referenced;
        assert_eq!(media.delete_unreferenced(&["motd", "icon"], 0, is_referenced).await.unwrap(), 0, "they are new");
        assert_eq!(media.delete_unreferenced(&["motd", "icon"], i64::MAX, is_referenced).await.unwrap(), 1);
        assert_eq!(media.list().await.unwrap(), [referenced, skin]);
        assert_eq!(media.get(&unreferenced).await.unwrap(), None);
    }

    #[test]
    fn blocking_calls_work_without_a_runtime() {
        let media = Media::in_memory();
        let path = media.put_png_blocking("skin", b"picture").unwrap();
        assert_eq!(media.get_blocking(&path).unwrap().as_deref(), Some(b"picture".as_slice()));
    }
}
