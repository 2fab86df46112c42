//! Usernames that a moderator must see first. Until then the account has a neutral name, and nobody else can take the other one.

use super::accounts::{self, Account};
use super::moderation::{self, ItemKind, NewItem};
use super::{Conn, Result};
use crate::values;
use rollcall_search::fold;

/// The name of an account whose own name is held, from its id.
pub fn neutral_name(account_id: &str) -> String {
    let start: String = account_id.chars().take(10).collect();
    format!("user-{start}")
}

/// Puts the name into the queue. Call it in the transaction that creates the account.
pub fn hold(conn: &mut Conn, account_n: i64, name: &str, why: &str, now: i64) -> Result<()> {
    let item = NewItem { kind: ItemKind::Name, subject: name, server_n: None, author_n: Some(account_n), why };
    moderation::open(conn, &item, now)
}

/// The number of the account that waits for this name, in any case.
pub fn waiting_for(conn: &mut Conn, name: &str) -> Result<Option<i64>> {
    let sql = "select author_n from moderation_items
               where kind = 'name' and state = 'open' and author_n is not null and lower(subject) = $1 limit 1";
    conn.query_optional(sql, values![fold(name)], |row| row.get(0))
}

/// The account that signs in with this name: its own, or the one that it waits for.
pub fn find_account(conn: &mut Conn, name: &str) -> Result<Option<Account>> {
    if let Some(account) = accounts::find(conn, name)? {
        return Ok(Some(account));
    }
    match waiting_for(conn, name)? {
        Some(account_n) => accounts::by_number(conn, account_n),
        None => Ok(None),
    }
}

/// Gives an account the name that it waited for, also in its log. `rev` is the revision of the transaction.
pub(crate) fn grant(conn: &mut Conn, account_n: i64, name: &str, rev: i64) -> Result<()> {
    let sql = "update audit set actor = $2
               where account_n = $1 and actor = (select username from accounts where n = $1)";
    conn.execute(sql, values![account_n, name])?;
    let sql = "update accounts set username = $2, username_key = $3 where n = $1";
    conn.execute(sql, values![account_n, name, fold(name)])?;
    for table in ["servers", "textures"] {
        conn.execute(&format!("update {table} set rev = $2 where owner_n = $1"), values![account_n, rev])?;
    }
    Ok(())
}
