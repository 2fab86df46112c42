//! The in-memory read model behind lists, filters, searches and leaderboards. It follows all changes of the store, also
//! those of other processes.
//!
//! Terms: a *row* (`u32`) is the position of a record in memory. `n` (`i64`) is the primary key of the same record in the
//! database.

mod block_index;
mod duty_cycle;
mod facets;
mod full_load;
mod leaderboard;
mod leaderboard_snapshot;
mod leaderboard_updates;
mod leaderboards;
mod list_position;
mod period_totals;
mod players;
mod prefix_sets;
mod row_ids;
mod row_set;
mod servers;
mod sort_order;
mod store_changes;
mod textures;

use std::sync::{Arc, RwLock, RwLockReadGuard};
use std::time::Instant;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Mutex;

pub use leaderboard::RankedRow;
pub use leaderboards::{LeaderboardMetric, Leaderboards};
pub use list_position::{ListPosition, PageAfter};
pub use players::{PlayerSort, Players};
pub use servers::{ServerEntry, ServerFilter, ServerSort, ServerStats, Servers};
pub use textures::{TextureEntry, TextureFilter, TextureSort, Textures, texture_owner};

use duty_cycle::DutyCycle;
use full_load::FullLoad;
use store_changes::{ChangedRows, PlayerScope, StoreChanges, SyncPosition};

use rollcall_model::resources::Pictures;
use rollcall_store::players::DirectoryRow;
use rollcall_store::{Pool, Result};

/// Lock order: players before leaderboards.
///
/// A waiting writer blocks new readers. So only the holder of `sync` takes a write lock, and it does slow work beforehand:
/// without a lock, or under a read lock while no other writer can wait.
pub struct Catalogue {
    pub pictures: Pictures,
    servers: RwLock<Servers>,
    players: Arc<RwLock<Players>>,
    skins: RwLock<Textures>,
    capes: RwLock<Textures>,
    leaderboards: RwLock<Arc<Leaderboards>>,
    sync: Mutex<SyncState>,
}

#[derive(Default)]
struct SyncState {
    /// `None` before the first load.
    position: Option<SyncPosition>,
    /// Without an index, searches scan all texts: slow but correct.
    has_search_index: bool,
    /// Limits the updates of players, because moving one of a million in the sort orders costs as much as moving thousands.
    player_updates: DutyCycle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefreshMode {
    /// Applies all changes now.
    Immediate,
    /// Players may stay outdated for a while, so that their updates take only a small share of the time.
    Throttled,
}

const LOCK_POISONED: &str = "catalogue lock is not poisoned";
/// The pause after each leaderboard update is this many times as long as the update.
const LEADERBOARD_PAUSE_FACTOR: u32 = 4;
/// Players that are updated under one write lock: well under a millisecond of work.
const PLAYER_BATCH_SIZE: usize = 256;

impl Catalogue {
    pub fn new(pictures: Pictures) -> Self {
        Self {
            pictures,
            servers: RwLock::default(),
            players: Arc::default(),
            skins: RwLock::default(),
            capes: RwLock::default(),
            leaderboards: RwLock::default(),
            sync: Mutex::default(),
        }
    }

    /// Applies the changes of the store. Returns whether there were any.
    pub async fn refresh(&self, pool: &Pool, now: i64, mode: RefreshMode) -> Result<bool> {
        let mut sync = self.sync.lock().await;
        let position = sync.position;
        let players = match mode {
            RefreshMode::Immediate => PlayerScope::ChangedAndRunning,
            RefreshMode::Throttled if sync.player_updates.is_due() => PlayerScope::Changed,
            RefreshMode::Throttled => PlayerScope::None,
        };
        let position = match pool.read(move |conn| store_changes::load(conn, position, players)).await? {
            StoreChanges::None => return Ok(false),
            StoreChanges::Rows(rows) => {
                pool.has_loaded(rows.position.revision);
                run_blocking(|| self.apply_changes(rows, &mut sync.player_updates, now))
            }
            StoreChanges::Everything => {
                let loaded = FullLoad::run(&pool.with_long_timeout(), &self.pictures, now).await?;
                // Its parts were read one after the other.
                pool.has_loaded_current().await?;
                sync.has_search_index = false;
                run_blocking(|| self.install_full_load(loaded))
            }
        };
        sync.position = Some(position);
        Ok(true)
    }

