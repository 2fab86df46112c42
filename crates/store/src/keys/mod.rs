//! API keys. Only hashes of secrets are stored.

mod change;

pub use change::{
    CREATED, create, delete, delete_all, rename, revoke_old, rotate, set_blocked, set_disabled, set_expiry,
    set_overrides, set_restrictions,
};

use super::{Conn, Result, Value, pad_values, placeholders};

use crate::values;
use rollcall_model::key_restriction::KeyRestrictions;
use rollcall_model::message::translatable;
use rollcall_model::quota::Limits;
use rollcall_model::text::is_misleading;
use rollcall_search::fold;

/// A stored key with its secrets.
#[derive(Clone, Debug)]
pub struct KeyRecord {
    pub n: i64,
    pub id: String,
    pub name: String,
    pub account: Option<i64>,
    /// The name of that account.
    pub owner: Option<String>,
    pub overrides: LimitOverrides,
    /// The owner's switch.
    pub disabled: bool,
    /// The operator's switch.
    pub blocked: bool,
    /// The owner's account is disabled, so the key is refused.
    pub account_disabled: bool,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    /// Newest last; may contain expired ones.
    pub secrets: Vec<SecretRecord>,
    /// Most keys have none; a test of this is all that they cost.
    pub restrictions: Option<Box<KeyRestrictions>>,
}

#[derive(Clone, Debug)]
pub struct SecretRecord {
    pub hash: String,
    /// The first characters, which lists may show.
    pub hint: String,
    pub created_at: i64,
    pub ends_at: Option<i64>,
}

impl SecretRecord {
    fn is_live(&self, now: i64) -> bool {
        self.ends_at.is_none_or(|end| now < end)
    }
}

impl KeyRecord {
    pub fn is_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|end| now >= end)
    }

    pub fn is_off(&self) -> bool {
        self.disabled || self.blocked || self.account_disabled
    }

    pub fn status(&self, now: i64) -> &'static str {
        if self.is_off() {
            translatable("disabled")
        } else if self.is_expired(now) {
            translatable("expired")
        } else {
            translatable("active")
        }
    }

    /// The secrets that are accepted, newest last.
    pub fn live_secrets(&self, now: i64) -> impl Iterator<Item = &SecretRecord> {
        self.secrets.iter().filter(move |secret| secret.is_live(now))
    }
}

/// Limits of a single key; `None` means the configured default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitOverrides {
    pub per_minute: Option<u32>,
    pub per_day: Option<u32>,
    pub per_month: Option<u32>,
}

impl LimitOverrides {
    /// From the stored columns, where 0 means none.
    pub(crate) fn from_columns(per_minute: i64, per_day: i64, per_month: i64) -> Self {
        Self { per_minute: from_column(per_minute), per_day: from_column(per_day), per_month: from_column(per_month) }
    }

    pub fn apply_to(self, configured: Limits) -> Limits {
        Limits {
            per_minute: self.per_minute.unwrap_or(configured.per_minute),
            per_day: self.per_day.unwrap_or(configured.per_day),
            per_month: self.per_month.unwrap_or(configured.per_month),
        }
    }
}

impl From<Limits> for LimitOverrides {
    fn from(limits: Limits) -> Self {
        Self { per_minute: Some(limits.per_minute), per_day: Some(limits.per_day), per_month: Some(limits.per_month) }
    }
}

pub struct NewKey<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub account: Option<i64>,
    pub overrides: LimitOverrides,
    pub expires_at: Option<i64>,
}

const MAX_NAME_LENGTH: usize = 100;

/// A name appears in tables and logs, so it must be printable and on one line.
pub fn check_name(name: &str) -> std::result::Result<&str, String> {
    let is_valid =
        !name.trim().is_empty() && name.chars().count() <= MAX_NAME_LENGTH && !name.chars().any(is_misleading);
    if is_valid {
        Ok(name)
    } else {
        Err(format!("name must be 1 to {MAX_NAME_LENGTH} characters without control characters, not {name:?}"))
    }
}

pub fn find(conn: &mut Conn, id: &str) -> Result<Option<KeyRecord>> {
    Ok(select(conn, "where k.id = $1", values![id])?.pop())
}

