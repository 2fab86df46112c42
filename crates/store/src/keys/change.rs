//! Changes of API keys. Each raises the key revision, so that running processes see it, and writes an audit entry.

use super::{LimitOverrides, NewKey};
use crate::audit::{self, Author};
use crate::values;
use crate::{Conn, Result, Value, revision};
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::key_restriction::KeyRestrictions;
use rollcall_model::message::translatable;
use rollcall_model::time;

/// A rotated key has its new secret and the previous one; older ones are deleted.
const LIVE_SECRETS: i64 = 2;

/// The audit action of a new key; it is also used to count new keys.
pub const CREATED: &str = translatable("key created");

pub fn create(conn: &mut Conn, key: &NewKey, secret: &ApiKeySecret, author: &Author) -> Result<i64> {
    conn.transaction(|conn| {
        let rev = revision::bump_keys(conn)?;
        let n = conn.query_one(
            "insert into keys
                 (id, name, account_n, per_minute, per_day, per_month, disabled, created_at, expires_at, rev)
             values ($1, $2, $3, $4, $5, $6, false, $7, $8, $9) returning n",
            values![
                key.id,
                key.name,
                key.account,
                to_column(key.overrides.per_minute),
                to_column(key.overrides.per_day),
                to_column(key.overrides.per_month),
                author.at,
                key.expires_at,
                rev
            ],
            |row| row.get::<i64>(0),
        )?;
        add_secret(conn, n, secret, None, author.at)?;
        audit::log_key(conn, n, CREATED, &secret.hint(), author)?;
        Ok(n)
    })
}

/// Adds a new secret. The previous one expires at `old_ends_at`; `None` leaves it unchanged.
pub fn rotate(
    conn: &mut Conn,
    key_n: i64,
    secret: &ApiKeySecret,
    old_ends_at: Option<i64>,
    author: &Author,
) -> Result<()> {
    conn.transaction(|conn| {
        add_secret(conn, key_n, secret, old_ends_at, author.at)?;
        let until = match old_ends_at {
            Some(end) if end <= author.at => "; the previous secret is revoked".to_owned(),
            Some(end) => format!("; the previous secret expires {}", time::iso(end)),
            None => String::new(),
        };
        audit::log_key(
            conn,
            key_n,
            translatable("key rotated"),
            &format!("new secret {}{until}", secret.hint()),
            author,
        )
    })
}

/// Marks a key as changed.
fn stamp(conn: &mut Conn, key_n: i64) -> Result<()> {
    let rev = revision::bump_keys(conn)?;
    conn.execute("update keys set rev = $2 where n = $1", values![key_n, rev])?;
    Ok(())
}

fn add_secret(conn: &mut Conn, key_n: i64, secret: &ApiKeySecret, old_ends_at: Option<i64>, now: i64) -> Result<()> {
    conn.transaction(|conn| {
        stamp(conn, key_n)?;
        let newest = "select max(created_at) from key_secrets where key_n = $1";
        let newest: Option<i64> = conn.query_one(newest, values![key_n], |row| row.get(0))?;
        // Later than any other secret even if the clock stepped back: `created_at` decides which is the newest.
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
        delete_all_but(conn, key_n, LIVE_SECRETS)?;
        Ok(())
    })
}

/// Deletes every secret except the newest and returns how many were deleted.
pub fn revoke_old(conn: &mut Conn, key_n: i64, author: &Author) -> Result<u64> {
    conn.transaction(|conn| {
        stamp(conn, key_n)?;
        let deleted = delete_all_but(conn, key_n, 1)?;
        if deleted > 0 {
            audit::log_key(conn, key_n, translatable("old secret revoked"), "", author)?;
        }
        Ok(deleted)
    })
}

fn delete_all_but(conn: &mut Conn, key_n: i64, newest: i64) -> Result<u64> {
    conn.execute(
        "delete from key_secrets where key_n = $1 and hash not in
         (select hash from key_secrets where key_n = $1 order by created_at desc, hash limit $2)",
        values![key_n, newest],
    )
}

/// The owner's switch.
pub fn set_disabled(conn: &mut Conn, key_n: i64, disabled: bool, author: &Author) -> Result<()> {
    let action = if disabled { translatable("key disabled") } else { translatable("key enabled") };
    set(conn, key_n, &[("disabled", disabled.into())], (action, ""), author)
}

