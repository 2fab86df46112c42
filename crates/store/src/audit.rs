//! The audit log of API keys and accounts. An entry is written in the transaction of the change; the owner can read it.

use std::net::IpAddr;

use super::{Conn, Result, Value};
use crate::values;
use rollcall_model::message::translatable;

/// Author, client IP and time of a change.
#[derive(Clone, Debug)]
pub struct Author {
    pub name: String,
    pub address: Option<IpAddr>,
    pub at: i64,
}

impl Author {
    /// A user of the command line.
    pub fn command_line(at: i64) -> Self {
        Self { name: translatable("command line").into(), address: None, at }
    }

    /// The tracker, which acts on what servers reply and on time that has passed.
    pub fn tracker(at: i64) -> Self {
        Self { name: translatable("tracker").into(), address: None, at }
    }

    fn address(&self) -> Option<String> {
        self.address.map(|address| address.to_string())
    }
}

/// A stored entry.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub n: i64,
    pub at: i64,
    /// The owner; its id if it was deleted. `None` if the key had no owner.
    pub account: Option<String>,
    pub key_id: Option<String>,
    pub key_name: Option<String>,
    pub actor: String,
    pub address: Option<String>,
    pub action: String,
    pub detail: String,
}

/// Logs a change of a key. Call it in the transaction of the change, while the key exists.
pub(crate) fn log_key(conn: &mut Conn, key_n: i64, action: &str, detail: &str, author: &Author) -> Result<()> {
    conn.execute(
        "insert into audit (at, account_n, key_id, key_name, actor, address, action, detail)
         select $2, account_n, id, name, $3, $4, $5, $6 from keys where n = $1",
        values![key_n, author.at, &author.name, author.address(), action, detail],
    )?;
    Ok(())
}

/// Logs a change of an account; `account` is `None` if it no longer exists.
pub fn log_account(conn: &mut Conn, account: Option<i64>, action: &str, detail: &str, author: &Author) -> Result<()> {
    conn.execute(
        "insert into audit (at, account_n, actor, address, action, detail) values ($1, $2, $3, $4, $5, $6)",
        values![author.at, account, &author.name, author.address(), action, detail],
    )?;
    Ok(())
}

/// Logs a change of a server, which belongs to no account. Call it in the transaction of the change.
pub fn log_server(conn: &mut Conn, action: &str, detail: &str, author: &Author) -> Result<()> {
    log_account(conn, None, action, detail, author)
}

/// Logs a change of a server in the log of its owner, under its slug.
pub fn log_owned_server(conn: &mut Conn, server_n: i64, action: &str, author: &Author) -> Result<()> {
    let sql = "select slug from servers where n = $1";
    let slug: Option<String> = conn.query_optional(sql, values![server_n], |row| row.get(0))?;
    slug.map_or(Ok(()), |slug| log_change_of_server(conn, server_n, action, &slug, author))
}

/// [`log_owned_server`] with another detail than the slug.
pub fn log_change_of_server(conn: &mut Conn, server_n: i64, action: &str, detail: &str, author: &Author) -> Result<()> {
    let sql = "select owner_n from servers where n = $1";
    let owner_n: Option<Option<i64>> = conn.query_optional(sql, values![server_n], |row| row.get(0))?;
    log_account(conn, owner_n.flatten(), action, detail, author)
}

/// What happens to the audit log of a deleted account.
#[derive(Clone, Copy, Debug)]
pub struct LogRetention {
    /// How long its entries are kept, without its name. 0: they are deleted at once.
    pub millis: i64,
}

/// An account that is being deleted.
pub(crate) struct ReleasedAccount<'a> {
    pub n: i64,
    pub id: &'a str,
    pub username: &'a str,
    pub is_moderator: bool,
}

/// Keeps the log of an account that is being deleted, or deletes it, and logs the deletion. The name of the account goes from
/// all entries; its opaque id stays, so that they still belong together.
pub(crate) fn release_account(
    conn: &mut Conn,
    account: &ReleasedAccount,
    retention: LogRetention,
    author: &Author,
) -> Result<()> {
    let name = format!("deleted account {}", account.id);
    if account.is_moderator {
        // Only operators and moderators act on other accounts; there is no index for their entries.
        conn.execute("update audit set actor = $2 where actor = $1", values![account.username, &name])?;
    }
    if retention.millis == 0 {
        conn.execute("delete from audit where account_n = $1", values![account.n])?;
    } else {
        conn.execute(
            "update audit set actor = case when actor = $2 then $3 else actor end, key_name = null,
                    detail = case when action = 'key renamed' or detail like 'name %' then '' else detail end,
                    deleted_account = $4, ends_at = $5
             where account_n = $1",
            values![account.n, account.username, &name, account.id, author.at + retention.millis],
        )?;
    }
    let own =
        Author { name: if author.name == account.username { name } else { author.name.clone() }, ..author.clone() };
    conn.execute(
        "insert into audit (at, actor, address, action, detail, deleted_account, ends_at)
         values ($1, $2, $3, 'account deleted', '', $4, $5)",
        values![own.at, &own.name, own.address(), account.id, own.at + retention.millis],
    )?;
    Ok(())
}

/// Whether [`delete_expired`] has anything to delete.
pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from audit where ends_at <= $1 limit 1";
    Ok(conn.query_optional(sql, values![now], |_| ())?.is_some())
}

/// Deletes the entries of deleted accounts whose time is over.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from audit where ends_at <= $1", values![now])?;
    Ok(())
}

/// Entries before the number `before`, newest first; of one account or of all.
pub fn list(conn: &mut Conn, account: Option<i64>, before: Option<i64>, limit: i64) -> Result<Vec<AuditEntry>> {
    let whose = if account.is_some() { "l.account_n = $3" } else { "true" };
    let mut values: Vec<Value> = values![before.unwrap_or(i64::MAX), limit].to_vec();
    values.extend(account.map(Value::from));
    conn.query(
        &format!(
            "select l.n, l.at, coalesce(a.username, l.deleted_account), l.key_id, l.key_name, l.actor, l.address, l.action, l.detail
             from audit l left join accounts a on a.n = l.account_n
             where l.n < $1 and {whose} order by l.n desc limit $2"
        ),
        &values,
        |row| AuditEntry {
            n: row.get(0),
            at: row.get(1),
            account: row.get(2),
            key_id: row.get(3),
            key_name: row.get(4),
            actor: row.get(5),
            address: row.get(6),
            action: row.get(7),
            detail: row.get(8),
        },
    )
}

/// How often an action was logged for an account after `since`.
pub fn count_since(conn: &mut Conn, account: i64, action: &str, since: i64) -> Result<i64> {
    conn.query_one(
        "select count(*) from audit where account_n = $1 and action = $2 and at > $3",
        values![account, action, since],
        |row| row.get(0),
    )
}
