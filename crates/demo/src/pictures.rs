//! Draws what the world shows and keeps it in the media store, on as many threads as there are cores.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::generate::World;
use super::progress::Progress;
use rollcall_paint::Model;
use rollcall_store::Conn;
use rollcall_store::builtin_skins::BuiltinPictures;
use rollcall_store::media::{Error, Media};

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

    pub(super) fn draw(&self, world: &World, known: &Known, progress: &Progress) -> Result<Album, Error> {
        progress.step("drawing pictures");
        let World { servers, textures, accounts, .. } = world;
        let (skins, capes) = textures.split_at(textures.partition_point(|texture| texture.model.is_some()));
        // Each kind draws other pictures from the same number.
        let own = |index: usize| world.seed.0.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let keep = |kind, count, id: &dyn Fn(usize) -> String, draw: &(dyn Fn(usize) -> Vec<u8> + Sync)| {
            let known = |index: usize| known.0.get(&(kind, id(index)));
            self.keep(kind, &(0..count).map(known).collect::<Vec<_>>(), draw, progress)
        };
        let server = |i: usize| server_key(&servers[i].id, &servers[i].motd_raw);
        let by_model = |model: &str| -> Result<(Vec<usize>, Vec<String>), Error> {
            let of: Vec<usize> = (0..skins.len()).filter(|&i| skins[i].model == Some(model)).collect();
            let arms = if model == "slim" { Model::Slim } else { Model::Classic };
            let drawn =
                keep("skin", of.len(), &|i| skins[of[i]].id.clone(), &|i| rollcall_paint::skin(arms, own(of[i])))?;
            Ok((of, drawn))
        };
        // A shared skin must still be of the model that it is said to be.
        let mut skin_paths = vec![String::new(); skins.len()];
        for (of, drawn) in [by_model("classic")?, by_model("slim")?] {
            for (place, index) in of.into_iter().enumerate() {
                skin_paths[index] = shared(&drawn, place).to_owned();
            }
        }
        Ok(Album {
            builtin: BuiltinPictures::keep(&self.media)?,
            icons: keep("icon", servers.len(), &server, &|i| rollcall_paint::icon(&servers[i].name, own(i)))?,
            banners: keep("banner", servers.len(), &server, &|i| {
                rollcall_paint::banner(&servers[i].name, &servers[i].tagline, own(i))
            })?,
            motds: keep("motd", servers.len(), &server, &|i| rollcall_paint::motd(&servers[i].motd_raw))?,
            avatars: keep("avatar", accounts.len(), &|i| accounts[i].id.clone(), &|i| rollcall_paint::avatar(own(i)))?,
            capes: keep("cape", capes.len(), &|i| capes[i].id.clone(), &|i| {
                rollcall_paint::cape(own(skins.len() + i))
            })?,
            skins: skin_paths,
        })
    }

    fn keep(
        &self,
        kind: &str,
        known: &[Option<&String>],
        draw: &(dyn Fn(usize) -> Vec<u8> + Sync),
        progress: &Progress,
    ) -> Result<Vec<String>, Error> {
        let count = known.len().min(self.most);
        let next = AtomicUsize::new(0);
        let paths = Mutex::new(vec![String::new(); count]);
        let work = || -> Result<(), Error> {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                let path = match known[index] {
                    Some(path) if self.media.has_blocking(path)? => path.clone(),
                    _ => self.media.put_png_blocking(kind, &draw(index))?,
                };
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

/// Pictures of the world that is in the store already: the same things look the same, so they are not drawn again.
#[derive(Default)]
pub(super) struct Known(HashMap<(&'static str, String), String>);

impl Known {
    /// Empty unless the store holds a demo of this seed.
    pub fn read(conn: &mut Conn, seed: u64) -> rollcall_store::Result<Self> {
        let mut known = HashMap::new();
        let there: Option<i64> = conn.one("select demo_seed from store_state", &[], |row| row.get(0))?;
        if there != Some(seed.cast_signed()) {
            return Ok(Self(known));
        }
        conn.for_each("select id, motd_raw, icon, banner, motd_image from servers", &[], |row| {
            let key = server_key(&row.get::<String>(0), &row.get::<String>(1));
            for (kind, column) in [("icon", 2), ("banner", 3), ("motd", 4)] {
                known.insert((kind, key.clone()), row.get(column));
            }
        })?;
        for (kind, sql) in [
            ("skin", "select id, png from textures where kind = 'skin'"),
            ("cape", "select id, png from textures where kind = 'cape'"),
            ("avatar", "select id, avatar from accounts"),
        ] {
            conn.for_each(sql, &[], |row| {
                known.insert((kind, row.get(0)), row.get(1));
            })?;
        }
        Ok(Self(known))
    }
}

/// Its pictures show a server's name and message, and a newer release may have found better words.
fn server_key(id: &str, motd_raw: &str) -> String {
    format!("{id} {motd_raw}")
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
