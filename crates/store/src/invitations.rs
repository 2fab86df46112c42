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

/// An invitation that can still be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The start of its hash, which tells nothing of its code.
    pub id: String,
    pub made_by: String,
    pub created_at: i64,
    pub ends_at: i64,
}

/// Invitations that can still be used, newest first.
pub fn list_open(conn: &mut Conn, now: i64, limit: i64) -> Result<Vec<Invitation>> {
    conn.query(
        "select substr(hash, 1, 20), made_by, created_at, ends_at from invitations where ends_at > $1
         order by created_at desc, hash limit $2",
        values![now, limit],
        |row| Invitation { id: row.get(0), made_by: row.get(1), created_at: row.get(2), ends_at: row.get(3) },
    )
}

/// False if there is no such invitation any more.
pub fn revoke(conn: &mut Conn, id: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        let made_by = conn.query_optional(
            "delete from invitations where substr(hash, 1, 20) = $1 returning made_by",
            values![id],
            |row| row.get::<String>(0),
        )?;
        let Some(made_by) = made_by else { return Ok(false) };
        let detail = format!("created by {made_by}");
        audit::log_account(conn, None, translatable("invitation revoked"), &detail, author)?;
        Ok(true)
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
