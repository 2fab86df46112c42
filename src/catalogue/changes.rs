//! What the catalogue takes in: read from the store in one snapshot, on a thread of the pool.

use super::boards::Boards;
use super::players::Players;
use super::ranking;
use super::servers::Servers;
use super::textures::Textures;
use crate::model::resources::Pictures;
use crate::store::changes::{self, State};
use crate::store::players::DirectoryRow;
use crate::store::servers::ServerRow;
use crate::store::textures::TextureRow;
use crate::store::{self, Conn, Result};

/// How much of the store's changes the catalogue has taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub state: State,
    /// Players are taken in less often when there are many of them: their changes up to this one are known.
    pub players: i64,
}

pub enum Changes {
    Whole(Box<Whole>),
    Rows(Rows),
}

/// Everything anew. A million rows at once would weigh more than what is made of them, so it is made row by row.
pub struct Whole {
    pub state: State,
    pub servers: Servers,
    pub players: Players,
    pub boards: Boards,
    pub skins: Textures,
    pub capes: Textures,
}

/// Rows that changed since the catalogue last looked.
pub struct Rows {
    pub seen: Seen,
    pub servers: Vec<ServerRow>,
    pub players: Vec<DirectoryRow>,
    pub textures: Vec<TextureRow>,
}

/// `None` when nothing changed that is asked for.
pub fn load(
    conn: &mut Conn,
    seen: Option<Seen>,
    with_players: bool,
    pictures: &Pictures,
    now: i64,
) -> Result<Option<Changes>> {
    let is_news =
        |state: State| seen.is_none_or(|seen| seen.state != state || with_players && seen.players != state.rev);
    if !is_news(changes::state(conn)?) {
        return Ok(None);
    }
    conn.snapshot(|conn| {
        let state = changes::state(conn)?;
        match seen.filter(|seen| seen.state.epoch == state.epoch) {
            Some(seen) => rows(conn, seen, state, with_players).map(|rows| Some(Changes::Rows(rows))),
            None => whole(conn, state, pictures, now).map(|whole| Some(Changes::Whole(Box::new(whole)))),
        }
    })
}

fn rows(conn: &mut Conn, seen: Seen, state: State, with_players: bool) -> Result<Rows> {
    let since = seen.state.rev;
    let mut players = Vec::new();
    if with_players {
        store::players::changed_since(conn, seen.players, |row| players.push(row))?;
    }
    Ok(Rows {
        seen: Seen { state, players: if with_players { state.rev } else { seen.players } },
        servers: store::servers::changed_since(conn, since)?,
        players,
        textures: store::textures::changed_since(conn, since)?,
    })
}

fn whole(conn: &mut Conn, state: State, pictures: &Pictures, now: i64) -> Result<Whole> {
    let mut servers = Servers::default();
    servers.apply(store::servers::changed_since(conn, changes::START)?, pictures, now);
    let aged = servers.aged(&store::servers::recent_votes(conn, now)?, now);
    servers.take_aged(aged);
    let (is_skin, is_cape): (Vec<_>, Vec<_>) =
        store::textures::changed_since(conn, changes::START)?.into_iter().partition(|texture| texture.is_skin);
    let (mut skins, mut capes) = (Textures::default(), Textures::default());
    skins.apply(is_skin, pictures);
    capes.apply(is_cape, pictures);
    skins.build_index();
    capes.build_index();
    // Reading players leaves a core to the index of servers.
    let players = std::thread::scope(|scope| {
        scope.spawn(|| servers.build_index());
        directory(conn)
    })?;
    let boards = ranking::build(conn, &players.numbers(), |places| players.rank_inputs(places), state.rev, now)?;
    Ok(Whole { state, servers, players, boards, skins, capes })
}

fn directory(conn: &mut Conn) -> Result<Players> {
    let mut players = Players::default();
    store::players::changed_since(conn, changes::START, |row| players.put(&row))?;
    let (index, orders) = std::thread::scope(|scope| {
        let index = scope.spawn(|| players.new_index());
        let orders = players.new_orders();
        (index.join().expect("an index is built without a panic"), orders)
    });
    players.take_index(index);
    drop(players.take_orders(orders));
    Ok(players)
}
