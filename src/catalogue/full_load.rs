//! Loads the whole catalogue from the store, on all cores: the service is not ready before.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::future::try_join_all;

use super::leaderboard_snapshot::LeaderboardSnapshot;
use super::leaderboards::{LeaderboardPoints, Leaderboards};
use super::players::Players;
use super::row_ids::RowIds;
use super::servers::Servers;
use super::textures::Textures;
use super::{LOCK_POISONED, core_count, leaderboard_updates, run_blocking};
use rollcall_model::resources::Pictures;
use rollcall_model::score::RankInput;
use rollcall_store::revision::{self, StoreRevision};
use rollcall_store::{Conn, Pool, Result};

pub struct FullLoad {
    /// The oldest revision of all parts. Later changes are applied again by the next refresh, which is idempotent.
    pub revision: StoreRevision,
    pub servers: Servers,
    pub players: Players,
    pub leaderboards: Leaderboards,
    pub skins: Textures,
    pub capes: Textures,
}

/// Players that a thread takes at once when it computes points.
const BATCH_SIZE: usize = 2048;

/// If more than one in this many players changed, computing all points is as fast as selecting the changed players.
const MAX_CHANGED_SHARE: usize = 4;

struct LoadedLists {
    revision: StoreRevision,
    servers: Servers,
    skins: Textures,
    capes: Textures,
}

struct LoadedPlayers {
    revision: StoreRevision,
    players: Players,
    leaderboards: Leaderboards,
}

impl FullLoad {
    pub async fn run(pool: &Pool, pictures: &Pictures, now: i64) -> Result<Self> {
        loop {
            let pictures = pictures.clone();
            let votes = pool.read(move |conn| rollcall_store::servers::recent_votes(conn, now));
            let lists = pool.read(move |conn| conn.snapshot(|conn| load_lists(conn, &pictures, now)));
            let (votes, mut lists, loaded) = tokio::try_join!(votes, lists, load_players(pool, now))?;
            run_blocking(|| {
                let stats = lists.servers.compute_time_based_stats(&votes, now);
                lists.servers.install_time_based_stats(stats);
            });
            let LoadedLists { revision, servers, skins, capes } = lists;
            let LoadedPlayers { revision: players_revision, players, leaderboards } = loaded;
            // If the epoch changed meanwhile, the parts are inconsistent and are loaded again.
            if (revision.epoch, revision.timeline) == (players_revision.epoch, players_revision.timeline) {
                let revision = if players_revision.rev < revision.rev { players_revision } else { revision };
                return Ok(Self { revision, servers, players, leaderboards, skins, capes });
            }
        }
    }
}

fn load_lists(conn: &mut Conn, pictures: &Pictures, now: i64) -> Result<LoadedLists> {
    let revision = revision::current(conn)?;
    let mut servers = Servers::default();
    rollcall_store::servers::all(conn, |rows| servers.load(rows, pictures, now))?;
    servers.build_orders();
    let textures = rollcall_store::textures::changed_since(conn, revision::BEFORE_FIRST)?;
    let (skin_rows, cape_rows): (Vec<_>, Vec<_>) = textures.into_iter().partition(|texture| texture.is_skin);
    let (mut skins, mut capes) = (Textures::default(), Textures::default());
    skins.apply(skin_rows, &[], pictures);
    capes.apply(cape_rows, &[], pictures);
    Ok(LoadedLists { revision, servers, skins, capes })
}

