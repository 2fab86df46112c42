//! The pictures that lines refer to. A picture's path is the hash of its bytes, so it is copied at most once and
//! never overwritten by another.

use std::collections::{BTreeSet, HashMap};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Error;
use rollcall_paint::ArmModel;
use rollcall_store::media::{Media, StagedMedia, kind_of, matches_content, path_in_kind};
use rollcall_store::private_files;

/// The subdirectory of an export.
const FOLDER: &str = "media";
/// Far above any real picture, which has a few kilobytes.
const MAX_BYTES: u64 = 4 << 20;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The picture to draw if a line has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DefaultPicture<'a> {
    Avatar { id: &'a str },
    Icon { id: &'a str, name: &'a str },
    Banner { id: &'a str, name: &'a str },
    MotdImage { motd_raw: &'a str },
    Skin { id: &'a str, model: &'a str },
    Cape { id: &'a str },
}

/// Finds the pictures of an import: in the store, or in a directory `media` next to one of its files. New ones are staged, so
/// that an import that fails leaves none behind.
pub(super) struct PictureImporter<'a> {
    media: &'a Media,
    staged: StagedMedia,
    folders: Vec<PathBuf>,
    /// The path in the store by the path in the file. They differ if the picture was encoded in another way.
    imported: HashMap<String, String>,
}

impl<'a> PictureImporter<'a> {
    pub fn new(media: &'a Media, files: &[PathBuf]) -> Result<Self, Error> {
        let folders: BTreeSet<PathBuf> = files.iter().map(|file| file.with_file_name(FOLDER)).collect();
        let folders = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        let staged = media.staging().map_err(refused)?;
        Ok(Self { media, staged, folders, imported: HashMap::new() })
    }

    /// Adds the staged pictures to the store: when everything else is done, before rows that refer to them are committed.
    pub fn publish(&self) -> Result<(), Error> {
        self.staged.publish(self.media).map_err(refused)
    }

    /// Stores the picture of a line, or the default if `path` is `None`. Returns its path in the store.
    pub fn import(&mut self, field: &str, path: Option<String>, default: DefaultPicture) -> Result<String, String> {
        let Some(path) = path else { return self.draw(default) };
        if let Some(imported) = self.imported.get(&path) {
            return Ok(imported.clone());
        }
        let kind = kind_of(&path).ok_or_else(|| {
            format!("{field} must be a picture path such as icon/0123456789abcdef0123456789abcdef.png, not {path:?}")
        })?;
        let stored = if self.media.has_blocking(&path).map_err(message)? {
            path.clone()
        } else {
            let Some(bytes) = self.read_from_folders(&path)? else {
                return Err(format!(
                    "{field} {path:?} is neither in the store nor in a directory {FOLDER} next to the file"
                ));
            };
            if !matches_content(&path, &bytes) {
                return Err(format!("{field} {path:?} does not match the hash of the picture"));
            }
            let clean = rollcall_paint::sanitize_png(&bytes);
            let clean = clean.ok_or_else(|| format!("{field} {path:?} is not a PNG of at most 2048x2048 pixels"))?;
            self.staged.pictures.put_png_blocking(kind, &clean).map_err(message)?
        };
        self.imported.insert(path, stored.clone());
        Ok(stored)
    }

    /// The same id always gets the same picture.
    fn draw(&mut self, default: DefaultPicture) -> Result<String, String> {
        let (kind, png) = match default {
            DefaultPicture::Avatar { id } => ("avatar", rollcall_paint::avatar(seed(id))),
            DefaultPicture::Icon { id, name } => ("icon", rollcall_paint::icon(name, seed(id))),
            DefaultPicture::Banner { id, name } => ("banner", rollcall_paint::banner(name, "", seed(id))),
            DefaultPicture::MotdImage { motd_raw } => ("motd", rollcall_paint::motd(motd_raw)),
            DefaultPicture::Skin { id, model } => (
                "skin",
                rollcall_paint::skin(if model == "slim" { ArmModel::Slim } else { ArmModel::Classic }, seed(id)),
            ),
            DefaultPicture::Cape { id } => ("cape", rollcall_paint::cape(seed(id))),
        };
        let path = path_in_kind(kind, &png);
        if self.media.has_blocking(&path).map_err(message)? {
            return Ok(path);
        }
        self.staged.pictures.put_png_blocking(kind, &png).map_err(message)?;
        // Later lines may refer to it.
        self.imported.insert(path.clone(), path.clone());
        Ok(path)
    }

    fn read_from_folders(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = self.folders.iter().map(|folder| folder.join(path)).find(|file| file.is_file()) else {
            return Ok(None);
        };
        let unreadable = |error| format!("{}: {error}", file.display());
        let mut bytes = Vec::new();
        let opened = std::fs::File::open(&file).map_err(unreadable)?;
        opened.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("{} is larger than {} MiB", file.display(), MAX_BYTES >> 20));
        }
        if !bytes.starts_with(PNG_SIGNATURE) {
            return Err(format!("{} is not a PNG", file.display()));
        }
        Ok(Some(bytes))
    }
}

/// Writes pictures into the directory of an export.
pub(super) fn export_pictures(folder: &Path, paths: &BTreeSet<String>, media: &Media) -> Result<(), Error> {
    for path in paths.iter().filter(|path| kind_of(path).is_some()) {
        let file = folder.join(FOLDER).join(path);
        if file.is_file() {
            continue;
        }
        let bytes = media.get_blocking(path).map_err(|error| Error::Refused(error.to_string()))?;
        let bytes = bytes.ok_or_else(|| Error::Refused(format!("the picture {path} is missing from the store")))?;
        let parent = file.parent().expect("a picture path has a directory");
        private_files::create_folder(parent).map_err(Error::file(parent))?;
        let write = || private_files::create_new(&file)?.write_all(&bytes);
        write().map_err(Error::file(&file))?;
    }
    Ok(())
}

fn refused(error: rollcall_store::media::Error) -> Error {
    Error::Refused(error.to_string())
}

fn message(error: rollcall_store::media::Error) -> String {
    error.to_string()
}

fn seed(id: &str) -> u64 {
    let digest = Sha256::digest(id.as_bytes());
    u64::from_le_bytes(digest[..8].try_into().expect("a SHA-256 has 32 bytes"))
}
