//! What changed in the store since the catalogue last looked, read in one snapshot.

use rollcall_store::changes::{self, State};
use rollcall_store::players::DirectoryRow;
use rollcall_store::servers::ServerRow;
use rollcall_store::textures::TextureRow;
use rollcall_store::{Conn, Result};

/// How much of the store's changes the catalogue has taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub state: State,
    /// Players are taken in less often when there are many of them: their changes up to this one are known.
    pub players: i64,
}

pub enum Changes {
    None,
    Rows(Rows),
    /// More than rows can tell.
    Everything,
}

/// Rows that changed since the catalogue last looked.
pub struct Rows {
    pub seen: Seen,
    pub servers: Vec<ServerRow>,
    pub players: Vec<DirectoryRow>,
    pub textures: Vec<TextureRow>,
}

/// What changed of that which is asked for.
pub fn load(conn: &mut Conn, seen: Option<Seen>, with_players: bool) -> Result<Changes> {
    let state = changes::state(conn)?;
    let Some(seen) = seen.filter(|seen| seen.state.epoch == state.epoch) else { return Ok(Changes::Everything) };
    if seen.state == state && (!with_players || seen.players == state.rev) {
        return Ok(Changes::None);
    }
    conn.snapshot(|conn| {
        let state = changes::state(conn)?;
        if seen.state.epoch != state.epoch {
            return Ok(Changes::Everything);
        }
        rows(conn, seen, state, with_players).map(Changes::Rows)
    })
}

fn rows(conn: &mut Conn, seen: Seen, state: State, with_players: bool) -> Result<Rows> {
    let since = seen.state.rev;
    let mut players = Vec::new();
    if with_players {
        rollcall_store::players::changed_since(conn, seen.players, |row| players.push(row))?;
    }
    Ok(Rows {
        seen: Seen { state, players: if with_players { state.rev } else { seen.players } },
        servers: rollcall_store::servers::changed_since(conn, since)?,
        players,
        textures: rollcall_store::textures::changed_since(conn, since)?,
    })
}
