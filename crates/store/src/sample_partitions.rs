//! On PostgreSQL the samples of each UTC day are a partition. A partition is added before its day begins, and dropped when all its
//! samples are past their retention. Samples of other days are in the default partition, where they are deleted row by row.

use std::time::Duration;

use super::samples::{DEFAULT_PARTITION, RAW_RETENTION};
use super::{Conn, Error, Result, migrate};
use rollcall_model::time::DAY;

/// Days whose partitions exist in advance: no tracker may run for a while.
const AHEAD: i64 = 3;
/// Readers and writers wait behind a statement that waits for a lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// Work to do, by the number of the day since 1970.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionPlan {
    pub missing: Vec<i64>,
    pub expired: Vec<i64>,
}

/// Work to do now; none on SQLite.
pub fn plan(conn: &mut Conn, now: i64) -> Result<PartitionPlan> {
    if !conn.is_postgres() {
        return Ok(PartitionPlan::default());
    }
    let sql = "select cast(c.relname as text) from pg_inherits i join pg_class c on c.oid = i.inhrelid
               where i.inhparent = to_regclass('samples')";
    let names: Vec<String> = conn.query(sql, &[], |row| row.get(0))?;
    let days: Vec<i64> = names.iter().filter_map(|name| name.strip_prefix("samples_day_")?.parse().ok()).collect();
    let today = now.div_euclid(DAY);
    // Samples of today may be in the default partition.
    let missing = (today + 1..=today + AHEAD).filter(|day| !days.contains(day)).collect();
    let expired = days.into_iter().filter(|day| (day + 1) * DAY <= now - RAW_RETENTION).collect();
    Ok(PartitionPlan { missing, expired })
}

/// How a partition is added: one transaction after the other.
pub const STEPS: [fn(&mut Conn, i64) -> Result<()>; 3] = [exclude, validate, attach];

/// Keeps samples of the day out of the default partition.
fn exclude(conn: &mut Conn, day: i64) -> Result<()> {
    if begin(conn, day)? {
        let (from, to) = (day * DAY, (day + 1) * DAY);
        let name = constraint(day);
        conn.execute_batch(&format!(
            "alter table {DEFAULT_PARTITION} drop constraint if exists {name};
             alter table {DEFAULT_PARTITION} add constraint {name} check (at < {from} or at >= {to}) not valid"
        ))?;
    }
    Ok(())
}

/// Proves that there are none. Others read and write meanwhile, which they could not if [`attach`] had to look.
fn validate(conn: &mut Conn, day: i64) -> Result<()> {
    if begin(conn, day)? {
        conn.execute_batch(&format!("alter table {DEFAULT_PARTITION} validate constraint {}", constraint(day)))?;
    }
    Ok(())
}

fn attach(conn: &mut Conn, day: i64) -> Result<()> {
    if begin(conn, day)? {
        let (from, to) = (day * DAY, (day + 1) * DAY);
        let (table, name) = (table(day), constraint(day));
        conn.execute_batch(&format!(
            "create table {table} (like samples including defaults, primary key (server_n, at));
             alter table samples attach partition {table} for values from ({from}) to ({to});
             alter table {DEFAULT_PARTITION} drop constraint {name}"
        ))?;
    }
    Ok(())
}

/// Drops the partition of a day.
pub fn drop_partition(conn: &mut Conn, day: i64) -> Result<()> {
    begin(conn, day)?;
    conn.execute_batch(&format!("drop table if exists {}", table(day)))
}

/// Lets one process at a time change partitions. Returns whether the one of this day is still missing.
fn begin(conn: &mut Conn, day: i64) -> Result<bool> {
    migrate::lock_setup(conn)?;
    conn.execute_batch(&format!("set local lock_timeout = {}", LOCK_TIMEOUT.as_millis()))?;
    Ok(!migrate::has_table(conn, &table(day))?)
}

fn table(day: i64) -> String {
    format!("samples_day_{day}")
}

fn constraint(day: i64) -> String {
    format!("samples_rest_without_{day}")
}

/// Whether another try may succeed, because others held a lock.
pub fn is_busy(error: &Error) -> bool {
    error.is_lock_timeout()
}
