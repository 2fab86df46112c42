//! Quota reservations of API keys. [`rollcall_model::quota`] has the rules; this module commits a reservation before any request
//! is admitted from it.

use super::{Conn, Result};
use crate::values;
use rollcall_model::quota::{Holders, LedgerEntry, QuotaCounts, QuotaWindow, Reservation, ReservationRequest};

/// Values of `holder` besides the number of a process, which is positive.
const NO_HOLDER: i64 = 0;
const SEVERAL_HOLDERS: i64 = -1;

/// Settles the requests of a process for many keys in one transaction. They must be sorted by key, so that two processes
/// cannot deadlock.
pub fn settle(conn: &mut Conn, process: i64, requests: &[ReservationRequest], now: i64) -> Result<Vec<Reservation>> {
    conn.transaction(|conn| requests.iter().map(|request| settle_one(conn, process, request, now)).collect())
}

/// The keys whose unused requests a process waits for.
pub fn recalled(conn: &mut Conn) -> Result<Vec<i64>> {
    conn.query("select key_n from key_windows where recalled = 1 order by key_n", &[], |row| row.get(0))
}

fn settle_one(conn: &mut Conn, process: i64, request: &ReservationRequest, now: i64) -> Result<Reservation> {
    conn.execute(
        "insert into key_windows (key_n, minute_start, minute_used, day_start, day_used, month_start, month_used)
         values ($1, 0, 0, 0, 0, 0, 0) on conflict (key_n) do nothing",
        values![request.key_n],
    )?;
    // On PostgreSQL other processes wait here; on SQLite they wait for the transaction.
    let lock = if conn.is_postgres() { " for update" } else { "" };
    let before = read(conn, request.key_n, lock)?.unwrap_or_default();
    let (after, reservation) = request.settle(before, process, now);
    if after != before {
        write(conn, request.key_n, &after)?;
    }
    Ok(reservation)
}

fn write(conn: &mut Conn, key_n: i64, entry: &LedgerEntry) -> Result<()> {
    let LedgerEntry { counts, holders, is_recalled } = entry;
    let holder = match holders {
        Holders::None => NO_HOLDER,
        Holders::One(process) => *process,
        Holders::Several => SEVERAL_HOLDERS,
    };
    conn.execute(
        "update key_windows set minute_start = $2, minute_used = $3, day_start = $4, day_used = $5,
                                month_start = $6, month_used = $7, holder = $8, recalled = $9 where key_n = $1",
        values![
            key_n,
            counts.minute.start,
            i64::from(counts.minute.used),
            counts.day.start,
            i64::from(counts.day.used),
            counts.month.start,
            i64::from(counts.month.used),
            holder,
            i64::from(*is_recalled)
        ],
    )?;
    Ok(())
}

/// The stored counts of a key.
pub fn counts(conn: &mut Conn, key_n: i64) -> Result<QuotaCounts> {
    Ok(read(conn, key_n, "")?.unwrap_or_default().counts)
}

fn read(conn: &mut Conn, key_n: i64, lock: &str) -> Result<Option<LedgerEntry>> {
    conn.query_optional(
        &format!(
            "select minute_start, minute_used, day_start, day_used, month_start, month_used, holder, recalled
             from key_windows where key_n = $1{lock}"
        ),
        values![key_n],
        |row| {
            let window = |column| QuotaWindow {
                start: row.get(column),
                used: u32::try_from(row.get::<i64>(column + 1).max(0)).unwrap_or(u32::MAX),
            };
            let holders = match row.get(6) {
                NO_HOLDER => Holders::None,
                SEVERAL_HOLDERS => Holders::Several,
                process => Holders::One(process),
            };
            let counts = QuotaCounts { minute: window(0), day: window(2), month: window(4) };
            LedgerEntry { counts, holders, is_recalled: row.get::<i64>(7) != 0 }
        },
    )
}
