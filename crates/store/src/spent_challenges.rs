//! Solutions of the human check that were accepted. A row is what makes a second use fail, on any machine and after any
//! restart.

use super::{Conn, Result, forget};
use crate::values;
use rollcall_model::time::HOUR;

/// A row outlives its solution by so much, so that a machine whose clock is behind finds it, too.
const KEPT: i64 = HOUR;

/// Marks a solution as spent; false if it was already. Accept it only in the same transaction.
pub fn spend(conn: &mut Conn, hash: &str, expires_at: i64, now: i64) -> Result<bool> {
    forget(conn, "spent_solutions", "hash", "expires_at", now - KEPT)?;
    let inserted = conn.execute(
        "insert into spent_solutions (hash, expires_at) values ($1, $2) on conflict (hash) do nothing",
        values![hash, expires_at],
    )?;
    Ok(inserted == 1)
}
