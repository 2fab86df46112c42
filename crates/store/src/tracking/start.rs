//! Starts to track servers, and plans their first polls.

use crate::samples::ALL_SERVERS;
use crate::{Conn, Result, Value, values};

/// Starts to track the servers changed after `rev` that are not tracked yet, and the sum of all servers. Returns the number of
/// servers. `first_due` returns when each is polled first, and also when each is polled next after the schedule was lost.
pub fn start_tracking(conn: &mut Conn, rev: i64, first_due: impl Fn(i64, usize) -> i64) -> Result<usize> {
    let mut new: Vec<i64> = conn.query(
        "select s.n from servers s where s.rev > $1 and s.is_tracked
         and not exists (select 1 from tracking t where t.server_n = s.n) order by s.n",
        values![rev],
        |row| row.get(0),
    )?;
    let all_servers =
        conn.query_optional("select 1 from tracking where server_n = $1", values![ALL_SERVERS], |_| ())?;
    let count = new.len();
    if all_servers.is_none() {
        new.push(ALL_SERVERS);
    }
    let rows: Vec<Vec<Value>> = new.iter().map(|n| values![*n].to_vec()).collect();
    conn.execute_many(
        "insert into tracking (server_n, sample_online, sample_players, sample_pause, failures, form, icon_hash, motd_hash,
                               pictured_at, note)
         select v.column1, false, 0, 0, 0, '', '', '', 0, '' from (values {rows}) v where true
         on conflict (server_n) do nothing",
        &["bigint"],
        &rows,
    )?;
    if !has_schedule(conn)? {
        let unplanned = "select server_n from tracking where server_n not in (select server_n from poll_schedule)";
        new = conn.query(unplanned, &[], |row| row.get(0))?;
    }
    let due: Vec<Vec<Value>> = new.iter().map(|n| values![*n, first_due(*n, new.len())].to_vec()).collect();
    conn.execute_many(
        "insert into poll_schedule (server_n, due_at) select v.column1, v.column2 from (values {rows}) v where true
         on conflict (server_n) do nothing",
        &["bigint"; 2],
        &due,
    )?;
    Ok(count)
}

/// Starts to track a server that was just added and has replied from this IP address, which others are compared with before its first
/// poll. Call it in a transaction.
pub fn start_tracking_at(conn: &mut Conn, server_n: i64, address: &str, now: i64) -> Result<()> {
    conn.execute(
        "insert into tracking (server_n, sample_online, sample_players, sample_pause, failures, form, icon_hash, motd_hash,
                               pictured_at, note, address)
         values ($1, false, 0, 0, 0, '', '', '', 0, '', $2) on conflict (server_n) do nothing",
        values![server_n, address],
    )?;
    conn.execute(
        "insert into poll_schedule (server_n, due_at) values ($1, $2) on conflict (server_n) do nothing",
        values![server_n, now],
    )?;
    Ok(())
}

/// Whether polls are planned. PostgreSQL loses the schedule when it crashes; it has always had the sum of all servers before.
pub fn has_schedule(conn: &mut Conn) -> Result<bool> {
    let sql = "select 1 from poll_schedule where server_n = $1";
    Ok(conn.query_optional(sql, values![ALL_SERVERS], |_| ())?.is_some())
}

/// The number of tracked servers, including the sum of all servers.
pub fn count(conn: &mut Conn) -> Result<i64> {
    conn.query_one("select count(*) from tracking", &[], |row| row.get(0))
}
