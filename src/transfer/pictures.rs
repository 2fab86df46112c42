//! The pictures that lines name. Their paths are made from their bytes, so a picture is copied at most once and
//! never overwritten by another.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::Error;
use rollcall_paint::Model;
use rollcall_store::media::{Media, kind_of};

/// Beside the files of an export.
const FOLDER: &str = "media";
/// Our pictures are a few kilobytes; a banner stays far below this.
const LARGEST: u64 = 4 << 20;
const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// A picture that a line does not name and that is therefore drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing<'a> {
    Avatar { id: &'a str },
    Icon { id: &'a str, name: &'a str },
    Banner { id: &'a str, name: &'a str },
    MotdImage { motd_raw: &'a str },
    Skin { id: &'a str, model: &'a str },
    Cape { id: &'a str },
}

/// Finds the pictures of an import: kept already, or in a `media` folder beside one of its files.
pub(super) struct PictureBook<'a> {
    media: &'a Media,
    folders: Vec<PathBuf>,
    known: HashSet<String>,
}

impl<'a> PictureBook<'a> {
    pub fn new(media: &'a Media, files: &[PathBuf]) -> Self {
        let beside: BTreeSet<PathBuf> = files.iter().map(|file| file.with_file_name(FOLDER)).collect();
        Self { media, folders: beside.into_iter().filter(|folder| folder.is_dir()).collect(), known: HashSet::new() }
    }

    /// The path of a picture that is kept from now on: the named one, else one that is drawn.
    pub fn settle(&mut self, field: &str, path: Option<String>, missing: Missing) -> Result<String, String> {
        let Some(path) = path else { return self.draw(missing) };
        if self.known.contains(&path) {
            return Ok(path);
        }
        let kind = kind_of(&path).ok_or_else(|| {
            format!("{field} must be a picture's path such as icon/0123456789abcdef0123456789abcdef.png, not {path:?}")
        })?;
        if !self.media.has_blocking(&path).map_err(sentence)? {
            let Some(bytes) = self.beside(&path)? else {
                return Err(format!("{field} {path:?} is neither kept nor in a folder {FOLDER} beside the file"));
            };
            let kept = self.media.put_png_blocking(kind, &bytes).map_err(sentence)?;
            if kept != path {
                return Err(format!("{field} {path:?} is not the picture that its name says"));
            }
        }
        self.known.insert(path.clone());
        Ok(path)
    }

    /// Draws what a line leaves out; the same id always gets the same picture.
    fn draw(&self, missing: Missing) -> Result<String, String> {
        let (kind, png) = match missing {
            Missing::Avatar { id } => ("avatar", rollcall_paint::avatar(seed(id))),
            Missing::Icon { id, name } => ("icon", rollcall_paint::icon(name, seed(id))),
            Missing::Banner { id, name } => ("banner", rollcall_paint::banner(name, "", seed(id))),
            Missing::MotdImage { motd_raw } => ("motd", rollcall_paint::motd(motd_raw)),
            Missing::Skin { id, model } => {
                ("skin", rollcall_paint::skin(if model == "slim" { Model::Slim } else { Model::Classic }, seed(id)))
            }
            Missing::Cape { id } => ("cape", rollcall_paint::cape(seed(id))),
        };
        self.media.put_png_blocking(kind, &png).map_err(sentence)
    }

    fn beside(&self, path: &str) -> Result<Option<Vec<u8>>, String> {
        let Some(file) = self.folders.iter().map(|folder| folder.join(path)).find(|file| file.is_file()) else {
            return Ok(None);
        };
        let unreadable = |error| format!("{}: {error}", file.display());
        if file.metadata().map_err(unreadable)?.len() > LARGEST {
            return Err(format!("{} is larger than {} MiB", file.display(), LARGEST >> 20));
        }
        let bytes = std::fs::read(&file).map_err(unreadable)?;
        if !bytes.starts_with(PNG_SIGNATURE) {
            return Err(format!("{} is not a PNG picture", file.display()));
        }
        Ok(Some(bytes))
    }
}

/// Writes the pictures into the folder of an export.
pub(super) fn save(folder: &Path, paths: &BTreeSet<String>, media: &Media) -> Result<(), Error> {
    for path in paths.iter().filter(|path| kind_of(path).is_some()) {
        let file = folder.join(FOLDER).join(path);
        if file.is_file() {
            continue;
        }
        let bytes = media.get_blocking(path).map_err(|error| Error::Refused(error.to_string()))?;
        let bytes =
            bytes.ok_or_else(|| Error::Refused(format!("the picture {path} is missing from the picture store")))?;
        let parent = file.parent().expect("a picture stands in the folder of its kind");
        std::fs::create_dir_all(parent).map_err(Error::file(parent))?;
        std::fs::write(&file, bytes).map_err(Error::file(&file))?;
    }
    Ok(())
}

fn sentence(error: rollcall_store::media::Error) -> String {
    error.to_string()
}

fn seed(id: &str) -> u64 {
    let digest = Sha256::digest(id.as_bytes());
    u64::from_le_bytes(digest[..8].try_into().expect("a digest is longer"))
}
