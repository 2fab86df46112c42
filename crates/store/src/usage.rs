//! Usage of API keys per hour, and per day for reports over months.

use std::collections::BTreeMap;

use super::{Conn, Result, Value, pad_values, placeholders, quota_alerts};
use crate::values;
use rollcall_model::quota::QuotaAlert;
use rollcall_model::time::{DAY, HOUR, start_of_day, start_of_hour};
use rollcall_model::usage::{self, UsageSpan};

/// A key's usage since it was last written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyUsage {
    pub key_n: i64,
    pub last_used_at: i64,
    pub lines: Vec<UsageIncrement>,
    /// Written once for each window and share.
    pub alerts: Vec<QuotaAlert>,
}

/// Requests of one minute with the same endpoint and status class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageIncrement {
    /// Its start.
    pub minute: i64,
    pub endpoint: &'static str,
    /// `2xx`, `3xx`, `4xx`, `429` or `5xx`.
    pub status: &'static str,
    pub requests: i64,
    pub bytes: i64,
}

/// A stored row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HourlyUsage {
    pub hour: i64,
    pub endpoint: String,
    pub status: String,
    pub requests: i64,
    pub bytes: i64,
}

/// Adds usage to the stored counts, in one transaction.
pub fn add(conn: &mut Conn, used: &[KeyUsage]) -> Result<()> {
    conn.transaction(|conn| {
        for KeyUsage { key_n, last_used_at, lines, alerts } in used {
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
                    "insert into key_usage_minutes as minutes (key_n, minute, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, minute, endpoint, status) do update
                     set requests = minutes.requests + excluded.requests, bytes = minutes.bytes + excluded.bytes",
                    &add(line.minute),
                )?;
                conn.execute(
                    "insert into key_usage (key_n, hour, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, hour, endpoint, status) do update
                     set requests = key_usage.requests + excluded.requests, bytes = key_usage.bytes + excluded.bytes",
                    &add(start_of_hour(line.minute)),
                )?;
                conn.execute(
                    "insert into key_usage_days as days (key_n, day, endpoint, status, requests, bytes)
                     values ($1, $2, $3, $4, $5, $6)
                     on conflict (key_n, day, endpoint, status) do update
                     set requests = days.requests + excluded.requests, bytes = days.bytes + excluded.bytes",
                    &add(start_of_day(line.minute)),
                )?;
            }
            quota_alerts::record(conn, *key_n, alerts)?;
        }
        Ok(())
    })
}

/// A key's usage per hour from `since` on, oldest first.
pub fn of_key(conn: &mut Conn, key_n: i64, since: i64) -> Result<Vec<HourlyUsage>> {
    let bytes = super::byte_collation(conn);
    conn.query(
        &format!(
            "select hour, endpoint, status, requests, bytes from key_usage where key_n = $1 and hour > $2
             order by hour, endpoint{bytes}, status{bytes}"
        ),
        values![key_n, since - HOUR],
        |row| HourlyUsage {
            hour: row.get(0),
            endpoint: row.get(1),
            status: row.get(2),
            requests: row.get(3),
            bytes: row.get(4),
        },
    )
}

/// The usage of keys in a span, summed per bucket and in order. A busy key has about 850,000 hourly rows a year and 35,000 daily
/// ones, so longer spans read the daily table; months have no fixed length and are summed here.
pub fn of_keys(conn: &mut Conn, keys: &[i64], span: UsageSpan, now: i64) -> Result<Vec<usage::UsageLine>> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = pad_values(keys);
    values.extend([span.starts(now)[0], span.end(span.start(now))].map(Value::Int));
    let (since, until) = (values.len() - 1, values.len());
    let (table, start) = table_of(span);
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
    let line = |((at, key_n, endpoint, status), (requests, bytes))| usage::UsageLine {
        key_n,
        at,
        endpoint,
        status,
        requests,
        bytes,
    };
    Ok(sums.into_iter().map(line).collect())
}

