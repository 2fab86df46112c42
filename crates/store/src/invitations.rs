//! Invitations to sign up. Known by their hashes, good once.

use super::audit::{self, Author};
use super::{Conn, Result};
use crate::values;

pub fn add(conn: &mut Conn, hash: &str, ends_at: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute(
            "insert into invitations (hash, made_by, created_at, ends_at) values ($1, $2, $3, $4)",
            values![hash, &author.name, author.at, ends_at],
        )?;
        conn.execute("delete from invitations where ends_at <= $1", values![author.at])?;
        audit::of_account(conn, None, "invitation made", "", author)
    })
}

pub fn is_good(conn: &mut Conn, hash: &str, now: i64) -> Result<bool> {
    let sql = "select 1 from invitations where hash = $1 and ends_at > $2";
    Ok(conn.first(sql, values![hash, now], |_| ())?.is_some())
}

/// The same for whoever is about to spend it: of two at once, one waits here for the other, and then it is good no more.
pub fn hold(conn: &mut Conn, hash: &str, now: i64) -> Result<bool> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let sql = format!("select 1 from invitations where hash = $1 and ends_at > $2{lock}");
    Ok(conn.first(&sql, values![hash, now], |_| ())?.is_some())
}

pub fn spend(conn: &mut Conn, hash: &str) -> Result<()> {
    conn.execute("delete from invitations where hash = $1", values![hash])?;
    Ok(())
}
