//! Playground passes, and the quota of each client IP. A run uses up one of both or none.

use super::{Conn, Result, delete_some_before};
use crate::values;
use rollcall_model::quota::{Limits, QuotaCounts, QuotaStatus, QuotaWindow};
use rollcall_model::time::{DAY, HOUR, start_of_day};

pub struct NewPass<'a> {
    pub hash: &'a str,
    pub address: &'a str,
    pub runs: u32,
    pub expires_at: i64,
}

/// The result of [`use_run`].
#[derive(Debug)]
pub enum RunOutcome {
    Accepted {
        runs_left: i64,
        quota_status: QuotaStatus,
    },
    /// The client IP has used up its minute or day; the pass keeps its run.
    QuotaExhausted(QuotaStatus),
    /// The pass is unknown, used up, expired or of another IP.
    NoPass,
}

pub fn issue(conn: &mut Conn, pass: &NewPass, now: i64) -> Result<()> {
    delete_some_before(conn, "playground_passes", "hash", "expires_at", now - HOUR)?;
    conn.execute(
        "insert into playground_passes (hash, address, runs_left, expires_at) values ($1, $2, $3, $4)",
        values![pass.hash, pass.address, i64::from(pass.runs), pass.expires_at],
    )?;
    Ok(())
}

/// Uses one run, in one transaction. Without a valid pass nothing is written.
pub fn use_run(conn: &mut Conn, hash: &str, address: &str, limits: Limits, now: i64) -> Result<RunOutcome> {
    conn.transaction(|conn| {
        let valid = "hash = $1 and address = $2 and runs_left > 0 and expires_at > $3";
        let known = conn.query_optional(
            &format!("select 1 from playground_passes where {valid}"),
            values![hash, address, now],
            |_| (),
        )?;
        if known.is_none() {
            return Ok(RunOutcome::NoPass);
        }
        delete_some_before(conn, "playground_windows", "address", "day_start", start_of_day(now) - DAY)?;
        let (counts, quota_status) = read_locked(conn, address)?.admit_one(limits, now);
        if quota_status.retry_after.is_some() {
            return Ok(RunOutcome::QuotaExhausted(quota_status));
        }
        // A concurrent request with the same pass may have used the last run.
        let left = conn.query_optional(
            &format!("update playground_passes set runs_left = runs_left - 1 where {valid} returning runs_left"),
            values![hash, address, now],
            |row| row.get(0),
        )?;
        let Some(runs_left) = left else { return Ok(RunOutcome::NoPass) };
        write(conn, address, counts)?;
        Ok(RunOutcome::Accepted { runs_left, quota_status })
    })
}

/// Reads the counts of an IP and locks them until the transaction ends. There is no monthly window.
fn read_locked(conn: &mut Conn, address: &str) -> Result<QuotaCounts> {
    conn.execute(
        "insert into playground_windows (address, minute_start, minute_used, day_start, day_used)
         values ($1, 0, 0, 0, 0) on conflict (address) do nothing",
        values![address],
    )?;
    let lock = if conn.is_postgres() { " for update" } else { "" };
    conn.query_one(
        &format!(
            "select minute_start, minute_used, day_start, day_used from playground_windows where address = $1{lock}"
        ),
        values![address],
        |row| {
            let window = |column| QuotaWindow {
                start: row.get(column),
                used: u32::try_from(row.get::<i64>(column + 1).max(0)).unwrap_or(u32::MAX),
            };
            QuotaCounts { minute: window(0), day: window(2), month: QuotaWindow::default() }
        },
    )
}

fn write(conn: &mut Conn, address: &str, counts: QuotaCounts) -> Result<()> {
    conn.execute(
        "update playground_windows set minute_start = $2, minute_used = $3, day_start = $4, day_used = $5
         where address = $1",
        values![
            address,
            counts.minute.start,
            i64::from(counts.minute.used),
            counts.day.start,
            i64::from(counts.day.used)
        ],
    )?;
    Ok(())
}
