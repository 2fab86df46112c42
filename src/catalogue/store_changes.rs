//! Reads what changed in the store since the last refresh of the catalogue, in one database snapshot.

use rollcall_store::players::DirectoryRow;
use rollcall_store::revision::{self, StoreRevision};
use rollcall_store::servers::ServerRow;
use rollcall_store::textures::TextureRow;
use rollcall_store::{Conn, Result};

/// The changes of the store that the catalogue contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncPosition {
    pub revision: StoreRevision,
    /// The `rev` up to which changes of players are contained. It can be lower, because players are refreshed less often when
    /// there are many.
    pub players_rev: i64,
}

pub enum StoreChanges {
    None,
    Rows(ChangedRows),
    /// The catalogue must be loaded again.
    Everything,
}

pub struct ChangedRows {
    /// The position after these changes.
    pub position: SyncPosition,
    pub servers: Vec<ServerRow>,
    /// Numbers of deleted servers.
    pub removed_servers: Vec<i64>,
    pub players: Vec<DirectoryRow>,
    pub textures: Vec<TextureRow>,
    /// Numbers of removed textures, and whether they were skins.
    pub removed_textures: Vec<(i64, bool)>,
}

/// Which players are loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerScope {
    None,
    Changed,
    /// Also those whose sessions run, whose play time grows without a revision.
    ChangedAndRunning,
}

pub fn load(conn: &mut Conn, position: Option<SyncPosition>, scope: PlayerScope) -> Result<StoreChanges> {
    let revision = revision::current(conn)?;
    let Some(position) = position.filter(|position| revision.continues(&position.revision)) else {
        return Ok(StoreChanges::Everything);
    };
    if position.revision == revision && (scope == PlayerScope::None || position.players_rev == revision.rev) {
        return Ok(StoreChanges::None);
    }
    conn.snapshot(|conn| {
        let revision = revision::current(conn)?;
        if !revision.continues(&position.revision) {
            return Ok(StoreChanges::Everything);
        }
        load_rows(conn, position, revision, scope).map(StoreChanges::Rows)
    })
}

fn load_rows(
    conn: &mut Conn,
    position: SyncPosition,
    revision: StoreRevision,
    scope: PlayerScope,
) -> Result<ChangedRows> {
    let since = position.revision.rev;
    let (mut players, with_players) = (Vec::new(), scope != PlayerScope::None);
    if with_players {
        let with_running = scope == PlayerScope::ChangedAndRunning;
        let put = |player| players.push(player);
        rollcall_store::players::changed_since(conn, position.players_rev, with_running, put)?;
    }
    let players_rev = if with_players { revision.rev } else { position.players_rev };
    Ok(ChangedRows {
        position: SyncPosition { revision, players_rev },
        servers: rollcall_store::changed_servers::load(conn, since)?,
        removed_servers: rollcall_store::changed_servers::load_removed(conn, since)?,
        players,
        textures: rollcall_store::textures::changed_since(conn, since)?,
        removed_textures: rollcall_store::texture_uploads::removed_since(conn, since)?,
    })
}
