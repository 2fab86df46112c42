//! Login sessions and known browsers, in the ledger. Only hashes of cookies are stored.

use super::{Conn, Result, Row};
use crate::values;

#[derive(Clone, Debug)]
pub struct LoginSession {
    pub hash: String,
    pub id: String,
    pub account_n: i64,
    pub generation: i64,
    /// The password was right; the second factor is still missing.
    pub half: bool,
    pub created_at: i64,
    pub seen_at: i64,
    pub ends_at: i64,
    pub agent: String,
    pub address: String,
}

const COLUMNS: &str = "hash, id, account_n, generation, half, created_at, seen_at, ends_at, agent, address";

fn read(row: &Row) -> LoginSession {
    LoginSession {
        hash: row.get(0),
        id: row.get(1),
        account_n: row.get(2),
        generation: row.get(3),
        half: row.get(4),
        created_at: row.get(5),
        seen_at: row.get(6),
        ends_at: row.get(7),
        agent: row.get(8),
        address: row.get(9),
    }
}

/// Sessions per account; the oldest is deleted. Sessions without the second factor are limited separately: someone who knows only
/// the password must not sign the owner out.
const MAX_SESSIONS: i64 = 50;
const MAX_HALF_SESSIONS: i64 = 5;
/// Known browsers per account.
const MAX_BROWSERS: i64 = 50;

pub fn add(conn: &mut Conn, new: &LoginSession) -> Result<()> {
    conn.execute(
        "delete from sign_ins where account_n = $1 and half = $2 and hash not in
         (select hash from sign_ins where account_n = $1 and half = $2 order by created_at desc, hash limit $3)",
        values![new.account_n, new.half, if new.half { MAX_HALF_SESSIONS } else { MAX_SESSIONS } - 1],
    )?;
    conn.execute(
        &format!("insert into sign_ins ({COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)"),
        values![
            &new.hash,
            &new.id,
            new.account_n,
            new.generation,
            new.half,
            new.created_at,
            new.seen_at,
            new.ends_at,
            &new.agent,
            &new.address
        ],
    )?;
    Ok(())
}

pub fn find(conn: &mut Conn, hash: &str, now: i64) -> Result<Option<LoginSession>> {
    let sql = format!("select {COLUMNS} from sign_ins where hash = $1 and ends_at > $2");
    conn.query_optional(&sql, values![hash, now], read)
}

/// The complete sessions of this generation, last seen first.
pub fn of_account(conn: &mut Conn, account_n: i64, generation: i64, now: i64) -> Result<Vec<LoginSession>> {
    let sql = format!(
        "select {COLUMNS} from sign_ins where account_n = $1 and generation = $2 and ends_at > $3 and not half
         order by seen_at desc, created_at desc, id"
    );
    conn.query(&sql, values![account_n, generation, now], read)
}

/// Marks a session as seen and extends it to `ends_at`.
pub fn touch(conn: &mut Conn, hash: &str, now: i64, ends_at: i64) -> Result<()> {
    conn.execute("update sign_ins set seen_at = $2, ends_at = $3 where hash = $1", values![hash, now, ends_at])?;
    Ok(())
}

/// False if the session had already ended.
pub fn end(conn: &mut Conn, hash: &str) -> Result<bool> {
    Ok(conn.execute("delete from sign_ins where hash = $1", values![hash])? > 0)
}

/// False if the account has no such session.
pub fn end_by_id(conn: &mut Conn, account_n: i64, id: &str) -> Result<bool> {
    Ok(conn.execute("delete from sign_ins where account_n = $1 and id = $2", values![account_n, id])? > 0)
}

/// Also forgets the known browsers: someone with the old password may have added theirs.
pub fn end_all(conn: &mut Conn, account_n: i64) -> Result<()> {
    for table in ["sign_ins", "known_browsers"] {
        conn.execute(&format!("delete from {table} where account_n = $1"), values![account_n])?;
    }
    Ok(())
}

pub fn end_all_but(conn: &mut Conn, account_n: i64, hash: &str) -> Result<()> {
    conn.execute("delete from sign_ins where account_n = $1 and hash <> $2", values![account_n, hash])?;
    Ok(())
}

/// Deletes everything stored here about an account.
pub fn delete_account(conn: &mut Conn, account_n: i64) -> Result<()> {
    for table in ["sign_ins", "known_browsers", "second_factor_steps"] {
        conn.execute(&format!("delete from {table} where account_n = $1"), values![account_n])?;
    }
    Ok(())
}

/// Deletes expired sessions and browsers of all accounts.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    for table in ["sign_ins", "known_browsers"] {
        conn.execute(&format!("delete from {table} where ends_at <= $1"), values![now])?;
    }
    Ok(())
}

pub fn remember_browser(conn: &mut Conn, hash: &str, account_n: i64, ends_at: i64) -> Result<()> {
    conn.execute(
        "delete from known_browsers where account_n = $1 and hash not in
         (select hash from known_browsers where account_n = $1 order by ends_at desc, hash limit $2)",
        values![account_n, MAX_BROWSERS - 1],
    )?;
    conn.execute(
        "insert into known_browsers (hash, account_n, ends_at) values ($1, $2, $3)
         on conflict (hash, account_n) do update set ends_at = excluded.ends_at",
        values![hash, account_n, ends_at],
    )?;
    Ok(())
}

pub fn is_known_browser(conn: &mut Conn, hash: &str, account_n: i64, now: i64) -> Result<bool> {
    let sql = "select 1 from known_browsers where hash = $1 and account_n = $2 and ends_at > $3";
    Ok(conn.query_optional(sql, values![hash, account_n, now], |_| ())?.is_some())
}

/// Marks a TOTP time step as used; false if it or a later one was used before.
pub fn use_totp_step(conn: &mut Conn, account_n: i64, step: i64) -> Result<bool> {
    let updated = conn.execute(
        "insert into second_factor_steps (account_n, step) values ($1, $2)
         on conflict (account_n) do update set step = excluded.step where excluded.step > second_factor_steps.step",
        values![account_n, step],
    )?;
    Ok(updated > 0)
}
