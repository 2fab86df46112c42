//! Where pictures are kept: under a name made from their bytes, so that the same picture is kept once and a path
//! never changes what it shows.

use std::path::Path as FilePath;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use futures_util::TryStreamExt;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

/// Hex digits of the hash in a name: 128 bits, beyond any chance of two pictures meeting.
const NAME_LENGTH: usize = 32;
const ENDING: &str = ".png";
/// Longer than the name of any kind, shorter than a file system refuses.
const KIND_LIMIT: usize = 16;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("the picture store: {0}")]
    Store(#[from] object_store::Error),
    #[error("cannot use {0} for pictures: {1}")]
    Folder(String, std::io::Error),
    #[error("{0:?} is not a kind of picture")]
    Kind(String),
}

#[derive(Clone)]
pub struct Media {
    store: Arc<dyn ObjectStore>,
}

impl Media {
    /// Pictures in files under `folder`, which is created when missing.
    pub fn in_folder(folder: &FilePath) -> Result<Self, Error> {
        Ok(Self { store: Arc::new(files(folder)?) })
    }

    /// The same, but a picture that was put outlasts a power cut: for those that cannot be drawn again.
    pub fn lasting(folder: &FilePath) -> Result<Self, Error> {
        Ok(Self { store: Arc::new(files(folder)?.with_fsync(true)) })
    }

    pub fn in_memory() -> Self {
        Self { store: Arc::new(InMemory::new()) }
    }

    /// Keeps a picture and gives its path. One that is there already is not written again.
    pub async fn put_png(&self, kind: &str, bytes: &[u8]) -> Result<String, Error> {
        let path = format!("{kind}/{}{ENDING}", name_of(bytes));
        let place = place(&path).ok_or_else(|| Error::Kind(kind.to_owned()))?;
        if self.has(&path).await? {
            return Ok(path);
        }
        self.store.put(&place, PutPayload::from(bytes.to_vec())).await?;
        Ok(path)
    }

    /// Keeps a picture under its path whatever stands there: a file that was damaged is whole again. `false` when the
    /// bytes are not those that the path says.
    pub async fn mend(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        let Some(place) = place(path).filter(|_| fits(path, bytes)) else { return Ok(false) };
        if self.get(path).await?.as_deref() != Some(bytes) {
            self.store.put(&place, PutPayload::from(bytes.to_vec())).await?;
        }
        Ok(true)
    }

    /// The paths of all that are kept, in their order.
    pub async fn list(&self) -> Result<Vec<String>, Error> {
        let kept = self.store.list(None).map_ok(|object| object.location.to_string());
        let mut paths: Vec<String> = kept.try_collect().await?;
        paths.retain(|path| kind_of(path).is_some());
        paths.sort_unstable();
        Ok(paths)
    }

    /// Removes pictures of these kinds that were put before a moment and that nobody names any more; gives how many. `is_named`
    /// is asked last of all, so that whoever names an old picture meanwhile still finds it.
    pub async fn sweep(&self, kinds: &[&str], before: i64, is_named: impl Fn(&str) -> bool) -> Result<usize, Error> {
        let mut swept = 0;
        for kind in kinds {
            let mut kept = self.store.list(Some(&Path::from(*kind)));
            while let Some(object) = kept.try_next().await? {
                let path = object.location.to_string();
                let is_old = object.last_modified.timestamp_millis() < before;
                if is_old && kind_of(&path) == Some(kind) && !is_named(&path) {
                    self.store.delete(&object.location).await?;
                    swept += 1;
                }
            }
        }
        Ok(swept)
    }

