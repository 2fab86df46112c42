//! Inserts a generated world into a store.

use super::picture_paths::PicturePaths;
use super::progress::GenerateProgress;
use super::world::DemoWorld;
use super::{
    accounts, outages, player_stats, players, reviews, sample_history, servers, sessions, textures, update_posts, votes,
};
use rollcall_store::{Conn, Result, builtin_skins, bulk_load};

/// Inserts every row except derived totals. The tables must be empty, apart from accounts and built-in skins.
pub fn insert_world(
    conn: &mut Conn,
    world: &DemoWorld,
    pictures: &PicturePaths,
    progress: &GenerateProgress,
) -> Result<()> {
    let rev = bulk_load::begin_revision(conn)?;
    progress.set_step("accounts, skins and capes");
    let builtin = builtin_skins::ensure_builtin(conn, &pictures.builtin)?;
    let account_ns = accounts::insert(conn, &world.accounts, pictures)?;
    let textures = textures::insert(conn, &world.textures, &account_ns, &builtin, pictures, rev)?;
    textures::insert_reactions(conn, world.seed, &world.textures, &account_ns, textures.first_n)?;
    progress.set_step("servers");
    servers::insert(conn, &world.servers, &account_ns, pictures, world.size.tracked, rev)?;
    progress.advance(world.servers.len() as u64);
    progress.set_step("players");
    let last_seen = sessions::last_seen(&world.players, &world.sessions.past);
    players::insert(conn, world.seed, world.now, &world.players, &last_seen, &textures, rev)?;
    progress.advance(world.players.len() as u64 * 2);
    progress.set_step("sessions");
    sessions::insert(conn, world.seed, &world.sessions.past)?;
    progress.advance(world.sessions.past.len() as u64);
    player_stats::insert(conn, world.seed, &world.players, &world.sessions.past, world.size.stats_every)?;
    progress.set_step("votes");
    votes::insert(conn, world, &account_ns, progress)?;
    progress.set_step("reviews and posts");
    reviews::insert(conn, world, &account_ns)?;
    update_posts::insert(conn, world, &account_ns)?;
    progress.set_step("history");
    outages::insert(conn, &world.servers)?;
    sample_history::insert(conn, &world.servers, &world.size, world.now, progress)?;
    bulk_load::advance_sequences(conn)
}
