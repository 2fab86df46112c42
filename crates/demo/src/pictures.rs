//! Draws the pictures of a world into the media store, on one thread per core.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::picture_paths::{PicturePaths, shared_path};
use super::progress::GenerateProgress;
use super::world::DemoWorld;
use rollcall_model::hash::GOLDEN_GAMMA;
use rollcall_paint::ArmModel;
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::media::{Error, Media};
use rollcall_store::{Conn, demo_data};

pub struct PictureGenerator {
    media: Media,
    /// How many pictures of each kind are drawn. Further entities share them.
    max_per_kind: usize,
}

/// Draws the picture of one entity as PNG, by the entity's index.
type DrawPicture<'a> = &'a (dyn Fn(usize) -> Vec<u8> + Sync);

impl PictureGenerator {
    /// Every entity gets its own picture.
    pub fn unique(media: Media) -> Self {
        Self { media, max_per_kind: usize::MAX }
    }

    /// Entities share at most `max_per_kind` pictures of each kind: drawing millions would take hours.
    pub fn pooled(media: Media, max_per_kind: usize) -> Self {
        Self { media, max_per_kind: max_per_kind.max(1) }
    }

    /// One picture of each kind, for tests that look at rows only.
    pub fn minimal(media: Media) -> Self {
        Self::pooled(media, 1)
    }

    pub(super) fn count(&self, world: &DemoWorld) -> u64 {
        let limit = |entities: usize| entities.min(self.max_per_kind);
        (limit(world.servers.len()) * 3 + limit(world.textures.len()) + limit(world.accounts.len())) as u64
    }

    pub(super) fn draw(
        &self,
        world: &DemoWorld,
        existing: &ExistingPictures,
        progress: &GenerateProgress,
    ) -> Result<PicturePaths, Error> {
        progress.set_step("drawing pictures");
        let DemoWorld { servers, textures, accounts, .. } = world;
        let (skins, capes) = textures.split_at(textures.partition_point(|texture| texture.model.is_some()));
        let draw_all = |kind, count, key: &dyn Fn(usize) -> String, draw: DrawPicture| {
            let existing = |index: usize| existing.0.get(&(kind, key(index)));
            self.draw_kind(kind, &(0..count).map(existing).collect::<Vec<_>>(), draw, progress)
        };
        let server_key = |i: usize| server_key(&servers[i].id, &servers[i].motd_raw);
        let picture_seed = |index: usize| picture_seed(world.seed.0, index);
        let skins_of = |model: &str| -> Result<(Vec<usize>, Vec<String>), Error> {
            let indexes: Vec<usize> = (0..skins.len()).filter(|&i| skins[i].model == Some(model)).collect();
            let arms = if model == "slim" { ArmModel::Slim } else { ArmModel::Classic };
            let paths = draw_all("skin", indexes.len(), &|i| skins[indexes[i]].id.clone(), &|i| {
                rollcall_paint::skin(arms, picture_seed(indexes[i]))
            })?;
            Ok((indexes, paths))
        };
        // Drawn by model, so that a shared skin has the arm model that its row says.
        let mut skin_paths = vec![String::new(); skins.len()];
        for (indexes, paths) in [skins_of("classic")?, skins_of("slim")?] {
            for (position, index) in indexes.into_iter().enumerate() {
                skin_paths[index] = shared_path(&paths, position).to_owned();
            }
        }
        Ok(PicturePaths {
            builtin: BuiltinPictures::save(&self.media)?,
            icons: draw_all("icon", servers.len(), &server_key, &|i| {
                rollcall_paint::icon(&servers[i].name, picture_seed(i))
            })?,
            banners: draw_all("banner", servers.len(), &server_key, &|i| {
                rollcall_paint::banner(&servers[i].name, &servers[i].tagline, picture_seed(i))
            })?,
            motds: draw_all("motd", servers.len(), &server_key, &|i| rollcall_paint::motd(&servers[i].motd_raw))?,
            avatars: draw_all("avatar", accounts.len(), &|i| accounts[i].id.clone(), &|i| {
                rollcall_paint::avatar(picture_seed(i))
            })?,
            capes: draw_all("cape", capes.len(), &|i| capes[i].id.clone(), &|i| {
                rollcall_paint::cape(picture_seed(skins.len() + i))
            })?,
            skins: skin_paths,
        })
    }

    /// Draws the pictures that do not exist yet and returns all paths.
    fn draw_kind(
        &self,
        kind: &str,
        existing: &[Option<&String>],
        draw: DrawPicture,
        progress: &GenerateProgress,
    ) -> Result<Vec<String>, Error> {
        const NOT_POISONED: &str = "no thread panics while it holds this lock";
        let count = existing.len().min(self.max_per_kind);
        let next = AtomicUsize::new(0);
        let paths = Mutex::new(vec![String::new(); count]);
        let work = || -> Result<(), Error> {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                let path = match existing[index] {
                    Some(path) if self.media.has_blocking(path)? => path.clone(),
                    _ => self.media.put_png_blocking(kind, &draw(index))?,
                };
                paths.lock().expect(NOT_POISONED)[index] = path;
                progress.advance(1);
            }
        };
        let threads = std::thread::available_parallelism().map_or(1, |count| count.get()).min(count.max(1));
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            workers.into_iter().try_for_each(|worker| worker.join().expect("drawing does not panic"))
        })?;
        Ok(paths.into_inner().expect(NOT_POISONED))
    }
}

/// The seed of an entity's picture. Kinds may share it: each draws a different picture from the same seed.
fn picture_seed(world_seed: u64, index: usize) -> u64 {
    world_seed.wrapping_add((index as u64).wrapping_mul(GOLDEN_GAMMA))
}

/// Paths by kind and key of pictures that the store holds already. They need not be drawn again.
#[derive(Default)]
pub(super) struct ExistingPictures(HashMap<(&'static str, String), String>);

impl ExistingPictures {
    /// Empty unless the store holds a demo of this seed.
    pub fn read(conn: &mut Conn, seed: u64) -> rollcall_store::Result<Self> {
        let mut paths = HashMap::new();
        if demo_data::state(conn)?.seed != Some(seed) {
            return Ok(Self(paths));
        }
        for server in demo_data::server_pictures(conn)? {
            let key = server_key(&server.id, &server.motd_raw);
            paths.insert(("icon", key.clone()), server.icon);
            paths.insert(("banner", key.clone()), server.banner);
            paths.insert(("motd", key), server.motd_image);
        }
        for kind in ["skin", "cape"] {
            paths.extend(demo_data::texture_pictures(conn, kind)?.into_iter().map(|(id, path)| ((kind, id), path)));
        }
        paths.extend(demo_data::account_avatars(conn)?.into_iter().map(|(id, path)| (("avatar", id), path)));
        Ok(Self(paths))
    }
}

/// Includes the MOTD, because the pictures show it and a newer release may generate another text.
fn server_key(id: &str, motd_raw: &str) -> String {
    format!("{id} {motd_raw}")
}
