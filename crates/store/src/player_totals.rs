//! Totals of one player, changed in the transaction of the row that they count.

use super::{Conn, Result};
use crate::values;
use rollcall_model::achievements::{self, PlayerTotals};

/// Changes the totals of a player and what they have achieved. `rev` is the revision of the transaction.
pub(crate) fn change(conn: &mut Conn, player_n: i64, rev: i64, apply: impl FnOnce(&mut PlayerTotals)) -> Result<()> {
    let sql = "select total_play_time, session_count, servers_count, total_kills, total_deaths, total_wins, vote_count,
                      review_count, tier_points, achievements
               from players where n = $1";
    let found = conn.query_optional(sql, values![player_n], |row| {
        let totals = PlayerTotals {
            play_time_s: row.get(0),
            sessions: row.get(1),
            servers: row.get(2),
            kills: row.get(3),
            deaths: row.get(4),
            wins: row.get(5),
            votes: row.get(6),
            reviews: row.get(7),
            tier_points: row.get(8),
        };
        (totals, row.get::<i64>(9))
    })?;
    let Some((mut totals, mask)) = found else { return Ok(()) };
    apply(&mut totals);
    let earned = mask | achievements::earned(&totals).cast_signed();
    conn.execute(
        "update players set total_kills = $2, total_deaths = $3, total_wins = $4, vote_count = $5, review_count = $6,
                achievements = $7, rev = $8
         where n = $1",
        values![player_n, totals.kills, totals.deaths, totals.wins, totals.votes, totals.reviews, earned, rev],
    )?;
    Ok(())
}
