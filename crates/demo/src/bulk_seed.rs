//! Fills an empty store in bulk, to measure with.

use super::generate::{Error, GeneratedCounts};
use super::insert_world::insert_world;
use super::pictures::{ExistingPictures, PictureGenerator};
use super::progress::GenerateProgress;
use super::world::DemoWorld;
use super::world_size::WorldSize;
use rollcall_store::{Conn, bulk_load, server_stats, totals};

#[derive(Clone, Debug)]
pub struct BulkSeedOptions {
    pub servers: usize,
    pub players: usize,
    pub votes: usize,
    /// Average number of sessions per player.
    pub sessions: usize,
    pub seed: u64,
}

/// How many pictures of each kind are drawn. All rows share them.
pub const PICTURE_POOL_SIZE: usize = 64;
/// Building the indexes takes about as long as inserting this share of the rows.
const INDEX_SHARE: f64 = 0.4;

/// Fills an empty store in one transaction.
pub fn bulk_seed(
    conn: &mut Conn,
    options: &BulkSeedOptions,
    now: i64,
    pictures: &PictureGenerator,
    progress: &GenerateProgress,
) -> Result<GeneratedCounts, Error> {
    if options.servers == 0 || options.players == 0 {
        return Err(Error::Refused("a seed needs at least one server and one player".into()));
    }
    if !bulk_load::is_empty(conn)? {
        return Err(Error::Refused("the store already holds servers or players; seed needs an empty store".into()));
    }
    let size = WorldSize::bulk(options.servers, options.players, options.votes, options.sessions);
    let index_units = (size.rows() as f64 * INDEX_SHARE) as u64;
    progress.set_step("generating");
    let world = DemoWorld::generate(options.seed, now, &size);
    // A phase of its own: one picture takes as long as thousands of rows and would distort the estimate.
    progress.start(pictures.count(&world));
    let paths = pictures.draw(&world, &ExistingPictures::default(), progress)?;
    progress.start(size.rows() + index_units);
    let loaded = bulk_load::with_load_settings(conn, |conn| {
        conn.transaction(|conn| {
            let indexes = bulk_load::drop_indexes(conn)?;
            let units_per_index = index_units / indexes.count().max(1) as u64;
            insert_world(conn, &world, &paths, progress)?;
            progress.set_step("building indexes");
            indexes.recreate(conn, || progress.advance(units_per_index))?;
            progress.set_step("totals");
            server_stats::refresh_all(conn, now)?;
            totals::recompute(conn, &totals::RecomputeScope::All)
        })
    });
    progress.finish();
    loaded?;
    Ok(GeneratedCounts::of(&world))
}
