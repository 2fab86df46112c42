//! The in-memory read model: what lists, filters and sort orders are answered from. Kept current from the store,
//! whoever changed it.

mod block_index;
mod changes;
mod duty_cycle;
mod facets;
mod full_load;
mod leaderboard;
mod leaderboard_snapshot;
mod leaderboard_updates;
mod leaderboards;
mod period_totals;
mod players;
mod prefix_sets;
mod row_ids;
mod row_set;
mod servers;
mod sort_order;
mod textures;

use std::sync::{Arc, RwLock, RwLockReadGuard};
use std::time::Instant;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::Mutex;

pub use leaderboard::Board;
pub use leaderboards::{Boards, Metric};
pub use players::{PlayerSort, Players};
pub use servers::{Entry, ServerFilter, ServerSort, Servers};
pub use textures::{TextureEntry, TextureFilter, TextureSort, Textures, owner as texture_owner};

use changes::{Changes, Rows, Seen};
use duty_cycle::Pace;
use full_load::Whole;

use rollcall_model::resources::Pictures;
use rollcall_store::players::DirectoryRow;
use rollcall_store::{Pool, Result};

/// Whoever needs players and boards takes the players first.
///
/// A lock that somebody waits to write under lets no more readers in. So only who holds `taken` writes, and whatever takes
/// long is made aside before: under no lock, or under that of a reader while nobody else can want to write.
pub struct Catalogue {
    pub pictures: Pictures,
    servers: RwLock<Servers>,
    players: Arc<RwLock<Players>>,
    skins: RwLock<Textures>,
    capes: RwLock<Textures>,
    boards: RwLock<Arc<Boards>>,
    taken: Mutex<Taken>,
}

/// What was taken in of the store.
#[derive(Default)]
struct Taken {
    /// `None` before the first time.
    seen: Option<Seen>,
    /// Whether searches have an index. Without one they look at every text, which is slow but right.
    has_index: bool,
    /// Of moving players in their sort orders, which costs as much for one of a million as for thousands.
    pace: Pace,
}

/// Whether a change may wait until the catalogue has rested from the last ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Haste {
    AtOnce,
    InTime,
}

const POISON: &str = "a panic while the catalogue was changing";
/// After each board, one part work, so many parts rest.
const BOARDS_REST: u32 = 4;
/// Players put into the directory under one lock: well under a millisecond's worth.
const PUT_AT_ONCE: usize = 256;

impl Catalogue {
    pub fn new(pictures: Pictures) -> Self {
        Self {
            pictures,
            servers: RwLock::default(),
            players: Arc::default(),
            skins: RwLock::default(),
            capes: RwLock::default(),
            boards: RwLock::default(),
            taken: Mutex::default(),
        }
    }

    /// Takes in what changed in the store; tells whether anything did.
    pub async fn refresh(&self, pool: &Pool, now: i64, haste: Haste) -> Result<bool> {
        let mut taken = self.taken.lock().await;
        let seen = taken.seen;
        let with_players = haste == Haste::AtOnce || taken.pace.has_rested();
        let seen = match pool.read(move |conn| changes::load(conn, seen, with_players)).await? {
            Changes::None => return Ok(false),
            Changes::Rows(rows) => at_length(|| self.apply(rows, &mut taken.pace, now)),
            Changes::Everything => {
                let whole = Whole::load(pool, &self.pictures, now).await?;
                taken.has_index = false;
                at_length(|| self.replace(whole))
            }
        };
        taken.seen = Some(seen);
        Ok(true)
    }

    fn replace(&self, whole: Whole) -> Seen {
        let Whole { state, servers, players, boards, skins, capes } = whole;
        let old_servers = std::mem::replace(&mut *self.servers.write().expect(POISON), servers);
        let old_skins = std::mem::replace(&mut *self.skins.write().expect(POISON), skins);
        let old_capes = std::mem::replace(&mut *self.capes.write().expect(POISON), capes);
        // Boards name players by their place, which is another one now: both change under both locks.
        let mut held = self.players.write().expect(POISON);
        let old_boards = std::mem::replace(&mut *self.boards.write().expect(POISON), Arc::new(boards));
        let old_players = std::mem::replace(&mut *held, players);
        drop(held);
        // Letting go of so much takes a while, too.
        drop((old_servers, old_skins, old_capes, old_boards, old_players));
        Seen { state, players: state.rev }
    }

    fn apply(&self, rows: Rows, pace: &mut Pace, now: i64) -> Seen {
        if !rows.servers.is_empty() {
            let change = self.servers().change(rows.servers, &self.pictures, now);
            let replaced = self.servers.write().expect(POISON).take(change);
            drop(replaced);
        }
        if !rows.players.is_empty() {
            let started = Instant::now();
            self.put(&rows.players);
            pace.worked(started.elapsed());
        }
        let (skins, capes): (Vec<_>, Vec<_>) = rows.textures.into_iter().partition(|texture| texture.is_skin);
        for (rows, textures) in [(skins, &self.skins), (capes, &self.capes)] {
            if !rows.is_empty() {
                textures.write().expect(POISON).apply(rows, &self.pictures);
            }
        }
        rows.seen
    }

