//! The nickname history of players.

use super::{Conn, Result};
use crate::values;

/// Oldest first, the current one last.
pub fn of_player(conn: &mut Conn, player_n: i64) -> Result<Vec<String>> {
    conn.query(
        "select nickname from player_nicknames where player_n = $1 order by position",
        values![player_n],
        |row| row.get(0),
    )
}
