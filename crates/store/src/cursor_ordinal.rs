//! Places in the numbered lists of a server: votes, reviews, posts.

use super::{Conn, Result};
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