    fn put(&self, rows: &[DirectoryRow]) {
        for rows in rows.chunks(PUT_AT_ONCE) {
            let mut players = self.players.write().expect(POISON);
            rows.iter().for_each(|row| players.put(row));
        }
        let next = || self.players().new_order();
        while let Some(order) = next() {
            let old = self.players.write().expect(POISON).take_order(order);
            drop(old);
        }
    }

    /// Makes searches quick, unless they are. Not part of loading: a service that starts is waited for.
    pub async fn index(&self) {
        let mut taken = self.taken.lock().await;
        if !taken.has_index {
            at_length(|| {
                let index = self.servers().new_index();
                self.servers.write().expect(POISON).take_index(index);
                let index = self.players().new_index();
                self.players.write().expect(POISON).take_index(index);
                for textures in [&self.skins, &self.capes] {
                    let index = textures.read().expect(POISON).new_index();
                    textures.write().expect(POISON).take_index(index);
                }
            });
            taken.has_index = true;
        }
    }

    /// Brings the figures of servers up to date that move with the clock alone: recent votes, hot scores.
    pub async fn age(&self, pool: &Pool, now: i64) -> Result<()> {
        let votes = pool.read(move |conn| rollcall_store::servers::recent_votes(conn, now)).await?;
        let _taken = self.taken.lock().await;
        at_length(|| {
            let aged = self.servers().aged(&votes, now);
            self.servers.write().expect(POISON).take_aged(aged);
        });
        Ok(())
    }

    /// Brings the leaderboards up to now. What players have changed must have been taken in before, or it counts the next
    /// time.
    pub async fn rank(&self, pool: &Pool, now: i64) -> Result<()> {
        let Some(seen) = self.taken.lock().await.seen else { return Ok(()) };
        let (numbers, mut was) = (self.players().numbers(), self.boards());
        let before = was.clone();
        let moves = pool.read(move |conn| {
            conn.snapshot(|conn| leaderboard_updates::moves(conn, &before, numbers, seen.players, now))
        });
        let moves = moves.await?;
        let mut steps = moves.steps(was.clone());
        loop {
            let began = Instant::now();
            let is_more = at_length(|| {
                let Some(boards) = steps.next() else { return false };
                let mut held = self.boards.write().expect(POISON);
                // When all was loaded anew meanwhile, these are of another directory, and newer ones are there.
                if !Arc::ptr_eq(&held, &was) {
                    return false;
                }
                let old = std::mem::replace(&mut *held, boards.clone());
                drop(held);
                was = boards;
                drop(old);
                true
            });
            if !is_more {
                return Ok(());
            }
            // A board takes milliseconds of a core, and there are many: those who ask come in between.
            tokio::time::sleep(began.elapsed() * BOARDS_REST).await;
        }
    }

    /// Keeps what the leaderboards know for the next start.
    pub async fn keep_standings(&self, pool: &Pool) -> Result<()> {
        let taken = self.taken.lock().await;
        let Some(seen) = taken.seen else { return Ok(()) };
        let (numbers, boards) = (self.players().numbers(), self.boards());
        drop(taken);
        leaderboard_snapshot::keep(pool, &boards, &numbers, seen.state.epoch).await
    }

    pub fn servers(&self) -> RwLockReadGuard<'_, Servers> {
        self.servers.read().expect(POISON)
    }

    pub fn players(&self) -> RwLockReadGuard<'_, Players> {
        self.players.read().expect(POISON)
    }

    pub fn skins(&self) -> RwLockReadGuard<'_, Textures> {
        self.skins.read().expect(POISON)
    }

    pub fn capes(&self) -> RwLockReadGuard<'_, Textures> {
        self.capes.read().expect(POISON)
    }

    /// As they stand now: whoever reads them keeps nobody from putting newer ones in their place.
    pub fn boards(&self) -> Arc<Boards> {
        self.boards.read().expect(POISON).clone()
    }
}

/// Does what takes long. On a thread of the catalogue's own nobody else waits for it; a runtime of many moves others away first.
fn at_length<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        RuntimeFlavor::CurrentThread => work(),
        _ => tokio::task::block_in_place(work),
    }
}

/// Runs the same work on every core, and gives what each of them made.
fn on_all_cores<T: Send>(work: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores()).map(|_| scope.spawn(&work)).collect();
        let mut made = vec![work()];
        made.extend(others.into_iter().map(|other| other.join().expect("it ends well")));
        made
    })
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
