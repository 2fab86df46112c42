//! Votes for servers. A page is a range of ordinals, so every page costs the same.

use super::{Conn, Result};
use crate::values;

pub struct VoteRow {
    pub id: String,
    pub game_username: String,
    pub voted_at: i64,
    pub has_account: bool,
    pub site_username: Option<String>,
    pub player: Option<VotePlayer>,
}

/// The player with the voter's or reviewer's name, and their skin.
pub struct VotePlayer {
    pub id: String,
    pub game_uuid: String,
    pub nickname: String,
    pub skin: String,
    pub skin_model: String,
    pub linked_skin_png: String,
}

/// Votes with ordinals from `from` down to `to`, both included: newest first.
pub fn page(conn: &mut Conn, server_n: i64, from: i64, to: i64) -> Result<Vec<VoteRow>> {
    conn.query(
        "select v.id, v.game_username, v.voted_at, a.username,
                p.id, p.game_uuid, p.nickname, p.skin, p.skin_model, t.png
         from votes v left join accounts a on a.n = v.account_n
         left join players p on p.n = v.player_n left join textures t on t.n = p.linked_skin_n
         where v.server_n = $1 and v.ordinal <= $2 and v.ordinal >= $3 order by v.ordinal desc",
        values![server_n, from, to],
        |row| {
            let site_username: Option<String> = row.get(3);
            VoteRow {
                id: row.get(0),
                game_username: row.get(1),
                voted_at: row.get(2),
                has_account: site_username.is_some(),
                site_username,
                player: row.get::<Option<String>>(4).map(|id| VotePlayer {
                    id,
                    game_uuid: row.get(5),
                    nickname: row.get(6),
                    skin: row.get(7),
                    skin_model: row.get(8),
                    linked_skin_png: row.get(9),
                }),
            }
        },
    )
}

pub fn latest_at(conn: &mut Conn, server_n: i64, total: i64) -> Result<Option<i64>> {
    conn.query_optional(
        "select voted_at from votes where server_n = $1 and ordinal = $2",
        values![server_n, total],
        |row| row.get(0),
    )
}

/// The number of a server's `total` votes at or after `since`. Ordinals follow time, so the first such vote gives it.
pub fn count_since(conn: &mut Conn, server_n: i64, total: i64, since: i64) -> Result<i64> {
    let first = conn.query_optional(
        "select ordinal from votes where server_n = $1 and voted_at >= $2 order by voted_at, ordinal limit 1",
        values![server_n, since],
        |row| row.get::<i64>(0),
    )?;
    Ok(first.map_or(0, |first| total - first + 1))
}

/// `(start of the day, votes)` from `since` on, oldest first.
pub fn days(conn: &mut Conn, server_n: i64, since: i64) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "select day, votes from vote_days where server_n = $1 and day >= $2 order by day",
        values![server_n, since],
        |row| (row.get(0), row.get(1)),
    )
}

/// A player's votes as `(server_n, voted_at)`, newest first; equal times come in any order.
pub fn of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<(i64, i64)>> {
    conn.query(
        "select server_n, voted_at from votes where player_n = $1 order by voted_at desc limit $2",
        values![player_n, limit],
        |row| (row.get(0), row.get(1)),
    )
}
