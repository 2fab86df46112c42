//! Counters that servers report of their players. Only public servers are ever read.

use super::servers::{NOT_HIDDEN, PUBLIC_ONLY};
use super::{Conn, Result};
use crate::values;

pub struct StatsRow {
    pub server_n: i64,
    pub at: i64,
    pub stats_json: String,
}

/// A player's reports, the latest first.
pub fn of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<StatsRow>> {
    let sql = format!(
        "select x.server_n, x.at, x.stats_json from player_stats x
         where x.player_n = $1 and {PUBLIC_ONLY} order by x.at desc, x.n desc limit $2"
    );
    conn.query(&sql, values![player_n, limit], |row| StatsRow {
        server_n: row.get(0),
        at: row.get(1),
        stats_json: row.get(2),
    })
}

/// `(player, kills, wins)` gained since a moment.
pub fn gains_since(conn: &mut Conn, since: i64) -> Result<Vec<(i64, i64, i64)>> {
    let sql = format!(
        "select x.player_n, cast(sum(x.kills_gain) as bigint), cast(sum(x.wins_gain) as bigint) from player_stats x
         where x.at >= $1 and {NOT_HIDDEN} group by x.player_n"
    );
    conn.query(&sql, values![since], |row| (row.get(0), row.get(1), row.get(2)))
}
