//! Sessions of players on servers. Only public servers are ever read.

use super::servers::{NOT_HIDDEN, PUBLIC_ONLY};
use super::{Conn, Result};
use crate::model::time::DAY;
use crate::values;

pub struct SessionRow {
    pub id: String,
    pub server_n: i64,
    pub joined_at: i64,
    pub left_at: i64,
    pub play_time: i64,
}

pub fn recent_of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<SessionRow>> {
    let sql = format!(
        "select x.id, x.server_n, x.joined_at, x.left_at, x.play_time from sessions x
         where x.player_n = $1 and {PUBLIC_ONLY} order by x.joined_at desc, x.n desc limit $2"
    );
    conn.query(&sql, values![player_n, limit], |row| SessionRow {
        id: row.get(0),
        server_n: row.get(1),
        joined_at: row.get(2),
        left_at: row.get(3),
        play_time: row.get(4),
    })
}

/// Servers a player has been on, the latest first.
pub fn servers_of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<i64>> {
    let sql = format!(
        "select x.server_n, max(x.joined_at) from sessions x
         where x.player_n = $1 and {PUBLIC_ONLY} group by x.server_n order by 2 desc, 1 limit $2"
    );
    conn.query(&sql, values![player_n, limit], |row| row.get(0))
}

/// Sessions begun per UTC day since a moment, the earliest day first: `(start of the day, sessions)`.
pub fn days_of_player(conn: &mut Conn, player_n: i64, since: i64) -> Result<Vec<(i64, i64)>> {
    let sql = format!(
        "select x.joined_at / {DAY}, count(*) from sessions x
         where x.player_n = $1 and x.joined_at >= $2 and {PUBLIC_ONLY} group by 1 order by 1"
    );
    conn.query(&sql, values![player_n, since], |row| (row.get::<i64>(0) * DAY, row.get(1)))
}

/// A player's sessions begun since a moment, in sum.
pub struct PlayerSum {
    pub player_n: i64,
    pub sessions: i64,
    pub servers: i64,
    pub play_time: i64,
}

pub fn sums_since(conn: &mut Conn, since: i64) -> Result<Vec<PlayerSum>> {
    let sql = format!(
        "select x.player_n, count(*), count(distinct x.server_n), cast(sum(x.play_time) as bigint) from sessions x
         where x.joined_at >= $1 and {NOT_HIDDEN} group by x.player_n"
    );
    conn.query(&sql, values![since], |row| PlayerSum {
        player_n: row.get(0),
        sessions: row.get(1),
        servers: row.get(2),
        play_time: row.get(3),
    })
}
