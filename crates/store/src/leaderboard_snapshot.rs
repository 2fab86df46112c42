//! Points of all players on all leaderboards, kept in parts of some ten kilobytes. A set is written part by part, and counts
//! once its head says that it is whole.

use super::{Conn, Result, changes};
use crate::values;

/// What a set knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Which set.
    pub made: i64,
    pub epoch: i64,
    pub rev: i64,
    pub at: i64,
    pub players: i64,
    /// By which rules points were reckoned.
    pub reckoning: i64,
    /// Servers that did not count, rising.
    pub hidden: Vec<i64>,
}

/// Of the set that is whole, unless everything has changed since.
pub fn head(conn: &mut Conn) -> Result<Option<Head>> {
    let sql = "select made, epoch, rev, at, players, reckoning, hidden from standings_head";
    let head = conn.first(sql, &[], |row| Head {
        made: row.get(0),
        epoch: row.get(1),
        rev: row.get(2),
        at: row.get(3),
        players: row.get(4),
        reckoning: row.get(5),
        hidden: row.get::<String>(6).split(',').filter_map(|n| n.parse().ok()).collect(),
    })?;
    let state = changes::state(conn)?;
    Ok(head.filter(|head| head.epoch == state.epoch && head.rev <= state.rev))
}

/// Hands over the parts of a set between two of their numbers, in order.
pub fn parts(conn: &mut Conn, made: i64, from: i64, to: i64, mut take: impl FnMut(Vec<u8>)) -> Result<()> {
    let sql = "select points from standings where made = $1 and part >= $2 and part < $3 order by part";
    conn.for_each(sql, values![made, from, to], |row| take(row.get(0)))
}

pub fn put(conn: &mut Conn, made: i64, part: i64, points: Vec<u8>) -> Result<()> {
    conn.execute("insert into standings (made, part, points) values ($1, $2, $3)", values![made, part, points])?;
    Ok(())
}

/// Puts a set in the place of all others, if it is still whole: another process may have done the same meanwhile.
pub fn finish(conn: &mut Conn, head: &Head, parts: i64) -> Result<bool> {
    conn.transaction(|conn| {
        let sql = "select count(*) from standings where made = $1";
        if conn.one(sql, values![head.made], |row| row.get::<i64>(0))? != parts {
            return Ok(false);
        }
        conn.execute("delete from standings where made <> $1", values![head.made])?;
        conn.execute("delete from standings_head", &[])?;
        let hidden: Vec<String> = head.hidden.iter().map(ToString::to_string).collect();
        conn.execute(
            "insert into standings_head (made, epoch, rev, at, players, reckoning, hidden)
             values ($1, $2, $3, $4, $5, $6, $7)",
            values![head.made, head.epoch, head.rev, head.at, head.players, head.reckoning, hidden.join(",")],
        )?;
        Ok(true)
    })
}