    fn install_full_load(&self, loaded: FullLoad) -> SyncPosition {
        let FullLoad { revision, servers, players, leaderboards, skins, capes } = loaded;
        let old_servers = std::mem::replace(&mut *self.servers.write().expect(LOCK_POISONED), servers);
        let old_skins = std::mem::replace(&mut *self.skins.write().expect(LOCK_POISONED), skins);
        let old_capes = std::mem::replace(&mut *self.capes.write().expect(LOCK_POISONED), capes);
        // Leaderboards refer to rows of the directory, so both change while both locks are held.
        let mut players_guard = self.players.write().expect(LOCK_POISONED);
        let old_leaderboards =
            std::mem::replace(&mut *self.leaderboards.write().expect(LOCK_POISONED), Arc::new(leaderboards));
        let old_players = std::mem::replace(&mut *players_guard, players);
        drop(players_guard);
        // Dropped after the locks, because freeing so much memory takes a while.
        drop((old_servers, old_skins, old_capes, old_leaderboards, old_players));
        SyncPosition { revision, players_rev: revision.rev }
    }

    fn apply_changes(&self, rows: ChangedRows, player_updates: &mut DutyCycle, now: i64) -> SyncPosition {
        if !rows.servers.is_empty() || !rows.removed_servers.is_empty() {
            let update = self.servers().prepare_update(rows.servers, &rows.removed_servers, &self.pictures, now);
            let replaced = self.servers.write().expect(LOCK_POISONED).install_update(update);
            drop(replaced);
        }
        if !rows.players.is_empty() {
            let started = Instant::now();
            self.update_players(&rows.players);
            player_updates.record_work(started.elapsed());
        }
        let (skins, capes): (Vec<_>, Vec<_>) = rows.textures.into_iter().partition(|texture| texture.is_skin);
        let (removed_skins, removed_capes): (Vec<_>, Vec<_>) =
            rows.removed_textures.into_iter().partition(|(_, is_skin)| *is_skin);
        for (rows, removed, textures) in [(skins, removed_skins, &self.skins), (capes, removed_capes, &self.capes)] {
            if !rows.is_empty() || !removed.is_empty() {
                let removed: Vec<i64> = removed.into_iter().map(|(n, _)| n).collect();
                textures.write().expect(LOCK_POISONED).apply(rows, &removed, &self.pictures);
            }
        }
        rows.position
    }

    fn update_players(&self, changed: &[DirectoryRow]) {
        for batch in changed.chunks(PLAYER_BATCH_SIZE) {
            let mut players = self.players.write().expect(LOCK_POISONED);
            batch.iter().for_each(|player| players.put(player));
        }
        let next = || self.players().build_next_order();
        while let Some(order) = next() {
            let replaced = self.players.write().expect(LOCK_POISONED).install_order(order);
            drop(replaced);
        }
    }

    /// Builds the search indexes unless they exist. Not part of loading, so that a starting service is ready earlier.
    pub async fn build_search_index(&self) {
        let mut sync = self.sync.lock().await;
        if !sync.has_search_index {
            run_blocking(|| {
                let index = self.servers().build_search_index();
                self.servers.write().expect(LOCK_POISONED).install_search_index(index);
                let index = self.players().build_search_index();
                self.players.write().expect(LOCK_POISONED).install_search_index(index);
                for textures in [&self.skins, &self.capes] {
                    let index = textures.read().expect(LOCK_POISONED).build_search_index();
                    textures.write().expect(LOCK_POISONED).install_search_index(index);
                }
            });
            sync.has_search_index = true;
        }
    }

