//! Accounts that may manage a server beside its owner.

use crate::audit::{self, Author};
use crate::{Conn, Result, accounts, values};
use rollcall_model::message::translatable;

/// Editors of one server.
pub const MAX_EDITORS: i64 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddOutcome {
    Added,
    NoSuchAccount,
    IsOwner,
    AlreadyEditor,
    TooMany,
}

/// The usernames of the editors, in order.
pub fn of_server(conn: &mut Conn, server_n: i64) -> Result<Vec<String>> {
    conn.query(
        "select a.username from server_editors e join accounts a on a.n = e.account_n where e.server_n = $1
         order by a.username_key",
        values![server_n],
        |row| row.get(0),
    )
}

/// Call it in a transaction.
pub fn add(conn: &mut Conn, server_n: i64, username: &str, author: &Author) -> Result<AddOutcome> {
    let Some((account_n, _)) = accounts::find_name(conn, username)? else { return Ok(AddOutcome::NoSuchAccount) };
    let sql = "select 1 from servers where n = $1 and owner_n = $2";
    if conn.query_optional(sql, values![server_n, account_n], |_| ())?.is_some() {
        return Ok(AddOutcome::IsOwner);
    }
    let sql = "select count(*) from server_editors where server_n = $1";
    if conn.query_one(sql, values![server_n], |row| row.get::<i64>(0))? >= MAX_EDITORS {
        return Ok(AddOutcome::TooMany);
    }
    let added = conn.execute(
        "insert into server_editors (server_n, account_n, added_at) values ($1, $2, $3) on conflict do nothing",
        values![server_n, account_n, author.at],
    )?;
    if added == 0 {
        return Ok(AddOutcome::AlreadyEditor);
    }
    audit::log_owned_server(conn, server_n, translatable("editor added"), author)?;
    Ok(AddOutcome::Added)
}

/// Call it in a transaction.
pub fn remove(conn: &mut Conn, server_n: i64, username: &str, author: &Author) -> Result<bool> {
    let Some((account_n, _)) = accounts::find_name(conn, username)? else { return Ok(false) };
    let sql = "delete from server_editors where server_n = $1 and account_n = $2";
    let removed = conn.execute(sql, values![server_n, account_n])? > 0;
    if removed {
        audit::log_owned_server(conn, server_n, translatable("editor removed"), author)?;
    }
    Ok(removed)
}
