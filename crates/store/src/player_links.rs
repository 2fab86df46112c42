//! Links between accounts and the game accounts of the same people.

use super::{Conn, Result};
use crate::values;

/// The game account that an account is linked with.
#[derive(Clone, Debug)]
pub struct PlayerLink {
    pub player_n: i64,
    pub player_id: String,
    pub game_uuid: String,
    pub nickname: String,
    /// `join` or `report`.
    pub method: String,
    /// The name of the server that vouches for a link by report, if it still exists.
    pub vouched_by: Option<String>,
    pub linked_at: i64,
}

pub fn of_account(conn: &mut Conn, account_n: i64) -> Result<Option<PlayerLink>> {
    conn.query_optional(
        "select p.n, p.id, p.game_uuid, p.nickname, l.method, s.name, l.linked_at
         from player_links l join players p on p.n = l.player_n left join servers s on s.n = l.server_n
         where l.account_n = $1",
        values![account_n],
        |row| PlayerLink {
            player_n: row.get(0),
            player_id: row.get(1),
            game_uuid: row.get(2),
            nickname: row.get(3),
            method: row.get(4),
            vouched_by: row.get(5),
            linked_at: row.get(6),
        },
    )
}