/// The table of a span and its column of bucket starts.
fn table_of(span: UsageSpan) -> (&'static str, &'static str) {
    match span {
        UsageSpan::Hour => ("key_usage_minutes", "minute"),
        UsageSpan::Day => ("key_usage", "hour"),
        UsageSpan::Month | UsageSpan::Year => ("key_usage_days", "day"),
    }
}

/// The usage of all keys together. The lines name no key.
pub fn of_service(conn: &mut Conn, span: UsageSpan, now: i64) -> Result<Vec<usage::UsageLine>> {
    let (table, start) = table_of(span);
    conn.query(
        &format!(
            "select {start}, endpoint, status, cast(sum(requests) as bigint), cast(sum(bytes) as bigint) from {table}
             where {start} >= $1 and {start} < $2 group by {start}, endpoint, status"
        ),
        values![span.starts(now)[0], span.end(span.start(now))],
        |row| usage::UsageLine {
            key_n: 0,
            at: row.get(0),
            endpoint: row.get(1),
            status: row.get(2),
            requests: row.get(3),
            bytes: row.get(4),
        },
    )
}

/// The requests of a key in a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRequests {
    pub key_n: i64,
    pub requests: i64,
    /// Answered with a server error.
    pub failed: i64,
    /// Refused: client errors and requests over the limit.
    pub refused: i64,
}

/// The keys with the most requests in a span.
pub fn busiest_keys(conn: &mut Conn, span: UsageSpan, now: i64, limit: i64) -> Result<Vec<KeyRequests>> {
    let (table, start) = table_of(span);
    conn.query(
        &format!(
            "select key_n, cast(sum(requests) as bigint) as total,
                    cast(sum(case when status = '5xx' then requests else 0 end) as bigint),
                    cast(sum(case when status in ('4xx', '429') then requests else 0 end) as bigint)
             from {table} where {start} >= $1 and {start} < $2 group by key_n order by total desc, key_n limit $3"
        ),
        values![span.starts(now)[0], span.end(span.start(now)), limit],
        |row| KeyRequests { key_n: row.get(0), requests: row.get(1), failed: row.get(2), refused: row.get(3) },
    )
}

/// When a key was last used.
pub fn last_used(conn: &mut Conn, key_n: i64) -> Result<Option<i64>> {
    conn.query_optional("select last_used_at from key_uses where key_n = $1", values![key_n], |row| row.get(0))
}

/// Writes a dummy row to check that the database is writable.
pub fn check_writable(conn: &mut Conn) -> Result<()> {
    /// No key has this number.
    const DUMMY_KEY: i64 = 0;
    conn.execute(
        "insert into key_uses (key_n, last_used_at) values ($1, 0) on conflict (key_n) do update set last_used_at = 0",
        values![DUMMY_KEY],
    )?;
    Ok(())
}

/// The time range that one call deletes, so that no writer waits long.
const DELETE_RANGE: i64 = 24 * HOUR;

/// How long minutes are kept: the last hour is shown, and the clocks of nodes differ.
const MINUTES_KEPT: i64 = 2 * HOUR;

/// Deletes the minutes that no view shows any more.
pub fn delete_old_minutes(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from key_usage_minutes where minute < $1", values![now - MINUTES_KEPT]).map(drop)
}

/// Deletes hours before `before`, the oldest first, and the days that end by then. False if nothing is left to delete.
pub fn delete_older_than(conn: &mut Conn, before: i64) -> Result<bool> {
    let oldest: Option<i64> = conn.query_one("select min(hour) from key_usage", &[], |row| row.get(0))?;
    let Some(oldest) = oldest.filter(|oldest| *oldest < before) else { return Ok(false) };
    let until = before.min(oldest + DELETE_RANGE);
    conn.transaction(|conn| {
        conn.execute("delete from key_usage where hour < $1", values![until])?;
        conn.execute("delete from key_usage_days where day <= $1", values![until - DAY])?;
        conn.execute("delete from quota_alerts where at < $1", values![until])?;
        Ok(true)
    })
}