/// The operator's switch. The owner's switch stays; a key without an owner has only one.
pub fn set_blocked(conn: &mut Conn, key_n: i64, blocked: bool, author: &Author) -> Result<()> {
    let action =
        if blocked { translatable("key disabled by an operator") } else { translatable("key enabled by an operator") };
    conn.transaction(|conn| {
        set(conn, key_n, &[("blocked", blocked.into())], (action, ""), author)?;
        let without_owner = "update keys set disabled = $2 where n = $1 and account_n is null";
        conn.execute(without_owner, values![key_n, blocked])?;
        Ok(())
    })
}

pub fn rename(conn: &mut Conn, key_n: i64, name: &str, author: &Author) -> Result<()> {
    set(conn, key_n, &[("name", name.into())], (translatable("key renamed"), &format!("new name: {name}")), author)
}

pub fn set_expiry(conn: &mut Conn, key_n: i64, expires_at: Option<i64>, author: &Author) -> Result<()> {
    let detail = expires_at.map_or_else(|| "never expires".to_owned(), |end| format!("expires {}", time::iso(end)));
    set(conn, key_n, &[("expires_at", expires_at.into())], (translatable("expiry changed"), &detail), author)
}

pub fn set_overrides(conn: &mut Conn, key_n: i64, overrides: LimitOverrides, author: &Author) -> Result<()> {
    let LimitOverrides { per_minute, per_day, per_month } = overrides;
    let describe = |limit: Option<u32>| limit.map_or_else(|| "default".to_owned(), |limit| limit.to_string());
    let detail =
        format!("{} a minute, {} a day, {} a month", describe(per_minute), describe(per_day), describe(per_month));
    let columns = [("per_minute", per_minute), ("per_day", per_day), ("per_month", per_month)];
    let columns = columns.map(|(name, limit)| (name, to_column(limit).into()));
    set(conn, key_n, &columns, (translatable("limits changed"), &detail), author)
}

/// `None` removes all restrictions.
pub fn set_restrictions(
    conn: &mut Conn,
    key_n: i64,
    restrictions: Option<&KeyRestrictions>,
    author: &Author,
) -> Result<()> {
    let stored = restrictions.map(KeyRestrictions::to_json);
    let detail = restrictions.map_or_else(|| "none".to_owned(), describe_restrictions);
    set(conn, key_n, &[("restrictions", stored.into())], (translatable("restrictions changed"), &detail), author)
}

fn describe_restrictions(restrictions: &KeyRestrictions) -> String {
    let KeyRestrictions { networks, origins, endpoints } = restrictions;
    let networks: Vec<String> = networks.iter().map(ToString::to_string).collect();
    let lists =
        [("IP ranges", networks.join(", ")), ("origins", origins.join(", ")), ("endpoints", endpoints.join(", "))];
    let described = lists.iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| format!("{name}: {list}"));
    described.collect::<Vec<_>>().join("; ")
}

/// Its usage stays in the ledger for the retention period. The row number is never reused.
pub fn delete(conn: &mut Conn, key_n: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        revision::lock_keys(conn)?;
        audit::log_key(conn, key_n, translatable("key deleted"), "", author)?;
        delete_where(conn, "n", key_n)
    })
}

/// Deletes the keys of an account. Call it in a transaction.
pub fn delete_all(conn: &mut Conn, account_n: i64) -> Result<()> {
    delete_where(conn, "account_n", account_n)
}

/// Deletes the keys with this value in `column`, and tells readers. A revision that nothing carries would make them load all keys.
fn delete_where(conn: &mut Conn, column: &str, value: i64) -> Result<()> {
    let found = format!("select n from keys where {column} = $1");
    let keys: Vec<i64> = conn.query(&found, values![value], |row| row.get(0))?;
    if keys.is_empty() {
        return Ok(());
    }
    let rev = revision::bump_keys(conn)?;
    for n in keys {
        conn.execute("insert into key_removals (key_n, rev) values ($1, $2)", values![n, rev])?;
        conn.execute("delete from keys where n = $1", values![n])?;
    }
    Ok(())
}

fn set(
    conn: &mut Conn,
    key_n: i64,
    columns: &[(&str, Value)],
    (action, detail): (&str, &str),
    author: &Author,
) -> Result<()> {
    let assignments: Vec<String> = columns.iter().zip(2..).map(|((name, _), i)| format!("{name} = ${i}")).collect();
    let mut values = values![key_n].to_vec();
    values.extend(columns.iter().map(|(_, value)| value.clone()));
    conn.transaction(|conn| {
        stamp(conn, key_n)?;
        conn.execute(&format!("update keys set {} where n = $1", assignments.join(", ")), &values)?;
        audit::log_key(conn, key_n, action, detail, author)
    })
}

/// The column value of a limit: 0 for none.
fn to_column(limit: Option<u32>) -> i64 {
    limit.map_or(0, i64::from)
}
