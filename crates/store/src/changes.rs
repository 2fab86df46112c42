//! The numbers that say what changed, so that read models load only that.

use super::{Conn, Result, Value};
use crate::values;

/// What a read model compares with what it has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub epoch: i64,
    pub rev: i64,
}

pub fn state(conn: &mut Conn) -> Result<State> {
    conn.one("select epoch, rev from store_state", &[], |row| State { epoch: row.get(0), rev: row.get(1) })
}

/// The same for keys and their secrets, which have numbers of their own.
pub fn key_state(conn: &mut Conn) -> Result<State> {
    conn.one("select epoch, rev from key_state", &[], |row| State { epoch: row.get(0), rev: row.get(1) })
}

/// Below any rev: every row changed after it.
pub const START: i64 = -1;

/// What rows changed after `rev` are ordered by, to come in the order of `number`. SQLite would walk a whole table to spare
/// itself the sorting of the few that changed; a sum is in no order that it knows.
pub(super) fn in_order(rev: i64, number: &str) -> String {
    if rev == START { number.to_owned() } else { format!("+{number}") }
}

/// Reads a whole table in the order of its row numbers, a span of them at a time, which PostgreSQL has in order: it would
/// put a table that is asked for at once in order on the disk. `read` is given the numbers that a span lies after and
/// reaches up to, and says whether there were any rows.
pub(super) fn in_spans(
    conn: &mut Conn,
    table: &str,
    at_once: i64,
    mut read: impl FnMut(&mut Conn, &[Value]) -> Result<bool>,
) -> Result<()> {
    let next = format!("select min(n) from {table} where n > $1");
    let mut last = 0;
    loop {
        if read(conn, values![last, last + at_once])? {
            last += at_once;
            continue;
        }
        match conn.one(&next, values![last], |row| row.get::<Option<i64>>(0))? {
            Some(next) => last = next - 1,
            None => return Ok(()),
        }
    }
}

/// The number to stamp on the rows of this transaction. The row stays locked until it commits, so that numbers
/// become visible in their order: whoever has seen R has seen every change up to R.
pub fn raise(conn: &mut Conn) -> Result<i64> {
    conn.one("update store_state set rev = rev + 1 returning rev", &[], |row| row.get(0))
}

/// Everything may have changed: read models load anew.
pub fn raise_epoch(conn: &mut Conn) -> Result<i64> {
    conn.one("update store_state set epoch = epoch + 1 returning epoch", &[], |row| row.get(0))
}

/// To be called first in every transaction that changes a key or a secret, or looks before it does: whoever comes at the same
/// time waits here. Locks that are taken in one order never wait in a circle.
pub fn hold_keys(conn: &mut Conn) -> Result<()> {
    conn.execute("update key_state set rev = rev", &[])?;
    Ok(())
}

/// The same, for the number to stamp on the key. One that no key bears has all of them loaded.
pub fn raise_keys(conn: &mut Conn) -> Result<i64> {
    conn.one("update key_state set rev = rev + 1 returning rev", &[], |row| row.get(0))
}

/// The same for one after which keys are gone, or any of them may be another.
pub fn raise_key_epoch(conn: &mut Conn) -> Result<()> {
    conn.execute("update key_state set epoch = epoch + 1", &[])?;
    Ok(())
}
