//! What each key was used for, hour by hour.

use std::collections::HashMap;

use super::{Conn, Result, Value, pad, placeholders};
use crate::model::time::HOUR;
use crate::model::usage::{self, Span};
use crate::values;

/// What is known of one key's use since it was last written down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    pub key_n: i64,
    pub last_used_at: i64,
    pub lines: Vec<Line>,
}

/// Requests of one hour that went to the same endpoint and ended alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub hour: i64,
    pub endpoint: &'static str,
    /// `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub status: &'static str,
    pub requests: i64,
    pub bytes: i64,
}

/// A line as it is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptLine {
    pub hour: i64,
    pub endpoint: String,
    pub status: String,
    pub requests: i64,
    pub bytes: i64,
}

/// Adds to what is kept, in one transaction.
pub fn add(conn: &mut Conn, used: &[Used]) -> Result<()> {
    conn.transaction(|conn| {
        for Used { key_n, last_used_at, lines } in used {
            conn.execute(
                "insert into key_uses (key_n, last_used_at) values ($1, $2)
                 on conflict (key_n) do update set last_used_at = excluded.last_used_at
                 where excluded.last_used_at > key_uses.last_used_at",
                values![*key_n, *last_used_at],
            )?;
            for line in lines {
                conn.execute(
                    "insert into key_usage (key_n, hour, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, hour, endpoint, status) do update
                     set requests = key_usage.requests + excluded.requests, bytes = key_usage.bytes + excluded.bytes",
                    values![*key_n, line.hour, line.endpoint, line.status, line.requests, line.bytes],
                )?;
            }
        }
        Ok(())
    })
}

/// A key's use from `since` on, oldest first.
pub fn of_key(conn: &mut Conn, key_n: i64, since: i64) -> Result<Vec<KeptLine>> {
    let bytes = super::byte_order(conn);
    conn.query(
        &format!(
            "select hour, endpoint, status, requests, bytes from key_usage where key_n = $1 and hour > $2
             order by hour, endpoint{bytes}, status{bytes}"
        ),
        values![key_n, since - HOUR],
        |row| KeptLine {
            hour: row.get(0),
            endpoint: row.get(1),
            status: row.get(2),
            requests: row.get(3),
            bytes: row.get(4),
        },
    )
}

/// What keys were used for in a span, summed up by bucket: a busy key has some 850,000 hourly lines a year, and a page
/// wants the sums of twelve months.
pub fn of_keys(conn: &mut Conn, keys: &[i64], span: Span, now: i64) -> Result<Vec<usage::Line>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let (bytes, mut values) = (super::byte_order(conn), pad(keys));
    let mut buckets = Vec::new();
    for start in span.starts(now) {
        values.extend([Value::Int(start), Value::Int(span.end(start))]);
        buckets.push(format!("(cast(${} as bigint), cast(${} as bigint))", values.len() - 1, values.len()));
    }
    let sql = format!(
        "with buckets (start_at, end_at) as (values {})
         select b.start_at, u.key_n, u.endpoint, u.status,
                cast(sum(u.requests) as bigint), cast(sum(u.bytes) as bigint)
         from buckets b join key_usage u on u.key_n in ({}) and u.hour >= b.start_at and u.hour < b.end_at
         group by b.start_at, u.key_n, u.endpoint, u.status
         order by b.start_at, u.key_n, u.endpoint{bytes}, u.status{bytes}",
        buckets.join(", "),
        placeholders(keys.len())
    );
    conn.query(&sql, &values, |row| usage::Line {
        at: row.get(0),
        key_n: row.get(1),
        endpoint: row.get(2),
        status: row.get(3),
        requests: row.get(4),
        bytes: row.get(5),
    })
}

/// When each key was last used.
pub fn last_used(conn: &mut Conn) -> Result<HashMap<i64, i64>> {
    let rows = conn.query("select key_n, last_used_at from key_uses", &[], |row| (row.get(0), row.get(1)))?;
    Ok(rows.into_iter().collect())
}

/// Writes something that means nothing, to see whether anything can be written.
pub fn probe(conn: &mut Conn) -> Result<()> {
    const NOBODY: i64 = 0;
    conn.execute(
        "insert into key_uses (key_n, last_used_at) values ($1, 0) on conflict (key_n) do update set last_used_at = 0",
        values![NOBODY],
    )?;
    Ok(())
}

/// Hours forgotten in one go, so that no writer waits long.
const AT_ONCE: i64 = 24 * HOUR;

/// Forgets hours before `before`, the oldest first; false when there is nothing left to forget.
pub fn forget(conn: &mut Conn, before: i64) -> Result<bool> {
    let oldest: Option<i64> = conn.one("select min(hour) from key_usage", &[], |row| row.get(0))?;
    let Some(oldest) = oldest.filter(|oldest| *oldest < before) else { return Ok(false) };
    conn.execute("delete from key_usage where hour < $1", values![before.min(oldest + AT_ONCE)])?;
    Ok(true)
}
