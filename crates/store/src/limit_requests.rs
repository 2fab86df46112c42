//! Key holders who ask for higher limits, and what operators say to it.

use super::audit::{self, Author};
use super::keys::{self, Overrides};
use super::{Conn, Result, Row, Value, changes};
use crate::values;
use rollcall_model::quota::Limits;

#[derive(Clone, Debug)]
pub struct LimitRequest {
    pub id: String,
    pub key_n: i64,
    pub key_id: String,
    pub key_name: String,
    /// Whose key it is.
    pub owner: Option<String>,
    pub wanted: Limits,
    /// What the key was given before.
    pub has: Overrides,
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
        wanted: Limits { per_minute: limit(5), per_day: limit(6), per_month: limit(7) },
        reason: row.get(8),
        status: row.get(9),
        answer: row.get(10),
        created_at: row.get(11),
        decided_at: row.get(12),
        has: Overrides::kept(row.get(13), row.get(14), row.get(15)),
    }
}

/// The newest of a key.
pub fn newest(conn: &mut Conn, key_n: i64) -> Result<Option<LimitRequest>> {
    conn.first(&format!("{SELECT} where r.key_n = $1 order by r.n desc limit 1"), values![key_n], read)
}

/// All that wait for an answer, oldest first.
pub fn open(conn: &mut Conn) -> Result<Vec<LimitRequest>> {
    conn.query(&format!("{SELECT} where r.status = 'open' order by r.n"), &[], read)
}

/// False when the key has one that waits already.
pub fn ask(conn: &mut Conn, id: &str, key_n: i64, wanted: Limits, reason: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        // The key's row is locked on PostgreSQL, so that two who ask at once come one after the other.
        let lock = if conn.is_postgres() { " for update" } else { "" };
        if conn.first(&format!("select n from keys where n = $1{lock}"), values![key_n], |_| ())?.is_none() {
            return Ok(false);
        }
        let waiting = "select 1 from limit_requests where key_n = $1 and status = 'open'";
        if conn.first(waiting, values![key_n], |_| ())?.is_some() {
            return Ok(false);
        }
        let mut values: Vec<Value> = values![id, key_n].to_vec();
        values.extend([wanted.per_minute, wanted.per_day, wanted.per_month].map(|limit| Value::Int(limit.into())));
        values.extend_from_slice(values![reason, author.at]);
        conn.execute(
            "insert into limit_requests (id, key_n, per_minute, per_day, per_month, reason, status, answer, created_at)
             values ($1, $2, $3, $4, $5, $6, 'open', '', $7)",
            &values,
        )?;
        audit::of_key(conn, key_n, "higher limits asked for", &words(wanted), author)?;
        Ok(true)
    })
}

/// Grants these limits or, with `None`, refuses; false when it was decided before.
pub fn decide(conn: &mut Conn, id: &str, granted: Option<Limits>, answer: &str, author: &Author) -> Result<bool> {
    conn.transaction(|conn| {
        changes::hold_keys(conn)?;
        let status = if granted.is_some() { "granted" } else { "refused" };
        let key_n = conn.first(
            "update limit_requests set status = $2, answer = $3, decided_at = $4 where id = $1 and status = 'open'
             returning key_n",
            values![id, status, answer, author.at],
            |row| row.get::<i64>(0),
        )?;
        let Some(key_n) = key_n else { return Ok(false) };
        match granted {
            Some(limits) => keys::set_overrides(conn, key_n, Overrides::from(limits), author)?,
            None => audit::of_key(conn, key_n, "higher limits refused", answer, author)?,
        }
        Ok(true)
    })
}

/// Its asker has thought better of it.
pub fn withdraw(conn: &mut Conn, key_n: i64, author: &Author) -> Result<()> {
    conn.transaction(|conn| {
        changes::hold_keys(conn)?;
        if conn.execute("delete from limit_requests where key_n = $1 and status = 'open'", values![key_n])? > 0 {
            audit::of_key(conn, key_n, "wish withdrawn", "", author)?;
        }
        Ok(())
    })
}

fn words(limits: Limits) -> String {
    format!("{} a minute, {} a day, {} a month", limits.per_minute, limits.per_day, limits.per_month)
}
