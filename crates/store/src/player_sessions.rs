//! Sessions of players on servers, hidden servers included.

use super::running_sessions::{self, OF_SESSION, WAITING};
use super::{Conn, Result, pad_values, placeholders, range_or_list};
use crate::values;

pub struct SessionRow {
    pub n: i64,
    pub id: String,
    pub server_n: i64,
    pub joined_at: i64,
    pub left_at: i64,
    pub play_time: i64,
}

/// A player's sessions, newest first; equal times come in any order.
pub fn recent_of_player(conn: &mut Conn, player_n: i64, limit: i64) -> Result<Vec<SessionRow>> {
    let sql = format!(
        "select s.n, s.id, s.server_n, s.joined_at, coalesce(o.sample_at, s.left_at), s.play_time + {WAITING}
         from sessions s {OF_SESSION} where s.player_n = $1 order by s.joined_at desc limit $2"
    );
    conn.query(&sql, values![player_n, limit], |row| SessionRow {
        n: row.get(0),
        id: row.get(1),
        server_n: row.get(2),
        joined_at: row.get(3),
        left_at: row.get(4),
        play_time: row.get(5),
    })
}

/// Seconds that a player has played on a server.
pub fn play_time(conn: &mut Conn, player_n: i64, server_n: i64) -> Result<i64> {
    let sql = format!(
        "select cast(coalesce(sum(s.play_time + {WAITING}), 0) as bigint) from sessions s {OF_SESSION}
         where s.player_n = $1 and s.server_n = $2"
    );
    conn.query_one(&sql, values![player_n, server_n], |row| row.get(0))
}

/// `(joined_at, server_n)` of each session of a player, newest first.
pub fn begun_by_player(conn: &mut Conn, player_n: i64) -> Result<Vec<(i64, i64)>> {
    let sql = "select joined_at, server_n from sessions where player_n = $1 order by joined_at desc";
    conn.query(sql, values![player_n], |row| (row.get(0), row.get(1)))
}

/// The part of a session that leaderboards count.
pub struct CountedSession {
    pub player_n: i64,
    pub server_n: i64,
    pub joined_at: i64,
    pub play_time: i64,
}

/// Streams the sessions of some players begun since a time, player by player. Hidden servers are included: the caller knows
/// them, and a join per batch of players would cost more than the sessions.
pub fn of_players(conn: &mut Conn, numbers: &[i64], since: i64, mut each: impl FnMut(CountedSession)) -> Result<()> {
    let running = running_sessions::of_players(conn, numbers)?;
    let (of_players, mut values) = range_or_list("player_n", numbers);
    values.push(since.into());
    let sql = format!(
        "select player_n, server_n, joined_at, play_time from sessions
         where {of_players} and joined_at >= ${} order by player_n",
        values.len()
    );
    conn.for_each(&sql, &values, |row| {
        let (player_n, server_n, joined_at) = (row.get(0), row.get(1), row.get(2));
        let running = running.get(&player_n).filter(|session| session.is(server_n, joined_at));
        let play_time = row.get::<i64>(3) + running.map_or(0, |session| session.waiting);
        each(CountedSession { player_n, server_n, joined_at, play_time });
    })
}

/// Players who began a session at or after `from` and before `to`.
pub fn players_between(conn: &mut Conn, from: i64, to: i64) -> Result<Vec<i64>> {
    let sql = "select distinct player_n from sessions where joined_at >= $1 and joined_at < $2";
    conn.query(sql, values![from, to], |row| row.get(0))
}

/// Players who began a session on one of these servers since a time. Scans all sessions since then.
pub fn players_on(conn: &mut Conn, servers: &[i64], since: i64) -> Result<Vec<i64>> {
    let mut values = pad_values(servers);
    values.push(since.into());
    let sql = format!(
        "select distinct player_n from sessions where server_n in ({}) and joined_at >= ${}",
        placeholders(servers.len()),
        values.len()
    );
    conn.query(&sql, &values, |row| row.get(0))
}