    /// Updates the stats of servers that change with time alone: recent votes and hot scores.
    pub async fn refresh_time_based_stats(&self, pool: &Pool, now: i64) -> Result<()> {
        let votes = pool.with_long_timeout().read(move |conn| rollcall_store::servers::recent_votes(conn, now)).await?;
        pool.has_loaded_current().await?;
        let _sync = self.sync.lock().await;
        run_blocking(|| {
            let stats = self.servers().compute_time_based_stats(&votes, now);
            self.servers.write().expect(LOCK_POISONED).install_time_based_stats(stats);
        });
        Ok(())
    }

    /// Updates the leaderboards to now. Covers only the changes of players that a [`Self::refresh`] applied before.
    pub async fn refresh_leaderboards(&self, pool: &Pool, now: i64) -> Result<()> {
        let Some(position) = self.sync.lock().await.position else { return Ok(()) };
        let (row_ids, mut installed) = (self.players().row_ids(), self.leaderboards());
        let current = installed.clone();
        let pool = pool.with_long_timeout();
        let update = pool.read(move |conn| {
            conn.snapshot(|conn| {
                leaderboard_updates::prepare(conn, &current, row_ids.clone(), position.players_rev, now)
            })
        });
        let update = update.await?;
        pool.has_loaded_current().await?;
        let mut steps = update.steps(installed.clone());
        loop {
            let started = Instant::now();
            let is_installed = run_blocking(|| {
                let Some(next) = steps.next() else { return false };
                let mut guard = self.leaderboards.write().expect(LOCK_POISONED);
                // After a full load meanwhile, these rows belong to the old directory, and newer leaderboards are installed.
                if !Arc::ptr_eq(&guard, &installed) {
                    return false;
                }
                let replaced = std::mem::replace(&mut *guard, next.clone());
                drop(guard);
                installed = next;
                drop(replaced);
                true
            });
            if !is_installed {
                return Ok(());
            }
            // Each leaderboard takes some milliseconds of CPU time: the pause leaves the core to requests.
            tokio::time::sleep(started.elapsed() * LEADERBOARD_PAUSE_FACTOR).await;
        }
    }

    /// Saves the points of the leaderboards for the next start.
    pub async fn save_leaderboard_snapshot(&self, pool: &Pool) -> Result<()> {
        let sync = self.sync.lock().await;
        let Some(position) = sync.position else { return Ok(()) };
        let (row_ids, leaderboards) = (self.players().row_ids(), self.leaderboards());
        drop(sync);
        leaderboard_snapshot::save(&pool.with_long_timeout(), &leaderboards, &row_ids, position.revision.epoch).await
    }

    pub fn servers(&self) -> RwLockReadGuard<'_, Servers> {
        self.servers.read().expect(LOCK_POISONED)
    }

    pub fn players(&self) -> RwLockReadGuard<'_, Players> {
        self.players.read().expect(LOCK_POISONED)
    }

    pub fn skins(&self) -> RwLockReadGuard<'_, Textures> {
        self.skins.read().expect(LOCK_POISONED)
    }

    pub fn capes(&self) -> RwLockReadGuard<'_, Textures> {
        self.capes.read().expect(LOCK_POISONED)
    }

    /// The current leaderboards. A reader does not block updates.
    pub fn leaderboards(&self) -> Arc<Leaderboards> {
        self.leaderboards.read().expect(LOCK_POISONED).clone()
    }
}

/// Runs slow work. A multi-thread runtime moves its other tasks away first; the catalogue's own single-thread runtimes have
/// no other tasks.
fn run_blocking<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => work(),
        _ => tokio::task::block_in_place(work),
    }
}

/// Runs the same work on every core and returns all results.
fn on_all_cores<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (1..core_count()).map(|_| scope.spawn(&work)).collect();
        let mut results = vec![work()];
        results.extend(threads.into_iter().map(|thread| thread.join().expect("the thread does not panic")));
        results
    })
}

fn core_count() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
