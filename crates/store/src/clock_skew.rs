//! Compares this machine's clock with that of PostgreSQL: several nodes write times into the same rows.

use super::{Conn, Error, Result};
use rollcall_model::clock::Clock;
use rollcall_model::time::SECOND;

/// A larger difference is an error. Polls are planned to the second.
pub const MAX_SKEW: i64 = 2 * SECOND;

const POSTGRES_CLOCK: &str = "select (extract(epoch from clock_timestamp()) * 1000)::bigint";

/// Milliseconds by which `clock` is ahead of the database's, as far as is certain: the answer takes some time. SQLite has no clock
/// of its own, and one that tests set is right by definition.
pub fn measure(conn: &mut Conn, clock: &Clock) -> Result<i64> {
    if !conn.is_postgres() || !matches!(clock, Clock::System) {
        return Ok(0);
    }
    let before = clock.now();
    let database: i64 = conn.query_one(POSTGRES_CLOCK, &[], |row| row.get(0))?;
    let after = clock.now();
    Ok((before - database).max(0) + (after - database).min(0))
}

/// An error if the clocks differ too much.
pub fn check(conn: &mut Conn, clock: &Clock) -> Result<()> {
    refuse(measure(conn, clock)?)
}

/// An error if the clocks differ by too many milliseconds. What is written with a wrong time would stop all nodes until that time.
pub fn refuse(skew: i64) -> Result<()> {
    if skew.abs() <= MAX_SKEW {
        return Ok(());
    }
    let (seconds, direction) = (skew.abs() / SECOND, if skew > 0 { "ahead of" } else { "behind" });
    Err(Error::ClockSkew(format!("the clock of this machine is {seconds} s {direction} that of the database")))
}
