//! Ordinals of the rows of a server's numbered lists: votes, reviews and update posts by time, from 1, without gaps.

use super::{Conn, Result, byte_collation};
use crate::values;

/// A list whose rows have ordinals by time.
#[derive(Clone, Copy, Debug)]
pub enum NumberedTable {
    Votes,
    Reviews,
    UpdatePosts,
}

impl NumberedTable {
    fn table_and_time(self) -> (&'static str, &'static str) {
        match self {
            Self::Votes => ("votes", "voted_at"),
            Self::Reviews => ("reviews", "created_at"),
            Self::UpdatePosts => ("update_posts", "created_at"),
        }
    }
}

/// Added to ordinals while they move: far above any real one, so that the unique index sees no conflict.
const TEMPORARY_OFFSET: i64 = 1 << 40;

/// The ordinal of the first row, newest first, that follows the row with this id; if that is gone, the first one that is older. 0 if
/// there is none.
pub fn following(conn: &mut Conn, list: NumberedTable, server_n: i64, id: &str, at: i64) -> Result<i64> {
    // PostgreSQL rejects NUL in a parameter.
    if id.contains('\0') {
        return Ok(0);
    }
    let (table, time) = list.table_and_time();
    let sql = format!(
        "select coalesce((select ordinal - 1 from {table} where id = $2 and server_n = $1),
                         (select max(ordinal) from {table} where server_n = $1 and {time} < $3), 0)"
    );
    conn.query_one(&sql, values![server_n, id, at], |row| row.get(0))
}

/// Frees the ordinal of a new row and returns it. A row that is approved late is older than the newest rows.
pub(crate) fn make_room(conn: &mut Conn, list: NumberedTable, server_n: i64, at: i64, id: &str) -> Result<i64> {
    let order = byte_collation(conn);
    let (table, time) = list.table_and_time();
    // From the newest on: the row is nearly always the last one.
    let sql = format!(
        "select ordinal from {table}
         where server_n = $1 and ordinal is not null and ({time} < $2 or ({time} = $2 and id{order} < $3))
         order by ordinal desc limit 1"
    );
    let before: i64 = conn.query_optional(&sql, values![server_n, at, id], |row| row.get(0))?.unwrap_or(0);
    shift(conn, table, server_n, before, 1)?;
    Ok(before + 1)
}

/// Closes the gap that a row left.
pub(crate) fn close_gap(conn: &mut Conn, list: NumberedTable, server_n: i64, ordinal: i64) -> Result<()> {
    let (table, _) = list.table_and_time();
    shift(conn, table, server_n, ordinal, -1)
}

/// Moves the rows after an ordinal.
fn shift(conn: &mut Conn, table: &str, server_n: i64, after: i64, by: i64) -> Result<()> {
    let sql = format!("update {table} set ordinal = ordinal + $3 where server_n = $1 and ordinal > $2");
    if conn.execute(&sql, values![server_n, after, TEMPORARY_OFFSET + by])? > 0 {
        conn.execute(&sql, values![server_n, TEMPORARY_OFFSET, -TEMPORARY_OFFSET])?;
    }
    Ok(())
}
