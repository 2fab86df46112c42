//! API keys. Only hashes of secrets are kept.

use super::{Conn, Result, changes};
use crate::config::Limits;
use crate::gate::Secret;
use crate::values;

/// A key as the gate needs it.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub n: i64,
    pub id: String,
    pub name: String,
    pub account: Option<i64>,
    pub limits: Limits,
    pub disabled: bool,
    pub created_at: i64,
    pub hashes: Vec<String>,
    /// What a list may show of each live secret, newest last.
    pub hints: Vec<String>,
}

const LONGEST_NAME: usize = 100;

/// A name stands in tables and logs: something to read, on one line.
pub fn check_name(name: &str) -> std::result::Result<&str, String> {
    let sound = !name.trim().is_empty() && name.chars().count() <= LONGEST_NAME && !name.chars().any(char::is_control);
    if sound {
        Ok(name)
    } else {
        Err(format!("name must be 1 to {LONGEST_NAME} characters without control characters, not {name:?}"))
    }
}

/// A key that is being rotated has its new secret and the one before; older ones end.
const LIVE_SECRETS: i64 = 2;

pub fn create(conn: &mut Conn, id: &str, name: &str, limits: Limits, secret: &Secret, now: i64) -> Result<i64> {
    conn.transaction(|conn| {
        let n = conn.one(
            "insert into keys (id, name, per_minute, per_day, per_month, disabled, created_at)
             values ($1, $2, $3, $4, $5, false, $6) returning n",
            values![
                id,
                name,
                i64::from(limits.per_minute),
                i64::from(limits.per_day),
                i64::from(limits.per_month),
                now
            ],
            |row| row.get::<i64>(0),
        )?;
        add_secret(conn, n, secret, now)?;
        Ok(n)
    })
}

/// Gives a key a new secret; the one before stays good.
pub fn add_secret(conn: &mut Conn, key_n: i64, secret: &Secret, now: i64) -> Result<()> {
    conn.transaction(|conn| {
        changes::raise_keys(conn)?;
        conn.execute(
            "insert into key_secrets (hash, key_n, hint, created_at) values ($1, $2, $3, $4)",
            values![secret.hash(), key_n, secret.hint(), now],
        )?;
        conn.execute(
            "delete from key_secrets where key_n = $1 and hash <> $2 and hash not in
             (select hash from key_secrets where key_n = $1 and hash <> $2 order by created_at desc, hash limit $3)",
            values![key_n, secret.hash(), LIVE_SECRETS - 1],
        )?;
        Ok(())
    })
}

/// False when there is no such key.
pub fn set_disabled(conn: &mut Conn, id: &str, disabled: bool) -> Result<bool> {
    conn.transaction(|conn| {
        changes::raise_keys(conn)?;
        Ok(conn.execute("update keys set disabled = $1 where id = $2", values![disabled, id])? > 0)
    })
}

/// All keys, oldest first.
pub fn all(conn: &mut Conn) -> Result<Vec<KeyRecord>> {
    let mut keys = conn.query(
        "select n, id, name, account_n, per_minute, per_day, per_month, disabled, created_at
         from keys order by created_at, n",
        &[],
        |row| KeyRecord {
            n: row.get(0),
            id: row.get(1),
            name: row.get(2),
            account: row.get(3),
            limits: Limits {
                per_minute: saturate(row.get(4)),
                per_day: saturate(row.get(5)),
                per_month: saturate(row.get(6)),
            },
            disabled: row.get(7),
            created_at: row.get(8),
            hashes: Vec::new(),
            hints: Vec::new(),
        },
    )?;
    let places: std::collections::HashMap<i64, usize> = keys.iter().enumerate().map(|(i, key)| (key.n, i)).collect();
    conn.for_each("select key_n, hash, hint from key_secrets order by created_at, hash", &[], |row| {
        if let Some(&place) = places.get(&row.get::<i64>(0)) {
            keys[place].hashes.push(row.get(1));
            keys[place].hints.push(row.get(2));
        }
    })?;
    Ok(keys)
}

fn saturate(limit: i64) -> u32 {
    u32::try_from(limit.max(0)).unwrap_or(u32::MAX)
}
