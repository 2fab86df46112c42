//! Places in the numbering of a server's reviews and update posts: by time, from 1, without gaps.

use super::{Conn, Result, byte_collation};
use crate::values;

/// Added to ordinals while they move: far above any real one, so that the unique index sees no conflict.
const TEMPORARY_OFFSET: i64 = 1 << 40;

/// Frees the place of a new row and returns its ordinal. A row that is approved late is older than the newest rows.
pub(crate) fn open_place(conn: &mut Conn, table: &str, server_n: i64, created_at: i64, id: &str) -> Result<i64> {
    let order = byte_collation(conn);
    // From the newest on: the place is nearly always at the end.
    let sql = format!(
        "select ordinal from {table}
         where server_n = $1 and ordinal is not null and (created_at < $2 or (created_at = $2 and id{order} < $3))
         order by ordinal desc limit 1"
    );
    let before: i64 = conn.query_optional(&sql, values![server_n, created_at, id], |row| row.get(0))?.unwrap_or(0);
    shift(conn, table, server_n, before, 1)?;
    Ok(before + 1)
}

/// Closes the gap that a row left.
pub(crate) fn close_place(conn: &mut Conn, table: &str, server_n: i64, ordinal: i64) -> Result<()> {
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
