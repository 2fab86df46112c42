//! The pictures that lines refer to. A picture's path is the hash of its bytes, so it is copied at most once and
//! never overwritten by another.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::Error;
use rollcall_paint::ArmModel;
use rollcall_store::media::{Media, StagedMedia, for_each, kind_of, matches_content, path_in_kind};
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

impl DefaultPicture<'_> {
    /// The kind and the PNG. The same id always gets the same picture.
    fn draw(self) -> (&'static str, Vec<u8>) {
        match self {
            Self::Avatar { id } => ("avatar", rollcall_paint::avatar(seed(id))),
            Self::Icon { id, name } => ("icon", rollcall_paint::icon(name, seed(id))),
            Self::Banner { id, name } => ("banner", rollcall_paint::banner(name, "", seed(id))),
            Self::MotdImage { motd_raw } => ("motd", rollcall_paint::motd(motd_raw)),
            Self::Skin { id, model } => (
                "skin",
                rollcall_paint::skin(if model == "slim" { ArmModel::Slim } else { ArmModel::Classic }, seed(id)),
            ),
            Self::Cape { id } => ("cape", rollcall_paint::cape(seed(id))),
        }
    }
}

/// Finds the pictures of an import: in the store, or in a directory `media` next to one of its files. New ones are staged, so
/// that an import that fails leaves none behind.
pub(super) struct PictureImporter<'a> {
    media: &'a Media,
    staged: StagedMedia,
    folders: Vec<PathBuf>,
    /// The lines come from the store itself: a picture that it has lost does not prevent another change.
    keeps_missing: bool,
    /// The path in the store by the path in the file. They differ if the picture was encoded in another way.
    imported: HashMap<String, String>,
}

impl<'a> PictureImporter<'a> {
    pub fn new(media: &'a Media, files: &[PathBuf]) -> Result<Self, Error> {
        let folders: BTreeSet<PathBuf> = files.iter().map(|file| file.with_file_name(FOLDER)).collect();
        let folders = folders.into_iter().filter(|folder| folder.is_dir()).collect();
        let staged = media.staging().map_err(refused)?;
        Ok(Self { media, staged, folders, keeps_missing: files.is_empty(), imported: HashMap::new() })
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
                if self.keeps_missing {
                    return self.keep_missing(path, default);
                }
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

    /// Draws a missing picture again if it is the default one. Another one stays missing; the tracker draws what game servers send.
    fn keep_missing(&mut self, path: String, default: DefaultPicture) -> Result<String, String> {
        let (kind, png) = default.draw();
        if path_in_kind(kind, &png) == path {
            self.staged.pictures.put_png_blocking(kind, &png).map_err(message)?;
        }
        self.imported.insert(path.clone(), path.clone());
        Ok(path)
    }

    fn draw(&mut self, default: DefaultPicture) -> Result<String, String> {
        let (kind, png) = default.draw();
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

/// Which pictures of an export are there. Lines name many, and asking for each would take a request.
pub(super) struct PictureIndex<'a> {
    media: &'a Media,
    present: HashSet<String>,
    pub missing: BTreeSet<String>,
}

impl<'a> PictureIndex<'a> {
    pub fn new(media: &'a Media) -> Result<Self, Error> {
        let present = media.list_blocking().map_err(refused)?.into_iter().collect();
        Ok(Self { media, present, missing: BTreeSet::new() })
    }

    pub fn is_missing(&mut self, path: &str) -> Result<bool, Error> {
        if self.present.contains(path) || kind_of(path).is_none() {
            return Ok(false);
        }
        // A sweep may have set it aside, which the list leaves out.
        if !self.missing.contains(path) && self.media.get_blocking(path).map_err(refused)?.is_some() {
            self.present.insert(path.to_owned());
            return Ok(false);
        }
        self.missing.insert(path.to_owned());
        Ok(true)
    }
}

/// Writes pictures into the directory of an export. `progress` is called with the number of those that are done.
pub(super) fn export_pictures(
    folder: &Path,
    paths: &BTreeSet<String>,
    index: &mut PictureIndex,
    mut progress: impl FnMut(u64),
) -> Result<(), Error> {
    let target = |path: &str| folder.join(FOLDER).join(path);
    let is_due = |path: &&String| kind_of(path).is_some() && !index.missing.contains(*path) && !target(path).is_file();
    let due: Vec<String> = paths.iter().filter(is_due).cloned().collect();
    let (media, mut written, mut count) = (index.media, Ok(()), 0);
    let read = async |path: &str| media.get(path).await;
    let finish = |path: &str, bytes: Option<Bytes>| {
        count += 1;
        progress(count);
        match bytes {
            Some(bytes) if written.is_ok() => written = write_picture(&target(path), &bytes),
            Some(_) => {}
            // Deleted since the lines were written.
            None => drop(index.missing.insert(path.to_owned())),
        }
    };
    for_each(&due, read, finish).map_err(refused)?;
    written
}

fn write_picture(file: &Path, bytes: &[u8]) -> Result<(), Error> {
    let parent = file.parent().expect("a picture path has a directory");
    private_files::create_folder(parent).map_err(Error::file(parent))?;
    let write = || private_files::create_new(file)?.write_all(bytes);
    write().map_err(Error::file(file))
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
