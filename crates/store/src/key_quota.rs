//! What is reserved of each key's windows. The rule is the gate's; here is how a reservation becomes lasting before
//! anyone is let in on it.

use super::{Conn, Result};
use crate::values;
use rollcall_model::quota::{Claim, Counts, Grant, Window};

/// Settles many keys' claims in one transaction: what is given back, and what is reserved anew. They come in the
/// order of their keys, so that two processes never wait for each other.
pub fn settle(conn: &mut Conn, claims: &[Claim], now: i64) -> Result<Vec<Grant>> {
    conn.transaction(|conn| claims.iter().map(|claim| settle_one(conn, claim, now)).collect())
}

fn settle_one(conn: &mut Conn, claim: &Claim, now: i64) -> Result<Grant> {
    conn.execute(
        "insert into key_windows (key_n, minute_start, minute_used, day_start, day_used, month_start, month_used)
         values ($1, 0, 0, 0, 0, 0, 0) on conflict (key_n) do nothing",
        values![claim.key_n],
    )?;
    // PostgreSQL's other processes wait here; SQLite's waited for the transaction.
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let before = read(conn, claim.key_n, lock)?.unwrap_or_default();
    let grant = claim.settle(before, now);
    let after = grant.counts;
    if after != before {
        conn.execute(
            "update key_windows set minute_start = $2, minute_used = $3, day_start = $4, day_used = $5,
                                    month_start = $6, month_used = $7 where key_n = $1",
            values![
                claim.key_n,
                after.minute.start,
                i64::from(after.minute.used),
                after.day.start,
                i64::from(after.day.used),
                after.month.start,
                i64::from(after.month.used)
            ],
        )?;
    }
    Ok(grant)
}

/// How a key's windows stood when they were last written.
pub fn counts(conn: &mut Conn, key_n: i64) -> Result<Counts> {
    Ok(read(conn, key_n, "")?.unwrap_or_default())
}

fn read(conn: &mut Conn, key_n: i64, lock: &str) -> Result<Option<Counts>> {
    conn.first(
        &format!(
            "select minute_start, minute_used, day_start, day_used, month_start, month_used
             from key_windows where key_n = $1{lock}"
        ),
        values![key_n],
        |row| {
            let window = |column| Window {
                start: row.get(column),
                used: u32::try_from(row.get::<i64>(column + 1).max(0)).unwrap_or(u32::MAX),
            };
            Counts { minute: window(0), day: window(2), month: window(4) }
        },
    )
}
