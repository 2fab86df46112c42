//! Accounts that can sign in, and their changes.

use super::audit::{self, Author};
use super::{Conn, Result, Row, revision};
use crate::builtin_skins::system_id;
use crate::values;
use rollcall_search::fold;

#[derive(Clone)]
pub struct Account {
    pub n: i64,
    pub id: String,
    pub username: String,
    pub created_at: i64,
    /// An Argon2id hash in PHC format.
    pub password: String,
    pub generation: i64,
    pub operator: bool,
    pub disabled: bool,
    /// The TOTP secret in base32.
    pub second_factor: Option<String>,
}

impl std::fmt::Debug for Account {
    /// Without the password hash and the second factor.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Account").field("id", &self.id).field("username", &self.username).finish_non_exhaustive()
    }
}

const SELECT: &str = "select a.n, a.id, a.username, a.created_at, l.password, l.generation, l.operator, l.disabled,
                             l.second_factor
                      from accounts a join logins l on l.account_n = a.n";

fn read(row: &Row) -> Account {
    Account {
        n: row.get(0),
        id: row.get(1),
        username: row.get(2),
        created_at: row.get(3),
        password: row.get(4),
        generation: row.get(5),
        operator: row.get(6),
        disabled: row.get(7),
        second_factor: row.get(8),
    }
}

/// Finds an account by its name, ignoring case.
pub fn find(conn: &mut Conn, username: &str) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.username_key = $1"), values![fold(username)], read)
}

/// The number and id of the account with this name, even if it cannot sign in.
pub fn find_name(conn: &mut Conn, username: &str) -> Result<Option<(i64, String)>> {
    let sql = "select n, id from accounts where username_key = $1";
    conn.query_optional(sql, values![fold(username)], |row| (row.get(0), row.get(1)))
}

pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.n = $1"), values![n], read)
}

pub fn by_id(conn: &mut Conn, id: &str) -> Result<Option<Account>> {
    conn.query_optional(&format!("{SELECT} where a.id = $1"), values![id], read)
}

/// All accounts that can sign in, with their number of keys; oldest first.
pub fn all(conn: &mut Conn) -> Result<Vec<(Account, i64)>> {
    let keys = conn.query(
        "select account_n, count(*) from keys where account_n is not null group by account_n",
        &[],
        |row| (row.get::<i64>(0), row.get::<i64>(1)),
    )?;
    let keys: std::collections::HashMap<i64, i64> = keys.into_iter().collect();
    let accounts = conn.query(&format!("{SELECT} order by a.created_at, a.n"), &[], read)?;
    let with_keys = |account: Account| {
        let keys = keys.get(&account.n).copied().unwrap_or(0);
        (account, keys)
    };
    Ok(accounts.into_iter().map(with_keys).collect())
}

/// Accounts before the number `before` whose names have this prefix, with their number of keys; newest first.
pub fn page(conn: &mut Conn, prefix: &str, before: i64, limit: i64) -> Result<Vec<(Account, i64)>> {
    let accounts = conn.query(
        &format!(
            "{SELECT} where a.n < $1 and substr(a.username_key, 1, length(cast($2 as text))) = $2
             order by a.n desc limit $3"
        ),
        values![before, fold(prefix), limit],
        read,
    )?;
    let keys = "select count(*) from keys where account_n = $1";
    let with_keys = |account: Account| Ok((conn.query_one(keys, values![account.n], |row| row.get(0))?, account));
    let counted: Result<Vec<(i64, Account)>> = accounts.into_iter().map(with_keys).collect();
    Ok(counted?.into_iter().map(|(keys, account)| (account, keys)).collect())
}

pub struct NewAccount<'a> {
    pub id: &'a str,
    pub username: &'a str,
    pub avatar: &'a str,
    pub password: &'a str,
    pub operator: bool,
}

/// `None` if the name is taken.
pub fn create(conn: &mut Conn, new: &NewAccount, author: &Author) -> Result<Option<i64>> {
    conn.transaction(|conn| {
        let role = if new.operator { "ADMIN" } else { "USER" };
        let n = conn.query_optional(
            "insert into accounts (id, username, username_key, avatar, role, created_at)
             values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning n",
            values![new.id, new.username, fold(new.username), new.avatar, role, author.at],
            |row| row.get::<i64>(0),
        )?;
        let Some(n) = n else { return Ok(None) };
        conn.execute(
            "insert into logins (account_n, password, generation, operator, disabled) values ($1, $2, 1, $3, false)",
            values![n, new.password, new.operator],
        )?;
        let detail = if new.operator { "an operator" } else { "" };
        audit::log_account(conn, Some(n), "account created", detail, author)?;
        Ok(Some(n))
    })
}

