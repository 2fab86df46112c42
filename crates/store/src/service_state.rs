//! The state of the service, for its operators: tracker, outages and storage.

use super::{Conn, Result, samples::ALL_SERVERS};
use crate::values;
use rollcall_model::time::{MINUTE, SECOND};

/// A poll that is due for longer than this is overdue. The tracker claims due polls four times a second.
const OVERDUE_AFTER: i64 = 5 * SECOND;

/// How far the tracker is behind its schedule, and what its last pings found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrackerReport {
    pub servers: i64,
    pub tracked: i64,
    /// Tracked servers that answered their last ping.
    pub online: i64,
    pub pinged_last_minute: i64,
    pub last_ping: Option<i64>,
    /// Polls that should have begun seconds ago.
    pub overdue: i64,
    /// Milliseconds since the poll that is due for longest should have begun; 0 if none is due.
    pub lag: i64,
}

pub fn tracker(conn: &mut Conn, now: i64) -> Result<TrackerReport> {
    let report = conn.query_one(
        "select count(*), count(case when is_tracked then 1 end), count(case when is_tracked and is_online then 1 end),
                count(case when last_ping > $1 then 1 end), max(last_ping) from servers",
        values![now - MINUTE],
        |row| TrackerReport {
            servers: row.get(0),
            tracked: row.get(1),
            online: row.get(2),
            pinged_last_minute: row.get(3),
            last_ping: row.get(4),
            ..TrackerReport::default()
        },
    )?;
    let (overdue, first_due) = conn.query_one(
        "select count(case when due_at <= $1 then 1 end), min(due_at) from poll_schedule where server_n <> $2",
        values![now - OVERDUE_AFTER, ALL_SERVERS],
        |row| (row.get(0), row.get::<Option<i64>>(1)),
    )?;
    Ok(TrackerReport { overdue, lag: first_due.map_or(0, |due| (now - due).max(0)), ..report })
}

/// A server that does not answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentOutage {
    pub slug: String,
    pub name: String,
    pub began_at: i64,
    pub reason: String,
}

/// The outages that last, newest first, and how many there are.
pub fn current_outages(conn: &mut Conn, limit: i64) -> Result<(Vec<CurrentOutage>, i64)> {
    // Begins with the few servers that are offline: the table of outages holds years.
    let open = "from servers s join outages o on o.server_n = s.n and o.ended_at is null
                where s.is_tracked and not s.is_online";
    let outages = conn.query(
        &format!("select s.slug, s.name, o.began_at, o.reason {open} order by o.began_at desc, s.slug limit $1"),
        values![limit],
        |row| CurrentOutage { slug: row.get(0), name: row.get(1), began_at: row.get(2), reason: row.get(3) },
    )?;
    let count = conn.query_one(&format!("select count(*) {open}"), &[], |row| row.get(0))?;
    Ok((outages, count))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccountReport {
    pub accounts: i64,
    pub keys: i64,
    pub open_limit_requests: i64,
}

pub fn accounts(conn: &mut Conn) -> Result<AccountReport> {
    let mut count = |sql: &str| conn.query_one(sql, &[], |row| row.get(0));
    Ok(AccountReport {
        accounts: count("select count(*) from logins")?,
        keys: count("select count(*) from keys")?,
        open_limit_requests: count("select count(*) from limit_requests where status = 'open'")?,
    })
}

/// The bytes of a database, and whether it is PostgreSQL.
pub fn database_size(conn: &mut Conn) -> Result<(i64, bool)> {
    let sql = if conn.is_postgres() {
        "select pg_database_size(current_database())"
    } else {
        "select page_count * page_size from pragma_page_count(), pragma_page_size()"
    };
    Ok((conn.query_one(sql, &[], |row| row.get(0))?, conn.is_postgres()))
}
