//! Replaces the content of a store by a demo world.

use super::accounts;
use super::insert_world::insert_world;
use super::pictures::{ExistingPictures, PictureGenerator};
use super::progress::GenerateProgress;
use super::rng::WorldSeed;
use super::world::DemoWorld;
use super::world_size::WorldSize;
use rollcall_store::{Conn, demo_data, server_stats, totals};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Store(#[from] rollcall_store::Error),
    #[error(transparent)]
    Media(#[from] rollcall_store::media::Error),
    #[error("{0}")]
    Refused(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedCounts {
    pub servers: usize,
    pub players: usize,
    pub sessions: usize,
    pub accounts: usize,
    pub textures: usize,
}

impl GeneratedCounts {
    pub(super) fn of(world: &DemoWorld) -> Self {
        Self {
            servers: world.servers.len(),
            players: world.players.len(),
            sessions: world.sessions.past.len(),
            accounts: world.accounts.len(),
            textures: world.textures.len(),
        }
    }
}

/// Replaces the store's content by the world of `seed` as it stands at `now`. API keys, accounts that were not
/// generated and the built-in skins stay. All rows change in one transaction.
pub fn generate_demo(
    conn: &mut Conn,
    seed: u64,
    now: i64,
    size: &WorldSize,
    pictures: &PictureGenerator,
    progress: &GenerateProgress,
) -> Result<GeneratedCounts, Error> {
    let world = DemoWorld::generate(seed, now, size);
    progress.start(pictures.count(&world));
    // Drawn before the transaction, to keep it short. An unused picture does no harm.
    let paths = pictures.draw(&world, &ExistingPictures::read(conn, seed)?, progress)?;
    progress.start(size.rows());
    conn.transaction(|conn| {
        clear(conn)?;
        insert_world(conn, &world, &paths, progress)?;
        progress.set_step("totals");
        server_stats::refresh_all(conn, now)?;
        totals::recompute(conn, &totals::RecomputeScope::All)?;
        demo_data::set_state(conn, seed, now)
    })?;
    progress.finish();
    Ok(GeneratedCounts::of(&world))
}

fn clear(conn: &mut Conn) -> rollcall_store::Result<()> {
    demo_data::clear(conn)?;
    match demo_data::state(conn)?.seed {
        Some(seed) => accounts::delete_generated(conn, WorldSeed(seed)),
        None => Ok(()),
    }
}
