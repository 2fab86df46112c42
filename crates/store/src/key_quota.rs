//! Quota reservations of API keys. [`rollcall_model::quota`] has the rules; this module commits a reservation before any request
//! is admitted from it.

use super::{Conn, Result};
use crate::values;
use rollcall_model::quota::{QuotaCounts, QuotaWindow, Reservation, ReservationRequest};

/// Settles the requests of many keys in one transaction. They must be sorted by key, so that two processes cannot deadlock.
pub fn settle(conn: &mut Conn, requests: &[ReservationRequest], now: i64) -> Result<Vec<Reservation>> {
    conn.transaction(|conn| requests.iter().map(|request| settle_one(conn, request, now)).collect())
}

fn settle_one(conn: &mut Conn, request: &ReservationRequest, now: i64) -> Result<Reservation> {
    conn.execute(
        "insert into key_windows (key_n, minute_start, minute_used, day_start, day_used, month_start, month_used)
         values ($1, 0, 0, 0, 0, 0, 0) on conflict (key_n) do nothing",
        values![request.key_n],
    )?;
    // On PostgreSQL other processes wait here; on SQLite they wait for the transaction.
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let before = read(conn, request.key_n, lock)?.unwrap_or_default();
    let reservation = request.settle(before, now);
    let after = reservation.counts;
    if after != before {
        conn.execute(
            "update key_windows set minute_start = $2, minute_used = $3, day_start = $4, day_used = $5,
                                    month_start = $6, month_used = $7 where key_n = $1",
            values![
                request.key_n,
                after.minute.start,
                i64::from(after.minute.used),
                after.day.start,
                i64::from(after.day.used),
                after.month.start,
                i64::from(after.month.used)
            ],
        )?;
    }
    Ok(reservation)
}

/// The stored counts of a key.
pub fn counts(conn: &mut Conn, key_n: i64) -> Result<QuotaCounts> {
    Ok(read(conn, key_n, "")?.unwrap_or_default())
}

fn read(conn: &mut Conn, key_n: i64, lock: &str) -> Result<Option<QuotaCounts>> {
    conn.query_optional(
        &format!(
            "select minute_start, minute_used, day_start, day_used, month_start, month_used
             from key_windows where key_n = $1{lock}"
        ),
        values![key_n],
        |row| {
            let window = |column| QuotaWindow {
                start: row.get(column),
                used: u32::try_from(row.get::<i64>(column + 1).max(0)).unwrap_or(u32::MAX),
            };
            QuotaCounts { minute: window(0), day: window(2), month: window(4) }
        },
    )
}
