//! The in-memory read model: what lists, filters and sort orders are answered from. Kept current from the store,
//! whoever changed it.

mod bits;
mod boards;
mod facet;
mod order;
mod players;
mod servers;
mod tags;
mod texts;
mod textures;

use std::sync::{Mutex, RwLock, RwLockReadGuard};

pub use boards::{Board, Boards, Metric};
pub use players::{PlayerSort, Players};
pub use servers::{Entry, ServerFilter, ServerSort, Servers};
pub use textures::{TextureEntry, TextureFilter, TextureSort, Textures, owner as texture_owner};

use crate::model::resources::Pictures;
use crate::store::changes::{self, State};
use crate::store::players::DirectoryRow;
use crate::store::servers::ServerRow;
use crate::store::textures::TextureRow;
use crate::store::{self, Conn, Pool, Result};

/// Whoever needs players and boards takes the players first.
pub struct Catalogue {
    pub pictures: Pictures,
    servers: RwLock<Servers>,
    players: RwLock<Players>,
    skins: RwLock<Textures>,
    capes: RwLock<Textures>,
    boards: RwLock<Boards>,
    seen: Mutex<Option<State>>,
}

/// Rows that changed since the catalogue last looked.
struct Changes {
    state: State,
    servers: Vec<ServerRow>,
    players: PlayerChanges,
    textures: Vec<TextureRow>,
}

/// A million rows at once would weigh more than the directory itself, so a whole one is built row by row.
enum PlayerChanges {
    Whole(Box<Players>),
    Rows(Vec<DirectoryRow>),
}

const POISON: &str = "a panic while the catalogue was changing";
/// Below any rev: loads every row.
const FROM_THE_START: i64 = -1;

impl Catalogue {
    pub fn new(pictures: Pictures) -> Self {
        Self {
            pictures,
            servers: RwLock::default(),
            players: RwLock::default(),
            skins: RwLock::default(),
            capes: RwLock::default(),
            boards: RwLock::default(),
            seen: Mutex::new(None),
        }
    }

    /// Takes in what changed in the store, and gives what is now seen; `None` when nothing changed.
    pub async fn refresh(&self, pool: &Pool, now: i64) -> Result<Option<State>> {
        let seen = *self.seen.lock().expect(POISON);
        let Some(changes) = pool.read(move |conn| load(conn, seen)).await? else { return Ok(None) };
        let state = changes.state;
        tokio::task::block_in_place(|| self.apply(changes, now));
        *self.seen.lock().expect(POISON) = Some(state);
        Ok(Some(state))
    }

    fn apply(&self, changes: Changes, now: i64) {
        let (skins, capes): (Vec<_>, Vec<_>) = changes.textures.into_iter().partition(|texture| texture.is_skin);
        if let PlayerChanges::Whole(players) = changes.players {
            let mut servers = Servers::default();
            servers.apply(changes.servers, &self.pictures, now);
            let (mut new_skins, mut new_capes) = (Textures::default(), Textures::default());
            new_skins.apply(skins, &self.pictures);
            new_capes.apply(capes, &self.pictures);
            *self.servers.write().expect(POISON) = servers;
            // Boards name players by their place, which is another one now: both change under both locks.
            let mut held = self.players.write().expect(POISON);
            *self.boards.write().expect(POISON) = Boards::default();
            *held = *players;
            drop(held);
            *self.skins.write().expect(POISON) = new_skins;
            *self.capes.write().expect(POISON) = new_capes;
            return;
        }
        if !changes.servers.is_empty() {
            self.servers.write().expect(POISON).apply(changes.servers, &self.pictures, now);
        }
        if let PlayerChanges::Rows(rows) = changes.players
            && !rows.is_empty()
        {
            let mut players = self.players.write().expect(POISON);
            let places: Vec<u32> = rows.iter().map(|row| players.put(row)).collect();
            players.sort(&places);
        }
        for (rows, textures) in [(skins, &self.skins), (capes, &self.capes)] {
            if !rows.is_empty() {
                textures.write().expect(POISON).apply(rows, &self.pictures);
            }
        }
    }

    /// Brings the figures up to date that move with the clock alone: recent votes, hot scores, leaderboards.
    pub async fn age(&self, pool: &Pool, now: i64) -> Result<()> {
        let (votes, sums) =
            pool.read(move |conn| Ok((store::servers::recent_votes(conn, now)?, boards::sums(conn, now)?))).await?;
        tokio::task::block_in_place(|| {
            self.servers.write().expect(POISON).age(&votes, now);
            // Built under the players' read lock, so that places still mean the same players.
            let players = self.players();
            let boards = boards::build(&players, sums, now);
            *self.boards.write().expect(POISON) = boards;
        });
        Ok(())
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

    pub fn boards(&self) -> RwLockReadGuard<'_, Boards> {
        self.boards.read().expect(POISON)
    }
}

fn load(conn: &mut Conn, seen: Option<State>) -> Result<Option<Changes>> {
    if seen == Some(changes::state(conn)?) {
        return Ok(None);
    }
    conn.snapshot(|conn| {
        let state = changes::state(conn)?;
        let whole = seen.is_none_or(|seen| seen.epoch != state.epoch);
        let since = seen.filter(|_| !whole).map_or(FROM_THE_START, |seen| seen.rev);
        let players = if whole {
            PlayerChanges::Whole(Box::new(directory(conn)?))
        } else {
            PlayerChanges::Rows(player_rows(conn, since)?)
        };
        Ok(Some(Changes {
            state,
            servers: store::servers::changed_since(conn, since)?,
            players,
            textures: store::textures::changed_since(conn, since)?,
        }))
    })
}

fn directory(conn: &mut Conn) -> Result<Players> {
    let mut players = Players::default();
    store::players::changed_since(conn, FROM_THE_START, |row| {
        players.put(&row);
    })?;
    players.sort(&[]);
    Ok(players)
}

fn player_rows(conn: &mut Conn, since: i64) -> Result<Vec<DirectoryRow>> {
    let mut rows = Vec::new();
    store::players::changed_since(conn, since, |row| rows.push(row))?;
    Ok(rows)
}
