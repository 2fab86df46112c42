//! Change numbers, so that in-memory read models load only what changed.
//!
//! Every write transaction takes the next revision (`rev`) of the store and stamps it on the rows it changes; a reader loads the
//! rows with a higher `rev` than it has seen. The epoch changes when rows were deleted or too many changed to stamp: a reader
//! that sees a new epoch loads everything. API keys have their own revision and epoch.

use super::{Conn, Result, Value};
use crate::values;

/// The newest change of the store; compare it with the one seen before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreRevision {
    pub epoch: i64,
    pub rev: i64,
    /// PostgreSQL starts a new timeline when a replica is promoted, which may lack the last changes of the primary.
    pub timeline: i64,
}

impl StoreRevision {
    /// Whether the changes since `seen` are those with a higher `rev`. Otherwise everything may differ: rows were deleted, or
    /// changes that were seen are gone (a failover, a restored backup).
    pub fn continues(&self, seen: &Self) -> bool {
        self.epoch == seen.epoch && self.timeline == seen.timeline && self.rev >= seen.rev
    }
}

pub fn current(conn: &mut Conn) -> Result<StoreRevision> {
    read(conn, "store_state")
}

/// The revision of API keys and their secrets.
pub fn current_keys(conn: &mut Conn) -> Result<StoreRevision> {
    read(conn, "key_state")
}

/// The timeline is the first part of the name of a WAL file. A replica writes no WAL.
const POSTGRES_TIMELINE: &str = "case when pg_is_in_recovery() then 0
    else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint end";

fn read(conn: &mut Conn, table: &str) -> Result<StoreRevision> {
    let timeline = if conn.is_postgres() { POSTGRES_TIMELINE } else { "0" };
    let sql = format!("select epoch, rev, {timeline} from {table}");
    conn.query_one(&sql, &[], |row| StoreRevision { epoch: row.get(0), rev: row.get(1), timeline: row.get(2) })
}

/// Lower than any revision: every row changed after it.
pub const BEFORE_FIRST: i64 = -1;

/// The `order by` expression for rows changed after `rev`, sorted by `number`. For a few changed rows it is `+number`, an
/// expression without an index: otherwise SQLite scans the whole table in order instead of sorting those rows.
pub(super) fn order_by(rev: i64, number: &str) -> String {
    if rev == BEFORE_FIRST { number.to_owned() } else { format!("+{number}") }
}

/// Reads a whole table in row number order, one range of `width` numbers at a time; PostgreSQL would sort a full scan on disk.
/// `read` gets the exclusive start and inclusive end of a range and returns whether the range had rows.
pub(super) fn scan_ranges(
    conn: &mut Conn,
    table: &str,
    width: i64,
    mut read: impl FnMut(&mut Conn, &[Value]) -> Result<bool>,
) -> Result<()> {
    let next = format!("select min(n) from {table} where n > $1");
    let mut last = 0;
    loop {
        if read(conn, values![last, last + width])? {
            last += width;
            continue;
        }
        match conn.query_one(&next, values![last], |row| row.get::<Option<i64>>(0))? {
            Some(next) => last = next - 1,
            None => return Ok(()),
        }
    }
}

/// The revision to stamp on the rows of this transaction. It locks the counter until the commit, so that revisions become
/// visible in order: a reader that has seen R has seen every change up to R.
pub fn bump(conn: &mut Conn) -> Result<i64> {
    conn.query_one("update store_state set rev = rev + 1 returning rev", &[], |row| row.get(0))
}

/// Lets this transaction alone write, as [`bump`] does, for changes that no read model contains. A transaction of SQLite is
/// alone from its start.
pub(crate) fn lock(conn: &mut Conn) -> Result<()> {
    if conn.is_postgres() {
        conn.query_one("select rev from store_state for update", &[], |_| ())?;
    }
    Ok(())
}

/// Makes every read model load everything.
pub fn bump_epoch(conn: &mut Conn) -> Result<i64> {
    conn.query_one("update store_state set epoch = epoch + 1 returning epoch", &[], |row| row.get(0))
}

/// Locks the keys for this transaction. Every transaction that changes a key or secret calls this or [`bump_keys`] first:
/// locks taken in one order cannot deadlock.
pub fn lock_keys(conn: &mut Conn) -> Result<()> {
    conn.execute("update key_state set rev = rev", &[])?;
    Ok(())
}

/// Locks the keys and returns the revision to stamp on the changed key. A revision that no key carries makes readers load all
/// keys.
pub(crate) fn bump_keys(conn: &mut Conn) -> Result<i64> {
    conn.query_one("update key_state set rev = rev + 1 returning rev", &[], |row| row.get(0))
}

/// Locks the keys and makes readers load all of them: keys were deleted, or any of them may have changed.
pub fn bump_key_epoch(conn: &mut Conn) -> Result<()> {
    conn.execute("update key_state set epoch = epoch + 1", &[])?;
    Ok(())
}
