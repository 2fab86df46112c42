//! Passes for the playground, and what each client address has used of it. A run is taken from both or from neither.

use super::{Conn, Result, forget};
use crate::values;
use rollcall_model::quota::Limits;
use rollcall_model::quota::{Counts, Standing, Window};
use rollcall_model::time::{DAY, HOUR, start_of_day};

pub struct NewPass<'a> {
    pub hash: &'a str,
    pub address: &'a str,
    pub runs: u32,
    pub expires_at: i64,
}

/// What comes of asking for a run.
#[derive(Debug)]
pub enum Run {
    Taken {
        runs_left: i64,
        standing: Standing,
    },
    /// The address has used up its minute or day; the pass is untouched.
    Full(Standing),
    /// Unknown, used up, expired, or another address's.
    NoPass,
}

pub fn issue(conn: &mut Conn, pass: &NewPass, now: i64) -> Result<()> {
    forget(conn, "playground_passes", "hash", "expires_at", now - HOUR)?;
    conn.execute(
        "insert into playground_passes (hash, address, runs_left, expires_at) values ($1, $2, $3, $4)",
        values![pass.hash, pass.address, i64::from(pass.runs), pass.expires_at],
    )?;
    Ok(())
}

/// Takes one run, in one transaction. Whoever has no pass writes nothing.
pub fn take(conn: &mut Conn, hash: &str, address: &str, limits: Limits, now: i64) -> Result<Run> {
    conn.transaction(|conn| {
        let good = "hash = $1 and address = $2 and runs_left > 0 and expires_at > $3";
        let known =
            conn.first(&format!("select 1 from playground_passes where {good}"), values![hash, address, now], |_| ())?;
        if known.is_none() {
            return Ok(Run::NoPass);
        }
        forget(conn, "playground_windows", "address", "day_start", start_of_day(now) - DAY)?;
        let (counts, standing) = read(conn, address)?.take_one(limits, now);
        if standing.retry_after.is_some() {
            return Ok(Run::Full(standing));
        }
        // Others with the same pass waited for the address's row, and may have taken the last run.
        let left = conn.first(
            &format!("update playground_passes set runs_left = runs_left - 1 where {good} returning runs_left"),
            values![hash, address, now],
            |row| row.get(0),
        )?;
        let Some(runs_left) = left else { return Ok(Run::NoPass) };
        write(conn, address, counts)?;
        Ok(Run::Taken { runs_left, standing })
    })
}

/// The address's windows, held until the transaction ends. There is none of the month.
fn read(conn: &mut Conn, address: &str) -> Result<Counts> {
    conn.execute(
        "insert into playground_windows (address, minute_start, minute_used, day_start, day_used)
         values ($1, 0, 0, 0, 0) on conflict (address) do nothing",
        values![address],
    )?;
    let lock = if conn.is_postgres() { " for update" } else { "" };
    conn.one(
        &format!(
            "select minute_start, minute_used, day_start, day_used from playground_windows where address = $1{lock}"
        ),
        values![address],
        |row| {
            let window = |column| Window {
                start: row.get(column),
                used: u32::try_from(row.get::<i64>(column + 1).max(0)).unwrap_or(u32::MAX),
            };
            Counts { minute: window(0), day: window(2), month: Window::default() }
        },
    )
}

fn write(conn: &mut Conn, address: &str, counts: Counts) -> Result<()> {
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
