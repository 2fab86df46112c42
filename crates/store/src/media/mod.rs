//! Content-addressed picture storage: a picture's path contains the hash of its bytes, so equal pictures are stored once and a
//! path never changes its content.

mod batch;
mod bucket_files;
mod error;
mod location;
mod s3;
mod s3_transport;
mod staging;
mod sweep;

use std::collections::HashSet;
use std::path::Path as FilePath;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutOptions, PutPayload};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

pub use batch::for_each;
pub use bucket_files::BucketFiles;
pub use error::Error;
pub use location::MediaPlace;
pub use s3::S3Settings;
pub use staging::StagedMedia;
pub use sweep::SweepReport;

use crate::private_files;
use rollcall_model::clock::Clock;
use rollcall_model::time::HOUR;

/// Hex digits of the hash in a name: 128 bits, enough to rule out collisions.
const NAME_LENGTH: usize = 32;
const ENDING: &str = ".png";
/// A picture that was stored longer ago is written again when it is stored again, so that no sweep takes it for unused.
const FRESH: i64 = HOUR;
/// Longer than any kind, shorter than file system limits.
const MAX_KIND_LENGTH: usize = 16;

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

/// Pictures by path. A path never changes its content, so nothing is invalidated.
type CachedPictures = moka::future::Cache<String, Bytes>;

#[derive(Clone)]
pub struct Media {
    store: Arc<dyn ObjectStore>,
    /// For messages.
    name: Arc<str>,
    folder: Option<Arc<FilePath>>,
    staging_folder: Option<Arc<FilePath>>,
    /// User and group that new files are given to, if root works in the folder of another user.
    owner: Option<(u32, u32)>,
    /// For pictures on another machine.
    cache: Option<CachedPictures>,
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
        let store = Arc::new(InMemory::new());
        Self { store, name: "memory".into(), folder: None, staging_folder: None, owner: None, cache: None }
    }

    fn over(folder: &FilePath, files: LocalFileSystem) -> Result<Self, Error> {
        let unusable = |error| Error::Folder(folder.display().to_string(), error);
        // The owner of the folder itself, as seen from a file in it.
        let owner = private_files::foreign_owner(&folder.join(ENDING)).map_err(unusable)?;
        let (name, folder) = (folder.display().to_string().into(), Arc::<FilePath>::from(folder));
        Ok(Self {
            store: Arc::new(files),
            name,
            staging_folder: Some(folder.clone()),
            folder: Some(folder),
            owner,
            cache: None,
        })
    }

    /// Whether asking for a picture costs no request to another machine.
    pub fn is_local(&self) -> bool {
        self.cache.is_none()
    }

    fn error(&self, error: object_store::Error) -> Error {
        if self.is_local() { Error::Files(error) } else { Error::Remote(error) }
    }

    async fn write(&self, location: &Path, bytes: &[u8]) -> Result<(), Error> {
        // Files have no attributes.
        let attributes = if self.is_local() { Default::default() } else { s3::attributes() };
        let options = PutOptions { attributes, ..PutOptions::default() };
        let put = self.store.put_opts(location, PutPayload::from(bytes.to_vec()), options).await;
        put.map_err(|error| self.error(error))?;
        if let (Some(owner), Some(folder)) = (self.owner, &self.folder) {
            let file = folder.join(location.as_ref());
            for path in file.ancestors().take_while(|path| *path != &**folder) {
                private_files::give_to_owner(path, owner)
                    .map_err(|error| Error::Folder(path.display().to_string(), error))?;
            }
        }
        Ok(())
    }

    /// Stores a picture and returns its path. A file that is there already is not written again while it is fresh.
    pub async fn put_png(&self, kind: &str, bytes: &[u8]) -> Result<String, Error> {
        let path = path_in_kind(kind, bytes);
        let location = location(&path).ok_or_else(|| Error::Kind(kind.to_owned()))?;
        if !self.is_fresh(&location).await? {
            self.write(&location, bytes).await?;
        }
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
        let mut paths: Vec<String> = objects.try_collect().await.map_err(|error| self.error(error))?;
        paths.retain(|path| kind_of(path).is_some());
        paths.sort_unstable();
        Ok(paths)
    }

    /// How many pictures there are, and their bytes. Walks all files.
    pub async fn usage(&self) -> Result<PictureUsage, Error> {
        let objects = self.store.list(None).map_err(|error| self.error(error));
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

    /// `None` for an invalid path or a missing picture.
    pub async fn get(&self, path: &str) -> Result<Option<Bytes>, Error> {
        let Some(location) = location(path) else { return Ok(None) };
        if let Some(cache) = &self.cache
            && let Some(bytes) = cache.get(path).await
        {
            return Ok(Some(bytes));
        }
        let found = match self.read(&location).await? {
            None => self.read(&sweep::set_aside(&location)).await?,
            found => found,
        };
        if let (Some(cache), Some(bytes)) = (&self.cache, &found)
            && matches_content(path, bytes)
        {
            cache.insert(path.to_owned(), bytes.clone()).await;
        }
        Ok(found)
    }

    async fn read(&self, location: &Path) -> Result<Option<Bytes>, Error> {
        match self.store.get(location).await {
            Ok(found) => Ok(Some(found.bytes().await.map_err(|error| self.error(error))?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.error(error)),
        }
    }

    async fn is_fresh(&self, location: &Path) -> Result<bool, Error> {
        match self.store.head(location).await {
            // A time in the future counts as fresh.
            Ok(found) => Ok(Clock::System.now() < found.last_modified.timestamp_millis() + FRESH),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.error(error)),
        }
    }

    pub async fn has(&self, path: &str) -> Result<bool, Error> {
        let Some(location) = location(path) else { return Ok(false) };
        match self.store.head(&location).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.error(error)),
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

    /// [`Media::sweep`] for commands. Never call it on an async worker.
    pub fn sweep_blocking(&self, named: &HashSet<String>, now: i64) -> Result<SweepReport, Error> {
        wait(self.sweep(named, now))
    }

    /// [`Media::list`] for commands. Never call it on an async worker.
    pub fn list_blocking(&self) -> Result<Vec<String>, Error> {
        wait(self.list())
    }
}

fn files(folder: &FilePath) -> Result<LocalFileSystem, Error> {
    let unusable = |error| Error::Folder(folder.display().to_string(), error);
    private_files::create_folder(folder).map_err(unusable)?;
    LocalFileSystem::new_with_prefix(folder).map_err(Error::Files)
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    // Shared: the runtime reads files on its own threads, and starting those takes longer than reading. Timers are for retries.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        runtime.expect("a runtime without I/O needs no system resources")
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

    #[test]
    fn blocking_calls_work_without_a_runtime() {
        let media = Media::in_memory();
        let path = media.put_png_blocking("skin", b"picture").unwrap();
        assert_eq!(media.get_blocking(&path).unwrap().as_deref(), Some(b"picture".as_slice()));
    }
}
