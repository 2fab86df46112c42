//! Where the pictures of a world are in the media store.

use rollcall_store::builtin_skins::BuiltinPictures;

/// Media paths of all pictures of a world.
pub(super) struct PicturePaths {
    pub builtin: BuiltinPictures,
    pub icons: Vec<String>,
    pub banners: Vec<String>,
    pub motds: Vec<String>,
    pub avatars: Vec<String>,
    pub skins: Vec<String>,
    pub capes: Vec<String>,
}

impl PicturePaths {
    /// `index` counts all textures: skins first, then capes.
    pub fn texture(&self, index: usize) -> &str {
        match self.skins.get(index) {
            Some(path) => path,
            None => shared_path(&self.capes, index - self.skins.len()),
        }
    }
}

pub(super) fn shared_path(paths: &[String], index: usize) -> &str {
    &paths[index % paths.len()]
}
