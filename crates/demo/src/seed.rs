//! Bulk data for measuring: the same world, larger and coarser.

use super::generate::{Error, Made, World};
use super::indexes;
use super::pictures::{Known, Pictures};
use super::progress::Progress;
use super::scale::Scale;
use rollcall_store::{Conn, server_stats, totals};

#[derive(Clone, Debug)]
pub struct SeedOptions {
    pub servers: usize,
    pub players: usize,
    pub votes: usize,
    /// Of each player, on average.
    pub sessions: usize,
    pub seed: u64,
}

/// Pictures of each kind that everything shares.
pub const POOL: usize = 64;
/// Building the indexes takes about as long as writing this share of the rows.
const INDEX_SHARE: f64 = 0.4;
/// Page cache of the load, in KiB: an index is built in fewer passes over the file.
const SQLITE_CACHE: i64 = 512 * 1024;

/// Fills an empty store. All or nothing, as [`super::generate`].
pub fn seed(
    conn: &mut Conn,
    options: &SeedOptions,
    now: i64,
    pictures: &Pictures,
    progress: &Progress,
) -> Result<Made, Error> {
    if options.servers == 0 || options.players == 0 {
        return Err(Error::Refused("a seed needs at least one server and one player".into()));
    }
    let there: i64 =
        conn.one("select (select count(*) from servers) + (select count(*) from players)", &[], |row| row.get(0))?;
    if there > 0 {
        return Err(Error::Refused("the store already holds servers or players; seed needs an empty store".into()));
    }
    let scale = Scale::bulk(options.servers, options.players, options.votes, options.sessions);
    let building = (scale.rows() as f64 * INDEX_SHARE) as u64;
    progress.step("imagining");
    let world = World::imagine(options.seed, now, &scale);
    // Pictures are measured apart: one takes as long as thousands of rows, and would spoil the estimate.
    progress.begin(pictures.count(world.servers.len(), world.textures.len(), world.accounts.len()));
    let album = pictures.draw(&world, &Known::default(), progress)?;
    progress.begin(scale.rows() + building);
    let loaded = for_a_load(conn, |conn| {
        conn.transaction(|conn| {
            let aside = indexes::set_aside(conn)?;
            let each = building / aside.len().max(1) as u64;
            world.write(conn, &album, progress)?;
            progress.step("building indexes");
            aside.put_back(conn, progress, each)?;
            progress.step("totals");
            server_stats::refresh_all(conn, now)?;
            totals::recompute(conn, &totals::Scope::All)
        })
    });
    progress.finish();
    loaded?;
    Ok(world.made())
}

/// SQLite checks no references while the rows come from a generator that makes none that are wrong. A write-ahead
/// log would hold the whole load and be searched for every page of it; a rollback journal of an empty store is tiny.
fn for_a_load<T>(
    conn: &mut Conn,
    work: impl FnOnce(&mut Conn) -> rollcall_store::Result<T>,
) -> rollcall_store::Result<T> {
    if conn.is_postgres() {
        return work(conn);
    }
    let cache: i64 = conn.one("pragma cache_size", &[], |row| row.get(0))?;
    // Refused while another process looks on; the log works too, only slower.
    let _ = conn.batch("pragma journal_mode = delete");
    conn.batch(&format!("pragma foreign_keys = off; pragma cache_size = -{SQLITE_CACHE}"))?;
    let outcome = work(conn);
    conn.batch(&format!("pragma cache_size = {cache}; pragma foreign_keys = on; pragma journal_mode = wal"))?;
    outcome
}
