//! Passwords, second factors and recovery codes of accounts. Every change is logged, and the user sees it after the
//! next sign-in.

use super::audit::{self, Author};
use super::{Conn, Result};
use crate::values;
use rollcall_model::message::translatable;

/// More than these are not shown; the audit log has them all.
const MAX_SHOWN_CHANGES: usize = 20;

/// A change that the user has not seen yet.
#[derive(Clone, Debug)]
pub struct CredentialChange {
    pub at: i64,
    /// The same words as in the audit log.
    pub what: String,
    pub actor: String,
}

/// Returns the new generation. Sessions of an older generation are signed out. `expires_at` is for a password that an
/// operator made, which its user must replace.
pub fn set_password(conn: &mut Conn, n: i64, password: &str, expires_at: Option<i64>, author: &Author) -> Result<i64> {
    conn.transaction(|conn| {
        let generation = conn.query_one(
            "update logins set password = $2, password_expires_at = $3, generation = generation + 1
             where account_n = $1 returning generation",
            values![n, password, expires_at],
            |row| row.get(0),
        )?;
        log(conn, n, translatable("password changed"), "", author)?;
        Ok(generation)
    })
}

/// Sets the TOTP secret and the hashes of its recovery codes. Returns the new generation: sessions that began without the
/// second factor are signed out.
pub fn enable_second_factor(conn: &mut Conn, n: i64, secret: &str, codes: &[String], author: &Author) -> Result<i64> {
    conn.transaction(|conn| {
        let generation = conn.query_one(
            "update logins set second_factor = $2, generation = generation + 1 where account_n = $1
             returning generation",
            values![n, secret],
            |row| row.get(0),
        )?;
        replace_codes(conn, n, codes)?;
        log(conn, n, translatable("second factor enabled"), "", author)?;
        Ok(generation)
    })
}

/// Removes the TOTP secret and the recovery codes.
pub fn disable_second_factor(conn: &mut Conn, n: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute("update logins set second_factor = null where account_n = $1", values![n])?;
        replace_codes(conn, n, &[])?;
        log(conn, n, translatable("second factor disabled"), "", author)
    })
}

/// Replaces all recovery codes of an account by these hashes.
pub fn set_recovery_codes(conn: &mut Conn, n: i64, codes: &[String], author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        replace_codes(conn, n, codes)?;
        log(conn, n, translatable("recovery codes created"), "", author)
    })
}

fn replace_codes(conn: &mut Conn, n: i64, codes: &[String]) -> Result<()> {
    conn.execute("delete from recovery_codes where account_n = $1", values![n])?;
    for hash in codes {
        conn.execute("insert into recovery_codes (hash, account_n) values ($1, $2)", values![hash, n])?;
    }
    Ok(())
}

/// False if the account does not have this code or it was used before.
pub fn spend_recovery_code(conn: &mut Conn, n: i64, hash: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        let spent =
            conn.execute("delete from recovery_codes where hash = $1 and account_n = $2", values![hash, n])? > 0;
        if spent {
            let left = recovery_codes(conn, n)?;
            audit::log_account(conn, Some(n), translatable("recovery code used"), &format!("{left} left"), author)?;
        }
        Ok(spent)
    })
}

/// The number of unused recovery codes.
pub fn recovery_codes(conn: &mut Conn, n: i64) -> Result<i64> {
    conn.query_one("select count(*) from recovery_codes where account_n = $1", values![n], |row| row.get(0))
}

/// Logs a change and remembers it for the next sign-in.
pub(crate) fn log(conn: &mut Conn, n: i64, what: &str, detail: &str, author: &Author) -> Result<()> {
    conn.execute(
        "insert into credential_changes (account_n, at, what, actor) values ($1, $2, $3, $4)",
        values![n, author.at, what, &author.name],
    )?;
    audit::log_account(conn, Some(n), what, detail, author)
}

/// The newest changes since the last sign-in, oldest first. All are deleted: the caller shows them.
pub fn take_changes(conn: &mut Conn, n: i64) -> Result<Vec<CredentialChange>> {
    conn.transaction(|conn| {
        let sql = "delete from credential_changes where account_n = $1 returning n, at, what, actor";
        let mut changes = conn.query(sql, values![n], |row| {
            (row.get::<i64>(0), CredentialChange { at: row.get(1), what: row.get(2), actor: row.get(3) })
        })?;
        changes.sort_by_key(|(n, _)| *n);
        let earlier = changes.len().saturating_sub(MAX_SHOWN_CHANGES);
        Ok(changes.into_iter().skip(earlier).map(|(_, change)| change).collect())
    })
}

/// Whether there are changes to show. A read, so that most sign-ins need no write.
pub fn has_changes(conn: &mut Conn, n: i64) -> Result<bool> {
    let sql = "select 1 from credential_changes where account_n = $1 limit 1";
    Ok(conn.query_optional(sql, values![n], |_| ())?.is_some())
}

/// The stored second factors: account number, account id and secret as it is stored.
pub fn second_factors(conn: &mut Conn) -> Result<Vec<(i64, String, String)>> {
    conn.query(
        "select a.n, a.id, l.second_factor from accounts a join logins l on l.account_n = a.n
         where l.second_factor is not null order by a.n",
        &[],
        |row| (row.get(0), row.get(1), row.get(2)),
    )
}

/// Replaces the stored form of a secret, unless it changed since it was read.
pub fn replace_second_factor(conn: &mut Conn, n: i64, before: &str, after: &str) -> Result<()> {
    conn.execute(
        "update logins set second_factor = $3 where account_n = $1 and second_factor = $2",
        values![n, before, after],
    )?;
    Ok(())
}
