//! Indexes that a migration adds to a large table. PostgreSQL builds them before the transaction of the migration, so that reads and
//! writes of the table go on; in the transaction they exist already.

use super::{Conn, Result};
use crate::values;

/// How a migration marks such an index: `create index {online} NAME on …;` in one line.
const MARK: &str = "{online}";
const IS_VALID: &str =
    "select coalesce((select i.indisvalid from pg_index i where i.indexrelid = to_regclass($1)), false)";
const IS_BEING_BUILT: &str =
    "select exists (select 1 from pg_stat_progress_create_index where index_relid = to_regclass($1))";

/// The statements of a migration that build such indexes.
pub fn statements(migration: &str) -> impl Iterator<Item = &str> {
    migration.lines().filter(|line| line.contains(MARK) && !line.starts_with("--"))
}

/// The migration as it runs in a transaction.
pub fn in_transaction(migration: &str) -> String {
    migration.replace(MARK, "if not exists")
}

/// Builds the index of a statement, unless it is there. Another program may do the same at the same time.
pub fn build(conn: &mut Conn, statement: &str) -> Result<BuildOutcome> {
    let name = name(statement);
    if conn.query_one(IS_VALID, values![name], |row| row.get(0))? {
        return Ok(BuildOutcome::Built);
    }
    if conn.query_one(IS_BEING_BUILT, values![name], |row| row.get(0))? {
        return Ok(BuildOutcome::Busy);
    }
    // A program that ended while it built the index leaves one that is not valid.
    let outcome = conn
        .execute_batch(&format!("drop index concurrently if exists {name}"))
        .and_then(|()| conn.execute_batch(&statement.replace(MARK, "concurrently")));
    match outcome {
        Ok(()) => Ok(BuildOutcome::Built),
        Err(error) if error.is_lock_timeout() || error.is_lost_race() => Ok(BuildOutcome::Busy),
        Err(error) => Err(error),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum BuildOutcome {
    Built,
    /// Another program builds it, or holds a lock.
    Busy,
}

fn name(statement: &str) -> &str {
    let (_, rest) = statement.split_once(MARK).expect("statements() yields marked lines only");
    rest.split_whitespace().next().expect("an index has a name")
}
