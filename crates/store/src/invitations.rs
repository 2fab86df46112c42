//! Single-use invitations to sign up. Only their hashes are stored.

use super::audit::{self, Author};
use super::{Conn, Result};
use crate::values;
use rollcall_model::message::translatable;

pub fn add(conn: &mut Conn, hash: &str, ends_at: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute(
            "insert into invitations (hash, made_by, created_at, ends_at) values ($1, $2, $3, $4)",
            values![hash, &author.name, author.at, ends_at],
        )?;
        conn.execute("delete from invitations where ends_at <= $1", values![author.at])?;
        audit::log_account(conn, None, translatable("invitation created"), "", author)
    })
}

pub fn is_valid(conn: &mut Conn, hash: &str, now: i64) -> Result<bool> {
    let sql = "select 1 from invitations where hash = $1 and ends_at > $2";
    Ok(conn.query_optional(sql, values![hash, now], |_| ())?.is_some())
}

/// [`is_valid`] for the transaction that spends it: of two concurrent ones the second waits here, and then it is no longer valid.
pub fn lock_if_valid(conn: &mut Conn, hash: &str, now: i64) -> Result<bool> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let sql = format!("select 1 from invitations where hash = $1 and ends_at > $2{lock}");
    Ok(conn.query_optional(&sql, values![hash, now], |_| ())?.is_some())
}

pub fn spend(conn: &mut Conn, hash: &str) -> Result<()> {
    conn.execute("delete from invitations where hash = $1", values![hash])?;
    Ok(())
}
