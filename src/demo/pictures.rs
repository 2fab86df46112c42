//! Draws what the world shows and keeps it in the media store, on as many threads as there are cores.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::progress::Progress;
use super::servers::Server;
use super::textures::Texture;
use crate::media::builtin::BuiltinPictures;
use crate::media::paint::{self, Model};
use crate::media::{Error, Media};

pub struct Pictures {
    media: Media,
    /// Pictures drawn of each kind; the rest share them.
    most: usize,
}

impl Pictures {
    /// A picture of its own for everything.
    pub fn each(media: Media) -> Self {
        Self { media, most: usize::MAX }
    }

    /// At most so many of each kind: enough to fill pages at scale.
    pub fn pool(media: Media, most: usize) -> Self {
        Self { media, most: most.max(1) }
    }

    /// One of each kind, for tests that look at rows.
    pub fn plain(media: Media) -> Self {
        Self::pool(media, 1)
    }

    pub(super) fn count(&self, servers: usize, textures: usize, accounts: usize) -> u64 {
        (servers.min(self.most) * 3 + textures.min(self.most) + accounts.min(self.most)) as u64
    }

    pub(super) fn draw(
        &self,
        seed: u64,
        servers: &[Server],
        textures: &[Texture],
        accounts: usize,
        progress: &Progress,
    ) -> Result<Album, Error> {
        progress.step("drawing pictures");
        let skins = textures.iter().take_while(|texture| texture.model.is_some()).count();
        let capes = textures.len() - skins;
        // Each kind draws other pictures from the same number.
        let own = |index: usize| seed.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let icon = |i: usize| paint::icon(&servers[i].name, own(i));
        let banner = |i: usize| paint::banner(&servers[i].name, &servers[i].tagline, own(i));
        let motd = |i: usize| paint::motd(&servers[i].motd_raw);
        let skin = |i: usize| paint::skin(model(&textures[i]), own(i));
        let cape = |i: usize| paint::cape(own(i));
        let avatar = |i: usize| paint::avatar(own(i));
        let keep = |kind, count, draw: &(dyn Fn(usize) -> Vec<u8> + Sync)| self.keep(kind, count, draw, progress);
        Ok(Album {
            builtin: BuiltinPictures::keep(&self.media)?,
            icons: keep("icon", servers.len(), &icon)?,
            banners: keep("banner", servers.len(), &banner)?,
            motds: keep("motd", servers.len(), &motd)?,
            avatars: keep("avatar", accounts, &avatar)?,
            skins: self.keep_by_model(textures, skins, &skin, progress)?,
            capes: keep("cape", capes, &cape)?,
        })
    }

    /// A shared skin must still be of the model that it is said to be.
    fn keep_by_model(
        &self,
        textures: &[Texture],
        skins: usize,
        draw: &(dyn Fn(usize) -> Vec<u8> + Sync),
        progress: &Progress,
    ) -> Result<Vec<String>, Error> {
        let of = |model: &str| -> Vec<usize> { (0..skins).filter(|&i| textures[i].model == Some(model)).collect() };
        let mut paths = vec![String::new(); skins];
        for indexes in [of("classic"), of("slim")] {
            let drawn = self.keep("skin", indexes.len(), &|i| draw(indexes[i]), progress)?;
            for (place, index) in indexes.into_iter().enumerate() {
                paths[index] = drawn[place % drawn.len()].clone();
            }
        }
        Ok(paths)
    }

    fn keep(
        &self,
        kind: &str,
        count: usize,
        draw: &(dyn Fn(usize) -> Vec<u8> + Sync),
        progress: &Progress,
    ) -> Result<Vec<String>, Error> {
        let count = count.min(self.most);
        let next = AtomicUsize::new(0);
        let paths = Mutex::new(vec![String::new(); count]);
        let work = || -> Result<(), Error> {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                let path = self.media.put_png_blocking(kind, &draw(index))?;
                paths.lock().expect("nothing panics under this lock")[index] = path;
                progress.add(1);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(count.max(1));
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("painters do not panic"))
        })?;
        Ok(paths.into_inner().expect("nothing panics under this lock"))
    }
}

fn model(texture: &Texture) -> Model {
    match texture.model {
        Some("slim") => Model::Slim,
        _ => Model::Classic,
    }
}

/// The paths of what was drawn.
pub(super) struct Album {
    pub builtin: BuiltinPictures,
    pub icons: Vec<String>,
    pub banners: Vec<String>,
    pub motds: Vec<String>,
    pub avatars: Vec<String>,
    pub skins: Vec<String>,
    pub capes: Vec<String>,
}

impl Album {
    /// Skins first, then capes, as the textures are.
    pub fn texture(&self, index: usize) -> &str {
        match self.skins.get(index) {
            Some(path) => path,
            None => shared(&self.capes, index - self.skins.len()),
        }
    }
}

pub(super) fn shared(paths: &[String], index: usize) -> &str {
    &paths[index % paths.len()]
}
