//! Deletes servers with all their data.

use super::{Conn, Result, revision, running_sessions, samples, totals};
use crate::values;

/// Deletes a server with all its data and returns its name. Call it in a transaction.
pub fn delete(conn: &mut Conn, slug: &str) -> Result<Option<String>> {
    // First, like the tracker: locks taken in one order cannot deadlock.
    let rev = revision::bump(conn)?;
    let found = conn.query_optional("select n, name from servers where slug = $1", values![slug], |row| {
        (row.get::<i64>(0), row.get::<String>(1))
    })?;
    let Some((n, name)) = found else { return Ok(None) };
    let players = totals::players_of(conn, n)?;
    let present = running_sessions::players_on(conn, n)?;
    running_sessions::write(conn, &present)?;
    conn.execute("delete from tracking where server_n = $1", values![n])?;
    samples::delete_all(conn, n)?;
    conn.execute("delete from servers where n = $1", values![n])?;
    let touched = totals::TouchedRows { players: players.into_iter().collect(), ..totals::TouchedRows::default() };
    totals::recompute(conn, &totals::RecomputeScope::Touched(touched))?;
    // No row is left to carry a revision.
    conn.execute("insert into server_removals (server_n, rev) values ($1, $2)", values![n, rev])?;
    Ok(Some(name))
}