/// Locks the account for this transaction; false if it was disabled or its password changed since `account` was read. A change
/// begun under an old password must not be made.
pub fn lock_if_unchanged(conn: &mut Conn, account: &Account) -> Result<bool> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let sql = format!("select 1 from logins where account_n = $1 and generation = $2 and not disabled{lock}");
    Ok(conn.query_optional(&sql, values![account.n, account.generation], |_| ())?.is_some())
}

/// Returns the new generation. Sessions of an older generation are signed out.
pub fn set_password(conn: &mut Conn, n: i64, password: &str, author: &Author) -> Result<i64> {
    conn.transaction(|conn| {
        let generation = conn.query_one(
            "update logins set password = $2, generation = generation + 1 where account_n = $1 returning generation",
            values![n, password],
            |row| row.get(0),
        )?;
        audit::log_account(conn, Some(n), "password changed", "", author)?;
        Ok(generation)
    })
}

/// Sets the TOTP secret and the hashes of its recovery codes, or removes both.
pub fn set_second_factor(conn: &mut Conn, n: i64, factor: Option<(&str, &[String])>, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        conn.execute("delete from recovery_codes where account_n = $1", values![n])?;
        let secret = factor.map(|(secret, _)| secret);
        conn.execute("update logins set second_factor = $2 where account_n = $1", values![n, secret])?;
        for hash in factor.into_iter().flat_map(|(_, codes)| codes) {
            conn.execute("insert into recovery_codes (hash, account_n) values ($1, $2)", values![hash, n])?;
        }
        let action = if secret.is_some() { "second factor enabled" } else { "second factor disabled" };
        audit::log_account(conn, Some(n), action, "", author)
    })
}

/// False if the account does not have this code or it was used before.
pub fn spend_recovery_code(conn: &mut Conn, n: i64, hash: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        let spent =
            conn.execute("delete from recovery_codes where hash = $1 and account_n = $2", values![hash, n])? > 0;
        if spent {
            let left = recovery_codes(conn, n)?;
            audit::log_account(conn, Some(n), "recovery code used", &format!("{left} left"), author)?;
        }
        Ok(spent)
    })
}

/// The number of unused recovery codes.
pub fn recovery_codes(conn: &mut Conn, n: i64) -> Result<i64> {
    conn.query_one("select count(*) from recovery_codes where account_n = $1", values![n], |row| row.get(0))
}

/// A disabled account cannot sign in, its sessions end and its keys are refused.
pub fn set_disabled(conn: &mut Conn, n: i64, disabled: bool, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        let rev = revision::bump_keys(conn)?;
        conn.execute("update keys set rev = $2 where account_n = $1", values![n, rev])?;
        conn.execute(
            "update logins set disabled = $2, generation = generation + 1 where account_n = $1",
            values![n, disabled],
        )?;
        let action = if disabled { "account disabled by an operator" } else { "account enabled by an operator" };
        audit::log_account(conn, Some(n), action, "", author)
    })
}

/// Deletes the account with its keys and audit log. Its skins, capes and posts go to the system account, because players wear
/// them and servers show them.
pub fn delete(conn: &mut Conn, account: &Account, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        revision::bump_key_epoch(conn)?;
        // First, like a password change: locks taken in one order cannot deadlock.
        conn.execute("delete from logins where account_n = $1", values![account.n])?;
        let system: i64 = conn.query_one("select n from accounts where id = $1", values![system_id()], |row| row.get(0))?;
        let mut shown = conn.execute("update servers set owner_n = null where owner_n = $1", values![account.n])?;
        for (table, column) in [("textures", "owner_n"), ("update_posts", "account_n")] {
            let sql = format!("update {table} set {column} = $2 where {column} = $1");
            shown += conn.execute(&sql, values![account.n, system])?;
        }
        for (marks, count) in [("texture_likes", "like_count"), ("texture_favorites", "favorite_count")] {
            let sql = format!(
                "update textures set {count} = {count} - 1 where n in (select texture_n from {marks} where account_n = $1)"
            );
            shown += conn.execute(&sql, values![account.n])?;
        }
        if shown > 0 {
            revision::bump_epoch(conn)?;
        }
        conn.execute("delete from audit where account_n = $1", values![account.n])?;
        conn.execute("delete from keys where account_n = $1", values![account.n])?;
        conn.execute("delete from accounts where n = $1", values![account.n])?;
        audit::log_account(conn, None, "account deleted", &account.username, author)
    })
}
