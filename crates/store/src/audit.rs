//! What was changed of a key or an account, by whom. Written in the transaction of the change; its owner can read it.

use std::net::IpAddr;

use super::{Conn, Result, Value};
use crate::values;

/// Who changes something, from where, and when.
#[derive(Clone, Debug)]
pub struct Author {
    pub name: String,
    pub address: Option<IpAddr>,
    pub at: i64,
}

impl Author {
    /// Whoever may run commands on the machine.
    pub fn command_line(at: i64) -> Self {
        Self { name: "command line".into(), address: None, at }
    }

    fn address(&self) -> Option<String> {
        self.address.map(|address| address.to_string())
    }
}

/// A line of the log.
#[derive(Clone, Debug)]
pub struct Entry {
    pub n: i64,
    pub at: i64,
    /// Whose it was; `None` when the account is gone or the key was nobody's.
    pub account: Option<String>,
    pub key_id: Option<String>,
    pub key_name: Option<String>,
    pub actor: String,
    pub address: Option<String>,
    pub action: String,
    pub detail: String,
}

/// To be called while the key is there, in the transaction that changes it.
pub fn of_key(conn: &mut Conn, key_n: i64, action: &str, detail: &str, author: &Author) -> Result<()> {
    conn.execute(
        "insert into audit (at, account_n, key_id, key_name, actor, address, action, detail)
         select $2, account_n, id, name, $3, $4, $5, $6 from keys where n = $1",
        values![key_n, author.at, &author.name, author.address(), action, detail],
    )?;
    Ok(())
}

/// `account` is `None` for what happens to an account that is gone.
pub fn of_account(conn: &mut Conn, account: Option<i64>, action: &str, detail: &str, author: &Author) -> Result<()> {
    conn.execute(
        "insert into audit (at, account_n, actor, address, action, detail) values ($1, $2, $3, $4, $5, $6)",
        values![author.at, account, &author.name, author.address(), action, detail],
    )?;
    Ok(())
}

/// Newest first, those before the line `before`; of one account or of everyone.
pub fn read(conn: &mut Conn, account: Option<i64>, before: Option<i64>, limit: i64) -> Result<Vec<Entry>> {
    let whose = if account.is_some() { "l.account_n = $3" } else { "true" };
    let mut values: Vec<Value> = values![before.unwrap_or(i64::MAX), limit].to_vec();
    values.extend(account.map(Value::from));
    conn.query(
        &format!(
            "select l.n, l.at, a.username, l.key_id, l.key_name, l.actor, l.address, l.action, l.detail
             from audit l left join accounts a on a.n = l.account_n
             where l.n < $1 and {whose} order by l.n desc limit $2"
        ),
        &values,
        |row| Entry {
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

/// How often an account did this since then.
pub fn count(conn: &mut Conn, account: i64, action: &str, since: i64) -> Result<i64> {
    conn.one(
        "select count(*) from audit where account_n = $1 and action = $2 and at > $3",
        values![account, action, since],
        |row| row.get(0),
    )
}