async fn load_players(pool: &Pool, now: i64) -> Result<LoadedPlayers> {
    let directory = pool.read(|conn| {
        conn.snapshot(|conn| {
            Ok((revision::current(conn)?, load_directory(conn)?, rollcall_store::servers::hidden(conn)?))
        })
    });
    let ((revision, (players, all_time), hidden_servers), snapshot) =
        tokio::try_join!(directory, LeaderboardSnapshot::load(pool))?;
    let row_ids = players.row_ids();
    let (points, outdated) = match snapshot {
        Some(snapshot) => points_from_snapshot(pool, snapshot, row_ids.clone(), hidden_servers.clone(), now).await?,
        None => no_points(&row_ids),
    };
    let (points, next) = (Mutex::new(points), AtomicUsize::new(0));
    let computation = Arc::new(PointsComputation { row_ids, outdated, all_time, hidden_servers, now, next, points });
    // This takes most of the time of a full load. Players that change meanwhile have a newer `rev`, and the next refresh
    // updates them.
    let compute = |_| {
        let computation = computation.clone();
        // A batch that another run began would be missing.
        pool.read_once(move |conn| conn.snapshot(|conn| computation.run(conn)))
    };
    try_join_all((0..core_count()).map(compute)).await?;
    let computation = Arc::into_inner(computation);
    let PointsComputation { row_ids, hidden_servers, points, .. } = computation
        .ok_or_else(|| rollcall_store::Error::Unavailable("a leaderboard computation is still running".into()))?;
    let points = points.into_inner().expect(LOCK_POISONED);
    let leaderboards =
        run_blocking(|| leaderboard_updates::build(&row_ids, points, &hidden_servers, revision.rev, now));
    Ok(LoadedPlayers { revision, players, leaderboards })
}

/// Points of all players sorted by `n`, and the indexes of the players whose points must be computed.
type PartialPoints = (LeaderboardPoints, Vec<u32>);

fn no_points(row_ids: &RowIds) -> PartialPoints {
    (LeaderboardPoints::zeros(row_ids.len()), (0..row_ids.len() as u32).collect())
}

/// Uses the points of the snapshot for players that did not change since, unless too many changed.
async fn points_from_snapshot(
    pool: &Pool,
    snapshot: LeaderboardSnapshot,
    row_ids: Arc<RowIds>,
    hidden_servers: Vec<i64>,
    now: i64,
) -> Result<PartialPoints> {
    pool.read_once(move |conn| {
        let changed = conn.snapshot(|conn| {
            leaderboard_updates::changed_players(conn, &snapshot.version, &row_ids, &hidden_servers, now)
        })?;
        if changed.count() > row_ids.len() / MAX_CHANGED_SHARE {
            return Ok(no_points(&row_ids));
        }
        let rows = row_ids.rows_by_n();
        let outdated = (0u32..).zip(rows.iter()).filter(|(_, row)| changed.contains(**row)).map(|(i, _)| i).collect();
        Ok((snapshot.into_points(&row_ids), outdated))
    })
    .await
}

/// Computes points on several threads. Each takes the next batch of players until none is left.
struct PointsComputation {
    row_ids: Arc<RowIds>,
    /// Indexes of the players to compute, in the list of all players sorted by `n`.
    outdated: Vec<u32>,
    /// By row.
    all_time: Vec<RankInput>,
    hidden_servers: Vec<i64>,
    now: i64,
    /// The next position in `outdated`.
    next: AtomicUsize,
    points: Mutex<LeaderboardPoints>,
}

impl PointsComputation {
    fn run(&self, conn: &mut Conn) -> Result<()> {
        let all_time =
            |_: &mut Conn, rows: &[u32], _: &[i64]| Ok(rows.iter().map(|&row| self.all_time[row as usize]).collect());
        let rows_by_n = self.row_ids.rows_by_n();
        loop {
            let first = self.next.fetch_add(BATCH_SIZE, Ordering::Relaxed);
            let Some(batch) = self.outdated.get(first..).filter(|rest| !rest.is_empty()) else { return Ok(()) };
            let batch = &batch[..batch.len().min(BATCH_SIZE)];
            let rows: Vec<u32> = batch.iter().map(|&i| rows_by_n[i as usize]).collect();
            let points = leaderboard_updates::compute_points(
                conn,
                &self.row_ids,
                &rows,
                &self.hidden_servers,
                &all_time,
                self.now,
            )?;
            self.points.lock().expect(LOCK_POISONED).overwrite(batch, &points);
        }
    }
}

/// The player directory, and the all-time totals of each row. Later leaderboard updates read the totals from the store.
fn load_directory(conn: &mut Conn) -> Result<(Players, Vec<RankInput>)> {
    let (mut players, mut all_time) = (Players::default(), Vec::new());
    rollcall_store::players::all(conn, |player| {
        players.put(&player);
        all_time.push(player.rank_input());
    })?;
    players.build_orders();
    Ok((players, all_time))
}
