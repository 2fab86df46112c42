//! What each key was used for, hour by hour, and the same day by day for views of months.

use std::collections::BTreeMap;

use super::{Conn, Result, Value, pad, placeholders};
use crate::values;
use rollcall_model::time::{DAY, HOUR, start_of_day};
use rollcall_model::usage::{self, Span};

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
                let add =
                    |start: i64| values![*key_n, start, line.endpoint, line.status, line.requests, line.bytes].to_vec();
                conn.execute(
                    "insert into key_usage (key_n, hour, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, hour, endpoint, status) do update
                     set requests = key_usage.requests + excluded.requests, bytes = key_usage.bytes + excluded.bytes",
                    &add(line.hour),
                )?;
                conn.execute(
                    "insert into key_usage_days as days (key_n, day, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, day, endpoint, status) do update
                     set requests = days.requests + excluded.requests, bytes = days.bytes + excluded.bytes",
                    &add(start_of_day(line.hour)),
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

/// What keys were used for in a span, summed up by bucket and in order. A busy key has some 850,000 lines of hours a year,
/// and 35,000 of days; months, which have no common length, are summed up here.
pub fn of_keys(conn: &mut Conn, keys: &[i64], span: Span, now: i64) -> Result<Vec<usage::Line>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = pad(keys);
    values.extend([span.starts(now)[0], span.end(span.start(now))].map(Value::Int));
    let (since, until) = (values.len() - 1, values.len());
    let (table, start) = if span == Span::Day { ("key_usage", "hour") } else { ("key_usage_days", "day") };
    let sql = format!(
        "select {start}, key_n, endpoint, status, requests, bytes from {table}
         where key_n in ({}) and {start} >= ${since} and {start} < ${until}",
        placeholders(keys.len())
    );
    let mut sums: BTreeMap<(i64, i64, String, String), (i64, i64)> = BTreeMap::new();
    conn.for_each(&sql, &values, |row| {
        let group = (span.start(row.get(0)), row.get(1), row.get(2), row.get(3));
        let sum = sums.entry(group).or_default();
        sum.0 += row.get::<i64>(4);
        sum.1 += row.get::<i64>(5);
    })?;
    let line = |((at, key_n, endpoint, status), (requests, bytes))| usage::Line {
        key_n,
        at,
        endpoint,
        status,
        requests,
        bytes,
    };
    Ok(sums.into_iter().map(line).collect())
}

/// When a key was last used.
pub fn last_used(conn: &mut Conn, key_n: i64) -> Result<Option<i64>> {
    conn.first("select last_used_at from key_uses where key_n = $1", values![key_n], |row| row.get(0))
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

/// Forgets hours before `before`, the oldest first, and days that end by then; false when there is nothing left to forget.
pub fn forget(conn: &mut Conn, before: i64) -> Result<bool> {
    let oldest: Option<i64> = conn.one("select min(hour) from key_usage", &[], |row| row.get(0))?;
    let Some(oldest) = oldest.filter(|oldest| *oldest < before) else { return Ok(false) };
    let until = before.min(oldest + AT_ONCE);
    conn.transaction(|conn| {
        conn.execute("delete from key_usage where hour < $1", values![until])?;
        conn.execute("delete from key_usage_days where day <= $1", values![until - DAY])?;
        Ok(true)
    })
}
