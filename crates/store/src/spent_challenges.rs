//! Accepted captcha solutions. A stored row makes a second use fail, on any machine and after a restart.

use super::{Conn, Result, delete_some_before};
use crate::values;
use rollcall_model::time::HOUR;

/// A row outlives its solution by this much, for machines whose clock is behind.
const RETENTION: i64 = HOUR;

/// Marks a solution as spent; false if it already was. Accept the solution in the same transaction.
pub fn spend(conn: &mut Conn, hash: &str, expires_at: i64, now: i64) -> Result<bool> {
    delete_some_before(conn, "spent_solutions", "hash", "expires_at", now - RETENTION)?;
    let inserted = conn.execute(
        "insert into spent_solutions (hash, expires_at) values ($1, $2) on conflict (hash) do nothing",
        values![hash, expires_at],
    )?;
    Ok(inserted == 1)
}
