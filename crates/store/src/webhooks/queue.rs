//! Deliveries that are not finished. Those of one lane (a server, or everything without one) are sent in the order of their events: the
//! first is `waiting` or `sending`, the others are `queued`. Every change of them locks the row of the endpoint first.

use crate::{Conn, Result, values};

/// Deliveries of one endpoint that are not finished. Beyond this the cursor waits.
pub const MAX_OPEN: i64 = 1_000;

/// Locks an endpoint until the end of the transaction. `None` if it does not exist.
pub(super) fn lock<T>(conn: &mut Conn, n: i64, columns: &str, read: impl FnMut(&crate::Row) -> T) -> Result<Option<T>> {
    let lock = if conn.is_postgres() { " for update" } else { "" };
    conn.query_optional(&format!("select {columns} from webhooks where n = $1{lock}"), values![n], read)
}

pub(super) fn count_open(conn: &mut Conn, webhook_n: i64) -> Result<i64> {
    let sql = "select count(*) from webhook_deliveries where webhook_n = $1 and queue_n is not null";
    conn.query_one(sql, values![webhook_n], |row| row.get(0))
}

/// Makes the first delivery of each lane without one due at `due_at`.
pub(super) fn promote_all(conn: &mut Conn, webhook_n: i64, due_at: i64) -> Result<()> {
    conn.execute(
        "update webhook_deliveries set state = 'waiting', due_at = $2 where n in (
             select q.n from webhook_deliveries q
             where q.webhook_n = $1 and q.queue_n is not null and q.state = 'queued' and not exists (
                 select 1 from webhook_deliveries o where o.webhook_n = $1 and o.lane = q.lane and o.queue_n is not null
                   and (o.state <> 'queued' or o.queue_n < q.queue_n)))",
        values![webhook_n, due_at],
    )?;
    Ok(())
}

/// Makes the next delivery of a lane due, whose first one was finished.
pub(super) fn promote_next(conn: &mut Conn, webhook_n: i64, lane: i64, due_at: i64) -> Result<()> {
    conn.execute(
        "update webhook_deliveries set state = 'waiting', due_at = $3
         where state = 'queued' and n = (
             select n from webhook_deliveries where webhook_n = $1 and lane = $2 and queue_n is not null
             order by queue_n limit 1)",
        values![webhook_n, lane, due_at],
    )?;
    Ok(())
}

/// Makes everything due that waits for its next attempt.
pub(super) fn wake(conn: &mut Conn, webhook_n: i64, now: i64) -> Result<()> {
    conn.execute(
        "update webhook_deliveries set due_at = $2
         where webhook_n = $1 and queue_n is not null and state = 'waiting' and due_at > $2",
        values![webhook_n, now],
    )?;
    Ok(())
}

/// Lets everything that waits for its next attempt wait at least until `until`.
pub(super) fn postpone(conn: &mut Conn, webhook_n: i64, until: i64) -> Result<()> {
    conn.execute(
        "update webhook_deliveries set due_at = $2
         where webhook_n = $1 and queue_n is not null and state = 'waiting' and due_at < $2",
        values![webhook_n, until],
    )?;
    Ok(())
}

/// Ends everything that is not being sent, for this reason.
pub(super) fn cancel_all(conn: &mut Conn, webhook_n: i64, reason: &str, now: i64) -> Result<()> {
    conn.execute(
        "update webhook_deliveries set state = 'cancelled', queue_n = null, due_at = null, error = $2, updated_at = $3
         where webhook_n = $1 and queue_n is not null and state <> 'sending'",
        values![webhook_n, reason, now],
    )?;
    Ok(())
}
