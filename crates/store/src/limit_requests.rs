//! Requests of key owners for higher limits, and the decisions of operators.

use super::audit::{self, Author};
use super::keys::{self, LimitOverrides};
use super::{Conn, Result, Row, Value, revision};
use crate::values;
use rollcall_model::message::translatable;
use rollcall_model::quota::Limits;

#[derive(Clone, Debug)]
pub struct LimitRequest {
    pub id: String,
    pub key_n: i64,
    pub key_id: String,
    pub key_name: String,
    /// The account that owns the key.
    pub owner: Option<String>,
    pub requested: Limits,
    /// The limits that the key has now.
    pub current: LimitOverrides,
    pub reason: String,
    pub status: String,
    pub answer: String,
    pub created_at: i64,
    pub decided_at: Option<i64>,
}

const SELECT: &str = "select r.id, r.key_n, k.id, k.name, a.username, r.per_minute, r.per_day, r.per_month, r.reason,
                             r.status, r.answer, r.created_at, r.decided_at, k.per_minute, k.per_day, k.per_month
                      from limit_requests r join keys k on k.n = r.key_n left join accounts a on a.n = k.account_n";

fn read(row: &Row) -> LimitRequest {
    let limit = |column| u32::try_from(row.get::<i64>(column)).unwrap_or(u32::MAX);
    LimitRequest {
        id: row.get(0),
        key_n: row.get(1),
        key_id: row.get(2),
        key_name: row.get(3),
        owner: row.get(4),
        requested: Limits { per_minute: limit(5), per_day: limit(6), per_month: limit(7) },
        reason: row.get(8),
        status: row.get(9),
        answer: row.get(10),
        created_at: row.get(11),
        decided_at: row.get(12),
        current: LimitOverrides::from_columns(row.get(13), row.get(14), row.get(15)),
    }
}

/// The newest request of a key.
pub fn newest(conn: &mut Conn, key_n: i64) -> Result<Option<LimitRequest>> {
    conn.query_optional(&format!("{SELECT} where r.key_n = $1 order by r.n desc limit 1"), values![key_n], read)
}

/// All undecided requests, oldest first.
pub fn list_open(conn: &mut Conn) -> Result<Vec<LimitRequest>> {
    conn.query(&format!("{SELECT} where r.status = 'open' order by r.n"), &[], read)
}

/// False if the key already has an open request.
pub fn create(conn: &mut Conn, id: &str, key_n: i64, requested: Limits, reason: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        // Locks the key's row on PostgreSQL, so that of two concurrent requests the second sees the first.
        let lock = if conn.is_postgres() { " for update" } else { "" };
        if conn.query_optional(&format!("select n from keys where n = $1{lock}"), values![key_n], |_| ())?.is_none() {
            return Ok(false);
        }
        let open = "select 1 from limit_requests where key_n = $1 and status = 'open'";
        if conn.query_optional(open, values![key_n], |_| ())?.is_some() {
            return Ok(false);
        }
        let mut values: Vec<Value> = values![id, key_n].to_vec();
        values.extend(
            [requested.per_minute, requested.per_day, requested.per_month].map(|limit| Value::Int(limit.into())),
        );
        values.extend_from_slice(values![reason, author.at]);
        conn.execute(
            "insert into limit_requests (id, key_n, per_minute, per_day, per_month, reason, status, answer, created_at)
             values ($1, $2, $3, $4, $5, $6, 'open', '', $7)",
            &values,
        )?;
        audit::log_key(conn, key_n, translatable("limit request created"), &describe(requested), author)?;
        Ok(true)
    })
}

/// Grants these limits or, with `None`, refuses. False if the request was already decided.
pub fn decide(conn: &mut Conn, id: &str, granted: Option<Limits>, answer: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        revision::lock_keys(conn)?;
        let status = if granted.is_some() { "granted" } else { "refused" };
        let key_n = conn.query_optional(
            "update limit_requests set status = $2, answer = $3, decided_at = $4 where id = $1 and status = 'open'
             returning key_n",
            values![id, status, answer, author.at],
            |row| row.get::<i64>(0),
        )?;
        let Some(key_n) = key_n else { return Ok(false) };
        match granted {
            Some(limits) => keys::set_overrides(conn, key_n, LimitOverrides::from(limits), author)?,
            None => audit::log_key(conn, key_n, translatable("limit request declined"), answer, author)?,
        }
        Ok(true)
    })
}

/// Deletes the open request of a key, if there is one.
pub fn withdraw(conn: &mut Conn, key_n: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        revision::lock_keys(conn)?;
        if conn.execute("delete from limit_requests where key_n = $1 and status = 'open'", values![key_n])? > 0 {
            audit::log_key(conn, key_n, translatable("limit request withdrawn"), "", author)?;
        }
        Ok(())
    })
}

fn describe(limits: Limits) -> String {
    format!("{} a minute, {} a day, {} a month", limits.per_minute, limits.per_day, limits.per_month)
}
