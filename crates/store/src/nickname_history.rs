//! The nickname history of players.

use super::{Conn, Result};
use crate::values;

/// Oldest first, the current one last. Stores of earlier versions may lack the current one of imported players.
pub fn of_player(conn: &mut Conn, player_n: i64, current: &str) -> Result<Vec<String>> {
    let history = conn.query(
        "select nickname from player_nicknames where player_n = $1 order by position",
        values![player_n],
        |row| row.get(0),
    )?;
    Ok(ending_with(history, current))
}

/// The history with the current nickname at its end.
pub fn ending_with(mut history: Vec<String>, current: &str) -> Vec<String> {
    if history.last().is_none_or(|last| last != current) {
        history.push(current.to_owned());
    }
    history
}

/// Appends a nickname, after the one it replaces.
pub(crate) fn append(conn: &mut Conn, player_n: i64, replaced: &str, nickname: &str) -> Result<()> {
    let history = of_player(conn, player_n, replaced)?;
    let rows = history.iter().map(String::as_str).chain([nickname]).enumerate();
    for (position, name) in rows.skip(history.len().saturating_sub(1)) {
        conn.execute(
            "insert into player_nicknames (player_n, position, nickname) values ($1, $2, $3)
             on conflict (player_n, position) do nothing",
            values![player_n, position as i64, name],
        )?;
    }
    Ok(())
}