    /// `None` for a path that is not one of ours, and for a picture that is not there.
    pub async fn get(&self, path: &str) -> Result<Option<Bytes>, Error> {
        let Some(place) = place(path) else { return Ok(None) };
        match self.store.get(&place).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a picture is kept.
    pub async fn has(&self, path: &str) -> Result<bool, Error> {
        let Some(place) = place(path) else { return Ok(false) };
        match self.store.head(&place).await {
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

    /// [`Media::mend`] for commands. Never call it on an async worker.
    pub fn mend_blocking(&self, path: &str, bytes: &[u8]) -> Result<bool, Error> {
        wait(self.mend(path, bytes))
    }

    /// [`Media::list`] for commands. Never call it on an async worker.
    pub fn list_blocking(&self) -> Result<Vec<String>, Error> {
        wait(self.list())
    }
}

fn files(folder: &FilePath) -> Result<LocalFileSystem, Error> {
    let unusable = |error| Error::Folder(folder.display().to_string(), error);
    std::fs::create_dir_all(folder).map_err(unusable)?;
    Ok(LocalFileSystem::new_with_prefix(folder)?)
}

fn wait<T>(work: impl Future<Output = T>) -> T {
    // One for all: files are read on threads of the runtime, and starting those takes longer than reading.
    static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.expect("a runtime without a driver needs nothing from the system")
    });
    RUNTIME.block_on(work)
}

fn name_of(bytes: &[u8]) -> String {
    use std::fmt::Write;
    let mut name = String::with_capacity(NAME_LENGTH);
    for byte in &Sha256::digest(bytes)[..NAME_LENGTH / 2] {
        write!(name, "{byte:02x}").expect("writing to a string");
    }
    name
}

/// Whether a path is a picture's, and these are the bytes it was made from.
pub fn fits(path: &str, bytes: &[u8]) -> bool {
    kind_of(path).is_some_and(|kind| path == format!("{kind}/{}{ENDING}", name_of(bytes)))
}

/// The kind in `kind/<32 hex digits>.png`; no other form is a picture's path.
pub fn kind_of(path: &str) -> Option<&str> {
    let (kind, file) = path.split_once('/')?;
    let name = file.strip_suffix(ENDING)?;
    let sound = (1..=KIND_LIMIT).contains(&kind.len())
        && kind.bytes().all(|b| b.is_ascii_lowercase())
        && name.len() == NAME_LENGTH
        && name.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    sound.then_some(kind)
}

/// Nothing a stranger sends reaches the store in another form.
fn place(path: &str) -> Option<Path> {
    kind_of(path).and_then(|_| Path::parse(path).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_picture_is_kept_once_under_its_own_name() {
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
    async fn strange_paths_find_nothing() {
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
    async fn a_damaged_picture_is_mended_and_a_wrong_one_refused() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::lasting(folder.path()).unwrap();
        let path = media.put_png("icon", b"picture").await.unwrap();
        std::fs::write(folder.path().join(&path), "pic").unwrap();
        std::fs::write(folder.path().join("icon/stray"), "no picture").unwrap();
        assert!(!fits(&path, b"pic") && fits(&path, b"picture"));
        assert!(media.mend(&path, b"picture").await.unwrap());
        assert_eq!(media.get(&path).await.unwrap().as_deref(), Some(b"picture".as_slice()));
        for (path, bytes) in [(path.as_str(), "other"), ("../../x", "picture"), ("/etc/x", "picture")] {
            assert!(!media.mend(path, bytes.as_bytes()).await.unwrap(), "{path}");
        }
        assert_eq!(media.list().await.unwrap(), [path]);
    }

    #[tokio::test]
    async fn only_old_pictures_that_nobody_names_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::in_folder(folder.path()).unwrap();
        let named = media.put_png("motd", b"named").await.unwrap();
        let forgotten = media.put_png("motd", b"forgotten").await.unwrap();
        let skin = media.put_png("skin", b"another kind").await.unwrap();
        let is_named = |path: &str| path == named;
        assert_eq!(media.sweep(&["motd", "icon"], 0, is_named).await.unwrap(), 0, "they are new");
        assert_eq!(media.sweep(&["motd", "icon"], i64::MAX, is_named).await.unwrap(), 1);
        assert_eq!(media.list().await.unwrap(), [named, skin]);
        assert_eq!(media.get(&forgotten).await.unwrap(), None);
    }

    #[test]
    fn commands_may_wait() {
        let media = Media::in_memory();
        let path = media.put_png_blocking("skin", b"picture").unwrap();
        assert_eq!(media.get_blocking(&path).unwrap().as_deref(), Some(b"picture".as_slice()));
    }
}
