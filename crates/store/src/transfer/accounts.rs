//! Accounts in an import or export. Passwords and second factors are not transferred.

use std::collections::HashMap;

use super::dialect::Dialect;
use super::table::{StagedRow, StagedTable, int, text};
use super::{for_each_pair, row};
use crate::{Conn, Result};
use rollcall_search::fold;

pub struct TransferAccount {
    pub id: String,
    pub username: String,
    pub avatar: String,
    pub role: String,
    /// `None` in an import: the existing value, or the time of the import.
    pub created_at: Option<i64>,
}

pub static TABLE: StagedTable = StagedTable {
    name: "accounts",
    key: "id",
    columns: &[
        text("id"),
        text("username"),
        text("username_key"),
        text("avatar"),
        text("role"),
        int("created_at").existing_or_now(),
    ],
    computed: &[],
    lists: &[],
    affects: &[],
};

impl From<TransferAccount> for StagedRow {
    fn from(account: TransferAccount) -> Self {
        let TransferAccount { id, username, avatar, role, created_at } = account;
        let username_key = username_key(&username);
        Self::from(row![id, username, username_key, avatar, role, created_at])
    }
}

/// Usernames with the same key count as the same name.
pub fn username_key(username: &str) -> String {
    fold(username)
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferAccount)) -> Result<()> {
    let order = Dialect::of(conn).byte_collation;
    let sql = format!("select id, username, avatar, role, created_at from accounts order by id{order}");
    conn.for_each(&sql, &[], |row| {
        read(TransferAccount {
            id: row.get(0),
            username: row.get(1),
            avatar: row.get(2),
            role: row.get(3),
            created_at: Some(row.get(4)),
        });
    })
}

pub fn row_numbers(conn: &mut Conn) -> Result<HashMap<String, i64>> {
    super::row_numbers(conn, "accounts")
}

/// The id and username key of each account.
pub fn for_each_username_key(conn: &mut Conn, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    for_each_pair(conn, "select id, username_key from accounts", read)
}
