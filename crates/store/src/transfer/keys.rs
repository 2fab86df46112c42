//! API keys in an import or export, with the hashes of their secrets.

use serde::Deserialize;

use super::dialect::{Dialect, parse_list};
use super::table::{ListTable, StagedRow, StagedTable, flag, int, text};
use super::{for_each_pair, row};
use crate::{Conn, Result};

pub struct TransferKey<Ref> {
    pub id: String,
    pub name: String,
    pub account: Option<Ref>,
    /// A limit of 0 stands for the configured one.
    pub per_minute: i64,
    pub per_day: i64,
    pub per_month: i64,
    pub disabled: bool,
    pub blocked: bool,
    /// `None` in an import: the existing value, or the time of the import.
    pub created_at: Option<i64>,
    pub expires_at: Option<i64>,
    pub secrets: Vec<TransferSecret>,
}

#[derive(Deserialize)]
pub struct TransferSecret {
    pub hash: String,
    pub hint: String,
    pub created_at: i64,
    pub ends_at: Option<i64>,
}

pub static TABLE: StagedTable = StagedTable {
    name: "keys",
    key: "id",
    columns: &[
        text("id"),
        text("name"),
        int("account_n"),
        int("per_minute"),
        int("per_day"),
        int("per_month"),
        flag("disabled"),
        flag("blocked"),
        int("created_at").existing_or_now(),
        int("expires_at"),
    ],
    computed: &[],
    lists: &[ListTable {
        table: "key_secrets",
        parent: "key_n",
        columns: &[text("hash"), text("hint"), int("created_at"), int("ends_at")],
    }],
    affects: &[],
};

impl From<TransferKey<i64>> for StagedRow {
    fn from(key: TransferKey<i64>) -> Self {
        let secrets = key.secrets.into_iter().map(|secret| {
            let TransferSecret { hash, hint, created_at, ends_at } = secret;
            row![hash, hint, created_at, ends_at]
        });
        Self {
            lists: vec![secrets.collect()],
            values: row![
                key.id,
                key.name,
                key.account,
                key.per_minute,
                key.per_day,
                key.per_month,
                key.disabled,
                key.blocked,
                key.created_at,
                key.expires_at,
            ],
        }
    }
}

pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferKey<String>)) -> Result<()> {
    let dialect = Dialect::of(conn);
    let secret =
        dialect.json_object("'hash', s.hash, 'hint', s.hint, 'created_at', s.created_at, 'ends_at', s.ends_at");
    let order = format!("s.created_at, s.hash{}", dialect.byte_collation);
    let sql = format!(
        "select k.id, k.name, a.id, k.per_minute, k.per_day, k.per_month, k.disabled, k.blocked, k.created_at,
                k.expires_at, {}
         from keys k left join accounts a on a.n = k.account_n order by k.id{}",
        dialect.json_array(&secret, "key_secrets s where s.key_n = k.n", &order),
        dialect.byte_collation
    );
    conn.for_each(&sql, &[], |row| {
        read(TransferKey {
            id: row.get(0),
            name: row.get(1),
            account: row.get(2),
            per_minute: row.get(3),
            per_day: row.get(4),
            per_month: row.get(5),
            disabled: row.get(6),
            blocked: row.get(7),
            created_at: Some(row.get(8)),
            expires_at: row.get(9),
            secrets: parse_list(&row.get::<String>(10)),
        });
    })
}

/// The owner and hash of each secret. The owner is the key's id and the hash, separated by a space: a key may have
/// several secrets.
pub fn for_each_secret_hash(conn: &mut Conn, read: &mut dyn FnMut(&str, &str)) -> Result<()> {
    let sql = "select k.id || ' ' || s.hash, s.hash from key_secrets s join keys k on k.n = s.key_n";
    for_each_pair(conn, sql, read)
}
