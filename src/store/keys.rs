//! API keys. Only hashes of secrets are kept.

use super::{Conn, Result, changes};
use crate::config::Limits;
use crate::gate::Secret;
use crate::values;

/// A key as it is kept.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub n: i64,
    pub id: String,
    pub name: String,
    pub account: Option<i64>,
    /// The name of that account.
    pub owner: Option<String>,
    pub overrides: Overrides,
    pub disabled: bool,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    /// Newest last; those whose grace is over among them.
    pub secrets: Vec<SecretRecord>,
}

#[derive(Clone, Debug)]
pub struct SecretRecord {
    pub hash: String,
    /// What a list may show of it.
    pub hint: String,
    pub ends_at: Option<i64>,
}

impl SecretRecord {
    pub fn is_live(&self, now: i64) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

impl KeyRecord {
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|end| now >= end)
    }
}

/// The limits a key was given; where it was given none, those that are configured count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    pub per_minute: Option<u32>,
    pub per_day: Option<u32>,
    pub per_month: Option<u32>,
}

impl Overrides {
    pub fn over(self, configured: Limits) -> Limits {
        Limits {
            per_minute: self.per_minute.unwrap_or(configured.per_minute),
            per_day: self.per_day.unwrap_or(configured.per_day),
            per_month: self.per_month.unwrap_or(configured.per_month),
        }
    }
}

impl From<Limits> for Overrides {
    fn from(limits: Limits) -> Self {
        Self { per_minute: Some(limits.per_minute), per_day: Some(limits.per_day), per_month: Some(limits.per_month) }
    }
}

/// What someone says of a key that is to be.
pub struct NewKey<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub account: Option<i64>,
    pub overrides: Overrides,
    pub expires_at: Option<i64>,
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

pub fn create(conn: &mut Conn, key: &NewKey, secret: &Secret, now: i64) -> Result<i64> {
    conn.transaction(|conn| {
        let n = conn.one(
            "insert into keys (id, name, account_n, per_minute, per_day, per_month, disabled, created_at, expires_at)
             values ($1, $2, $3, $4, $5, $6, false, $7, $8) returning n",
            values![
                key.id,
                key.name,
                key.account,
                kept(key.overrides.per_minute),
                kept(key.overrides.per_day),
                kept(key.overrides.per_month),
                now,
                key.expires_at
            ],
            |row| row.get::<i64>(0),
        )?;
        rotate(conn, n, secret, None, now)?;
        Ok(n)
    })
}

/// Gives a key a new secret. The one before ends at `old_ends_at`; `None` leaves it as it is.
pub fn rotate(conn: &mut Conn, key_n: i64, secret: &Secret, old_ends_at: Option<i64>, now: i64) -> Result<()> {
    conn.transaction(|conn| {
        changes::raise_keys(conn)?;
        let newest = "select max(created_at) from key_secrets where key_n = $1";
        let newest: Option<i64> = conn.one(newest, values![key_n], |row| row.get(0))?;
        // Later than any other, though the clock may have stepped back: the newest must be known.
        let created_at = newest.map_or(now, |newest| now.max(newest + 1));
        if let Some(end) = old_ends_at {
            conn.execute(
                "update key_secrets set ends_at = $1 where key_n = $2 and (ends_at is null or ends_at > $1)",
                values![end, key_n],
            )?;
            conn.execute("delete from key_secrets where key_n = $1 and ends_at <= $2", values![key_n, now])?;
        }
        conn.execute(
            "insert into key_secrets (hash, key_n, hint, created_at) values ($1, $2, $3, $4)",
            values![secret.hash(), key_n, secret.hint(), created_at],
        )?;
        end_all_but(conn, key_n, LIVE_SECRETS)?;
        Ok(())
    })
}

/// Ends every secret but the newest; gives how many that were.
pub fn revoke_old(conn: &mut Conn, key_n: i64) -> Result<u64> {
    conn.transaction(|conn| {
        changes::raise_keys(conn)?;
        end_all_but(conn, key_n, 1)
    })
}

fn end_all_but(conn: &mut Conn, key_n: i64, newest: i64) -> Result<u64> {
    conn.execute(
        "delete from key_secrets where key_n = $1 and hash not in
         (select hash from key_secrets where key_n = $1 order by created_at desc, hash limit $2)",
        values![key_n, newest],
    )
}

pub fn set_disabled(conn: &mut Conn, key_n: i64, disabled: bool) -> Result<()> {
    set(conn, "update keys set disabled = $2 where n = $1", values![key_n, disabled])
}

pub fn set_expiry(conn: &mut Conn, key_n: i64, expires_at: Option<i64>) -> Result<()> {
    set(conn, "update keys set expires_at = $2 where n = $1", values![key_n, expires_at])
}

pub fn set_overrides(conn: &mut Conn, key_n: i64, overrides: Overrides) -> Result<()> {
    let Overrides { per_minute, per_day, per_month } = overrides;
    set(
        conn,
        "update keys set per_minute = $2, per_day = $3, per_month = $4 where n = $1",
        values![key_n, kept(per_minute), kept(per_day), kept(per_month)],
    )
}

fn set(conn: &mut Conn, sql: &str, values: &[super::Value]) -> Result<()> {
    conn.transaction(|conn| {
        changes::raise_keys(conn)?;
        conn.execute(sql, values)?;
        Ok(())
    })
}

pub fn find(conn: &mut Conn, id: &str) -> Result<Option<KeyRecord>> {
    Ok(select(conn, Some(id))?.pop())
}

/// All keys, oldest first.
pub fn all(conn: &mut Conn) -> Result<Vec<KeyRecord>> {
    select(conn, None)
}

fn select(conn: &mut Conn, id: Option<&str>) -> Result<Vec<KeyRecord>> {
    let (only, value) = match id {
        Some(id) => ("where k.id = $1", values![id].to_vec()),
        None => ("", Vec::new()),
    };
    let mut keys = conn.query(
        &format!(
            "select k.n, k.id, k.name, k.account_n, a.username, k.per_minute, k.per_day, k.per_month, k.disabled,
                    k.created_at, k.expires_at
             from keys k left join accounts a on a.n = k.account_n {only} order by k.created_at, k.n"
        ),
        &value,
        |row| KeyRecord {
            n: row.get(0),
            id: row.get(1),
            name: row.get(2),
            account: row.get(3),
            owner: row.get(4),
            overrides: Overrides {
                per_minute: given(row.get(5)),
                per_day: given(row.get(6)),
                per_month: given(row.get(7)),
            },
            disabled: row.get(8),
            created_at: row.get(9),
            expires_at: row.get(10),
            secrets: Vec::new(),
        },
    )?;
    let places: std::collections::HashMap<i64, usize> = keys.iter().enumerate().map(|(i, key)| (key.n, i)).collect();
    conn.for_each(
        &format!(
            "select s.key_n, s.hash, s.hint, s.ends_at from key_secrets s join keys k on k.n = s.key_n {only}
             order by s.created_at, s.hash"
        ),
        &value,
        |row| {
            if let Some(&place) = places.get(&row.get::<i64>(0)) {
                keys[place].secrets.push(SecretRecord { hash: row.get(1), hint: row.get(2), ends_at: row.get(3) });
            }
        },
    )?;
    Ok(keys)
}

/// A limit that was not given is kept as 0.
fn kept(limit: Option<u32>) -> i64 {
    limit.map_or(0, i64::from)
}

fn given(limit: i64) -> Option<u32> {
    (limit > 0).then(|| u32::try_from(limit).unwrap_or(u32::MAX))
}
