//! Periods in which a server was unreachable.

use super::{Conn, Result, Value};
use crate::values;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outage {
    pub began_at: i64,
    /// `None` while it lasts.
    pub ended_at: Option<i64>,
    pub reason: String,
}

/// Opens outages: `(server_n, since, reason)`. A server with an open outage keeps it.
pub fn begin(conn: &mut Conn, outages: &[(i64, i64, &str)]) -> Result<()> {
    let rows: Vec<Vec<Value>> = outages.iter().map(|(n, at, reason)| values![*n, *at, *reason].to_vec()).collect();
    conn.execute_many(
        "insert into outages (server_n, began_at, reason)
         select v.column1, v.column2, v.column3 from (values {rows}) v
         where not exists (select 1 from outages o where o.server_n = v.column1 and o.ended_at is null)
         on conflict (server_n, began_at) do nothing",
        &["bigint", "bigint", "text"],
        &rows,
    )
}

/// Closes the open outages of servers that respond again: `(server_n, since)`.
pub fn end(conn: &mut Conn, answered: &[(i64, i64)]) -> Result<()> {
    let rows: Vec<Vec<Value>> = answered.iter().map(|(n, at)| values![*n, *at].to_vec()).collect();
    conn.execute_many(
        "update outages set ended_at = v.column2 from (values {rows}) v
         where outages.server_n = v.column1 and outages.ended_at is null",
        &["bigint", "bigint"],
        &rows,
    )
}

/// Newest first.
pub fn of_server(conn: &mut Conn, server_n: i64, limit: i64) -> Result<Vec<Outage>> {
    began_before(conn, server_n, i64::MAX, limit)
}

/// Those that began before `end`, newest first.
pub fn began_before(conn: &mut Conn, server_n: i64, end: i64, limit: i64) -> Result<Vec<Outage>> {
    conn.query(
        "select began_at, ended_at, reason from outages
         where server_n = $1 and began_at < $2 order by began_at desc limit $3",
        values![server_n, end, limit],
        |row| Outage { began_at: row.get(0), ended_at: row.get(1), reason: row.get(2) },
    )
}