/// An account's keys, oldest first.
pub fn of_account(conn: &mut Conn, account: i64) -> Result<Vec<KeyRecord>> {
    select(conn, "where k.account_n = $1", values![account])
}

/// The keys with these numbers that still exist.
pub fn by_numbers(conn: &mut Conn, numbers: &[i64]) -> Result<Vec<KeyRecord>> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    select(conn, &format!("where k.n in ({})", placeholders(numbers.len())), &pad_values(numbers))
}

/// Keys before the number `before`, newest first. `find` is empty, a key id or the name of an owner.
pub fn page(conn: &mut Conn, find: &str, before: i64, limit: i64) -> Result<Vec<KeyRecord>> {
    let numbers: Vec<i64> = conn.query(
        "select k.n from keys k left join accounts a on a.n = k.account_n
         where k.n < $1 and (cast($2 as text) = '' or k.id = $2 or a.username_key = $3) order by k.n desc limit $4",
        values![before, find, fold(find), limit],
        |row| row.get(0),
    )?;
    let mut keys = by_numbers(conn, &numbers)?;
    keys.sort_by_key(|key| std::cmp::Reverse(key.n));
    Ok(keys)
}

/// Changes between two revisions.
pub struct KeyChanges {
    pub changed: Vec<KeyRecord>,
    /// Numbers of deleted keys.
    pub deleted: Vec<i64>,
}

/// The keys changed after revision `after`, up to `now`. `None` if some revision in between is on no key: an older version of
/// the program has changed a key without stamping it, so any key may have changed.
pub fn changed_between(conn: &mut Conn, after: i64, now: i64) -> Result<Option<KeyChanges>> {
    let stamped = "select count(*) from (select rev from keys where rev > $1 union select rev from key_removals where rev > $1) r";
    let stamped: i64 = conn.query_one(stamped, values![after], |row| row.get(0))?;
    if stamped < now - after {
        return Ok(None);
    }
    let changed = select(conn, "where k.rev > $1", values![after])?;
    let sql = "select key_n from key_removals where rev > $1";
    Ok(Some(KeyChanges { changed, deleted: conn.query(sql, values![after], |row| row.get(0))? }))
}

/// All keys, oldest first.
pub fn all(conn: &mut Conn) -> Result<Vec<KeyRecord>> {
    select(conn, "", &[])
}

fn select(conn: &mut Conn, only: &str, values: &[Value]) -> Result<Vec<KeyRecord>> {
    let mut keys = conn.query(
        &format!(
            "select k.n, k.id, k.name, k.account_n, a.username, k.per_minute, k.per_day, k.per_month, k.disabled,
                    k.created_at, k.expires_at, k.blocked, coalesce(l.disabled, false), k.restrictions
             from keys k left join accounts a on a.n = k.account_n left join logins l on l.account_n = k.account_n
             {only} order by k.created_at, k.n"
        ),
        values,
        |row| KeyRecord {
            n: row.get(0),
            id: row.get(1),
            name: row.get(2),
            account: row.get(3),
            owner: row.get(4),
            overrides: LimitOverrides::from_columns(row.get(5), row.get(6), row.get(7)),
            disabled: row.get(8),
            created_at: row.get(9),
            expires_at: row.get(10),
            blocked: row.get(11),
            account_disabled: row.get(12),
            secrets: Vec::new(),
            restrictions: row.get::<Option<String>>(13).map(|text| Box::new(KeyRestrictions::from_json(&text))),
        },
    )?;
    let positions: std::collections::HashMap<i64, usize> = keys.iter().enumerate().map(|(i, key)| (key.n, i)).collect();
    conn.for_each(
        &format!(
            "select s.key_n, s.hash, s.hint, s.created_at, s.ends_at from key_secrets s join keys k on k.n = s.key_n {only}
             order by s.created_at, s.hash"
        ),
        values,
        |row| {
            if let Some(&position) = positions.get(&row.get::<i64>(0)) {
                keys[position].secrets.push(SecretRecord {
                    hash: row.get(1),
                    hint: row.get(2),
                    created_at: row.get(3),
                    ends_at: row.get(4),
                });
            }
        },
    )?;
    Ok(keys)
}

fn from_column(limit: i64) -> Option<u32> {
    (limit > 0).then(|| u32::try_from(limit).unwrap_or(u32::MAX))
}
