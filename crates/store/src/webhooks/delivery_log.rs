//! The delivery log of an endpoint for its user, and redelivery.

use super::fan_out::GIVE_UP_AFTER;
use super::queue;
use crate::{Conn, Result, Row, values};
use rollcall_model::time::DAY;
use rollcall_model::webhook::WebhookType;

/// How long finished deliveries are kept.
pub const KEPT: i64 = 30 * DAY;
/// Finished deliveries of one endpoint; older ones are deleted.
pub const MAX_FINISHED: i64 = 1_000;
/// Rows deleted at once, so that other writers need not wait long.
const DELETE_ROWS: i64 = 2_000;

/// A delivery without its bodies.
#[derive(Clone, Debug)]
pub struct DeliveryRecord {
    pub n: i64,
    pub message_id: String,
    /// `None` if a newer version wrote it.
    pub kind: Option<WebhookType>,
    pub server: Option<String>,
    pub state: String,
    pub attempts: i64,
    /// 0: no response.
    pub status: i64,
    pub error: String,
    /// When it is sent next; only while it waits.
    pub due_at: Option<i64>,
    pub created_at: i64,
    pub updated_at: i64,
    /// A test cannot be sent again.
    pub is_test: bool,
}

const COLUMNS: &str = "d.n, d.message_id, d.kind, s.name, d.state, d.attempts, d.status, d.error,
    case when d.state = 'waiting' then d.due_at end, d.created_at, d.updated_at, d.event_n is null";

fn read(row: &Row) -> DeliveryRecord {
    DeliveryRecord {
        n: row.get(0),
        message_id: row.get(1),
        kind: WebhookType::of_code(row.get(2)),
        server: row.get(3),
        state: row.get(4),
        attempts: row.get(5),
        status: row.get(6),
        error: row.get(7),
        due_at: row.get(8),
        created_at: row.get(9),
        updated_at: row.get(10),
        is_test: row.get(11),
    }
}

/// The newest deliveries before a place in the log: the time of the last change and the number.
pub fn page(
    conn: &mut Conn,
    webhook_n: i64,
    before: Option<(i64, i64)>,
    state: Option<&str>,
    limit: i64,
) -> Result<Vec<DeliveryRecord>> {
    let (at, n) = before.unwrap_or((i64::MAX, i64::MAX));
    let is_wanted = if state.is_some() { "d.state = $5" } else { "$5 = ''" };
    let sql = format!(
        "select {COLUMNS} from webhook_deliveries d left join servers s on s.n = d.lane
         where d.webhook_n = $1 and (d.updated_at < $2 or (d.updated_at = $2 and d.n < $3)) and {is_wanted}
         order by d.updated_at desc, d.n desc limit $4"
    );
    conn.query(&sql, values![webhook_n, at, n, limit, state.unwrap_or_default()], read)
}

/// `(state, deliveries)` of an endpoint.
pub fn count_by_state(conn: &mut Conn, webhook_n: i64) -> Result<Vec<(String, i64)>> {
    let sql = "select state, count(*) from webhook_deliveries where webhook_n = $1 group by state order by state";
    conn.query(sql, values![webhook_n], |row| (row.get(0), row.get(1)))
}

/// A delivery with the bodies of its last attempt.
pub struct DeliveryDetail {
    pub record: DeliveryRecord,
    pub request: String,
    pub response: String,
}

pub fn find(conn: &mut Conn, webhook_n: i64, n: i64) -> Result<Option<DeliveryDetail>> {
    let sql = format!(
        "select {COLUMNS}, d.request, d.response from webhook_deliveries d left join servers s on s.n = d.lane
         where d.webhook_n = $1 and d.n = $2"
    );
    conn.query_optional(&sql, values![webhook_n, n], |row| DeliveryDetail {
        record: read(row),
        request: row.get(12),
        response: row.get(13),
    })
}

/// Sends a finished delivery again, or one that waits for its next attempt now. False if there is none, or the endpoint gets nothing.
/// Call it in a transaction.
pub fn resend(conn: &mut Conn, webhook_n: i64, n: i64, now: i64) -> Result<bool> {
    let state = queue::lock(conn, webhook_n, "state", |row| row.get::<String>(0))?;
    if state.as_deref() != Some("active") {
        return Ok(false);
    }
    let again = conn.execute(
        "update webhook_deliveries
         set state = 'queued', queue_n = event_n, attempts = 0, give_up_at = $3, error = '', updated_at = $4
         where webhook_n = $1 and n = $2 and queue_n is null and event_n is not null",
        values![webhook_n, n, now + GIVE_UP_AFTER, now],
    )?;
    let sooner = conn.execute(
        "update webhook_deliveries set due_at = $3
         where webhook_n = $1 and n = $2 and queue_n is not null and state = 'waiting' and due_at > $3",
        values![webhook_n, n, now],
    )?;
    if again + sooner > 0 {
        conn.execute("update webhooks set retry_at = 0 where n = $1", values![webhook_n])?;
        queue::promote_all(conn, webhook_n, now)?;
    }
    Ok(again + sooner > 0)
}

/// Endpoints with so many deliveries that [`delete_old`] may have something to do.
pub fn overfull(conn: &mut Conn) -> Result<Vec<i64>> {
    let sql = "select webhook_n from webhook_deliveries group by webhook_n having count(*) > $1";
    conn.query(sql, values![MAX_FINISHED], |row| row.get(0))
}

/// Whether deliveries are older than [`KEPT`].
pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from webhook_deliveries where updated_at < $1 and queue_n is null limit 1";
    Ok(conn.query_optional(sql, values![now - KEPT], |_| ())?.is_some())
}

/// Deletes finished deliveries that are too old, and those of `overfull` endpoints that are too many; true if there may be more. Call it
/// in a transaction.
pub fn delete_old(conn: &mut Conn, overfull: &[i64], now: i64) -> Result<bool> {
    // Of several nodes, each deletes what the others do not.
    let lock = if conn.is_postgres() { " for update skip locked" } else { "" };
    let sql = format!(
        "delete from webhook_deliveries where n in (
             select n from webhook_deliveries where updated_at < $1 and queue_n is null order by updated_at limit $2{lock})"
    );
    let mut is_more = conn.execute(&sql, values![now - KEPT, DELETE_ROWS])?.cast_signed() == DELETE_ROWS;
    let surplus = format!(
        "delete from webhook_deliveries where n in (
             select n from webhook_deliveries where webhook_n = $1 and queue_n is null
             order by updated_at desc, n desc limit $3 offset $2{lock})"
    );
    for webhook_n in overfull {
        let deleted = conn.execute(&surplus, values![*webhook_n, MAX_FINISHED, DELETE_ROWS])?;
        is_more |= deleted.cast_signed() == DELETE_ROWS;
    }
    Ok(is_more)
}
