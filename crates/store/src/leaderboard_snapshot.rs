//! Snapshots of all leaderboards: the points of all players, in parts of about ten kilobytes. A snapshot is written part by part
//! and becomes valid when its header is written.

use super::{Conn, Result, revision};
use crate::values;

/// Describes a complete snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotHeader {
    /// Identifies the snapshot.
    pub id: i64,
    pub epoch: i64,
    pub rev: i64,
    pub at: i64,
    pub players: i64,
    /// The version of the scoring rules.
    pub scoring_version: i64,
    /// Servers that were left out, ascending.
    pub hidden: Vec<i64>,
}

/// The header of the current snapshot; `None` if there is none or the epoch has changed since.
pub fn header(conn: &mut Conn) -> Result<Option<SnapshotHeader>> {
    let sql = "select made, epoch, rev, at, players, reckoning, hidden from standings_head";
    let header = conn.query_optional(sql, &[], |row| SnapshotHeader {
        id: row.get(0),
        epoch: row.get(1),
        rev: row.get(2),
        at: row.get(3),
        players: row.get(4),
        scoring_version: row.get(5),
        hidden: row.get::<String>(6).split(',').filter_map(|n| n.parse().ok()).collect(),
    })?;
    let state = revision::current(conn)?;
    Ok(header.filter(|header| header.epoch == state.epoch && header.rev <= state.rev))
}

/// Streams the parts numbered `from` to `to` (exclusive) of a snapshot, in order.
pub fn read_parts(conn: &mut Conn, id: i64, from: i64, to: i64, mut each: impl FnMut(Vec<u8>)) -> Result<()> {
    let sql = "select points from standings where made = $1 and part >= $2 and part < $3 order by part";
    conn.for_each(sql, values![id, from, to], |row| each(row.get(0)))
}

pub fn insert_part(conn: &mut Conn, id: i64, part: i64, points: Vec<u8>) -> Result<()> {
    conn.execute("insert into standings (made, part, points) values ($1, $2, $3)", values![id, part, points])?;
    Ok(())
}

/// Replaces the current snapshot with this one. False if parts are missing: another process may have published meanwhile and
/// deleted them.
pub fn publish(conn: &mut Conn, header: &SnapshotHeader, parts: i64) -> Result<bool> {
    conn.transaction(|conn| {
        let sql = "select count(*) from standings where made = $1";
        if conn.query_one(sql, values![header.id], |row| row.get::<i64>(0))? != parts {
            return Ok(false);
        }
        conn.execute("delete from standings where made <> $1", values![header.id])?;
        conn.execute("delete from standings_head", &[])?;
        let hidden: Vec<String> = header.hidden.iter().map(ToString::to_string).collect();
        conn.execute(
            "insert into standings_head (made, epoch, rev, at, players, reckoning, hidden)
             values ($1, $2, $3, $4, $5, $6, $7)",
            values![
                header.id,
                header.epoch,
                header.rev,
                header.at,
                header.players,
                header.scoring_version,
                hidden.join(",")
            ],
        )?;
        Ok(true)
    })
}
