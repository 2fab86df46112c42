//! Reviews of servers. A page is a range of ordinals, so every page costs the same.

use super::votes::VotePlayer;
use super::{Conn, Result};
use crate::values;

pub struct ReviewRow {
    pub id: String,
    pub game_username: String,
    pub rating: i64,
    pub content: String,
    pub created_at: i64,
    pub updated_at: i64,
    pub account: Option<ReviewAccount>,
    pub player: Option<VotePlayer>,
}

pub struct ReviewAccount {
    pub id: String,
    pub username: String,
    pub avatar: String,
    pub role: String,
}

/// Reviews with ordinals from `from` down to `to`, both included: newest first.
pub fn page(conn: &mut Conn, server_n: i64, from: i64, to: i64) -> Result<Vec<ReviewRow>> {
    conn.query(
        "select r.id, r.game_username, r.rating, r.content, r.created_at, r.updated_at,
                a.id, a.username, a.avatar, a.role, p.id, p.game_uuid, p.nickname, p.skin, p.skin_model, t.png
         from reviews r left join accounts a on a.n = r.account_n
         left join players p on p.n = r.player_n left join textures t on t.n = p.linked_skin_n
         where r.server_n = $1 and r.ordinal <= $2 and r.ordinal >= $3 order by r.ordinal desc",
        values![server_n, from, to],
        |row| ReviewRow {
            id: row.get(0),
            game_username: row.get(1),
            rating: row.get(2),
            content: row.get(3),
            created_at: row.get(4),
            updated_at: row.get(5),
            account: row.get::<Option<String>>(6).map(|id| ReviewAccount {
                id,
                username: row.get(7),
                avatar: row.get(8),
                role: row.get(9),
            }),
            player: row.get::<Option<String>>(10).map(|id| VotePlayer {
                id,
                game_uuid: row.get(11),
                nickname: row.get(12),
                skin: row.get(13),
                skin_model: row.get(14),
                linked_skin_png: row.get(15),
            }),
        },
    )
}

/// Reviews of a server that are shown.
pub fn count(conn: &mut Conn, server_n: i64) -> Result<i64> {
    let sql = "select rating_count from servers where n = $1";
    Ok(conn.query_optional(sql, values![server_n], |row| row.get(0))?.unwrap_or(0))
}

/// `(rating, reviews)` of a server. Reads all of its reviews.
pub fn count_by_rating(conn: &mut Conn, server_n: i64) -> Result<Vec<(i64, i64)>> {
    let sql = "select rating, count(*) from reviews where server_n = $1 group by rating";
    conn.query(sql, values![server_n], |row| (row.get(0), row.get(1)))
}

pub fn latest_at(conn: &mut Conn, server_n: i64, total: i64) -> Result<Option<i64>> {
    conn.query_optional(
        "select created_at from reviews where server_n = $1 and ordinal = $2",
        values![server_n, total],
        |row| row.get(0),
    )
}

pub struct PlayerReviewRow {
    pub id: String,
    pub server_n: i64,
    pub rating: i64,
    pub content: String,
    pub created_at: i64,
}

/// A player's reviews, newest first; equal times come in any order.
pub fn of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<PlayerReviewRow>> {
    conn.query(
        "select id, server_n, rating, content, created_at from reviews
         where player_n = $1 order by created_at desc limit $2",
        values![player_n, limit],
        |row| PlayerReviewRow {
            id: row.get(0),
            server_n: row.get(1),
            rating: row.get(2),
            content: row.get(3),
            created_at: row.get(4),
        },
    )
}
