//! Sending: a delivery is claimed in a transaction of its own, with a lease. If the node dies, the lease ends and the delivery is sent
//! again, with the same id: at least once, and receivers recognise what comes twice.

use super::{SigningSecrets, WebhookState, queue};
use crate::audit::Author;
use crate::retry_schedule::WEBHOOKS;
use crate::{Conn, Result, Value, pad_values, placeholders, values};
use rollcall_model::message::translatable;
use rollcall_model::secret::Secret;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_model::webhook::{WebhookFormat, WebhookType};

/// A claimed delivery that has not ended after this belongs to a node that died. Far longer than an attempt takes.
pub const LEASE: i64 = MINUTE;
/// Deliveries of one endpoint that are sent at the same time, over all nodes.
pub const PER_ENDPOINT: i64 = 4;
/// After so many failures in a row an endpoint that answers with errors is treated like one that cannot be reached.
const FAILURES_OF_ENDPOINT: i64 = 5;
/// A failing endpoint is tried at least so often, as long as anything waits.
const MAX_ENDPOINT_PAUSE: i64 = HOUR;
/// The longest `Retry-After` that is respected.
const MAX_RETRY_AFTER: i64 = DAY;
const NODE_DIED: &str = "the service stopped while it was sending";
const GAVE_UP: &str = "the receiver failed for three days";
const ACCOUNT_DISABLED: &str = "the account is disabled";

/// A delivery that this node is going to send.
#[derive(Clone, Debug)]
pub struct ClaimedDelivery {
    pub n: i64,
    pub webhook_n: i64,
    pub webhook_id: String,
    pub account_n: i64,
    pub message_id: String,
    pub event_n: i64,
    pub kind: WebhookType,
    pub lane: i64,
    /// This one included.
    pub attempts: i64,
    pub give_up_at: i64,
    pub format: WebhookFormat,
    /// As it is stored.
    pub url: Secret,
    pub secrets: SigningSecrets,
    /// Whether the endpoint failed last time.
    pub is_failing: bool,
}

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptOutcome {
    Delivered,
    /// 410: the receiver wants nothing more.
    Gone,
    /// The receiver answered with another status than 2xx.
    Refused,
    /// There was no answer.
    Unreachable,
    /// The receiver wants a pause, of so many milliseconds if it said so.
    Busy(Option<i64>),
    /// What the event is about is not shown any more.
    Cancelled,
}

/// An attempt, for the log.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub outcome: AttemptOutcome,
    /// 0: no response.
    pub status: u16,
    pub error: String,
    pub request: String,
    pub response: String,
}

/// Endpoints with something to do, those that have waited longest first. Neither those in `busy`, nor failing ones unless there is
/// room for them.
pub fn due(conn: &mut Conn, now: i64, busy: &[i64], with_failing: bool, limit: i64) -> Result<Vec<i64>> {
    let mut values: Vec<Value> = values![now, limit].to_vec();
    let mut is_free = String::new();
    if !busy.is_empty() {
        let busy = pad_values(busy);
        let marks: Vec<String> = (values.len() + 1..=values.len() + busy.len()).map(|i| format!("${i}")).collect();
        values.extend(busy);
        is_free = format!(" and d.webhook_n not in ({})", marks.join(", "));
    }
    let healthy = if with_failing { "" } else { " and w.retry_at = 0" };
    let sql = format!(
        "select d.webhook_n, min(d.due_at) from webhook_deliveries d join webhooks w on w.n = d.webhook_n
         where d.due_at <= $1{is_free}{healthy} group by d.webhook_n order by 2, 1 limit $2"
    );
    conn.query(&sql, &values, |row| row.get(0))
}

/// Claims up to `limit` deliveries of these endpoints. Call it in a transaction that commits before anything is sent.
pub fn claim(conn: &mut Conn, now: i64, webhooks: &[i64], limit: usize) -> Result<Vec<ClaimedDelivery>> {
    let endpoints = lock(conn, webhooks)?;
    if endpoints.is_empty() {
        return Ok(Vec::new());
    }
    end_overdue(conn, &endpoints, now)?;
    let sending = count_sending(conn, &endpoints)?;
    let mut claimed = Vec::new();
    for endpoint in endpoints.into_iter().filter(|endpoint| endpoint.stopped.is_none() && endpoint.retry_at <= now) {
        let is_failing = endpoint.retry_at > 0;
        let allowed = if is_failing { 1 } else { PER_ENDPOINT };
        let sending = sending.iter().find(|(n, _)| *n == endpoint.n).map_or(0, |(_, sending)| *sending);
        let free = (allowed - sending).min((limit - claimed.len()) as i64);
        if free > 0 {
            claimed.extend(heads(conn, &endpoint, now, free)?);
        }
    }
    let rows: Vec<Vec<Value>> = claimed.iter().map(|claimed| values![claimed.n, now + LEASE, now].to_vec()).collect();
    conn.execute_many(
        "update webhook_deliveries set state = 'sending', attempts = attempts + 1, due_at = v.column2, updated_at = v.column3
         from (values {rows}) v where webhook_deliveries.n = v.column1",
        &["bigint"; 3],
        &rows,
    )?;
    Ok(claimed)
}

/// Takes back the deliveries of nodes that died, and ends those that were tried for long enough or whose endpoint gets
/// no more.
fn end_overdue(conn: &mut Conn, endpoints: &[LockedEndpoint], now: i64) -> Result<()> {
    let numbers: Vec<i64> = endpoints.iter().map(|endpoint| endpoint.n).collect();
    let marks = placeholders(numbers.len());
    let time = numbers.len().next_power_of_two() + 1;
    let with_time = |text: &str| -> Vec<Value> {
        let mut values = pad_values(&numbers);
        values.extend([now.into(), text.into()]);
        values
    };
    conn.execute(
        &format!(
            "update webhook_deliveries set state = 'waiting', error = ${}, updated_at = ${time}
             where webhook_n in ({marks}) and state = 'sending' and due_at <= ${time}",
            time + 1
        ),
        &with_time(NODE_DIED),
    )?;
    let given_up = conn.execute(
        &format!(
            "update webhook_deliveries
             set state = 'failed', queue_n = null, due_at = null, updated_at = ${time}, error = case when error = '' then ${} else error end
             where webhook_n in ({marks}) and queue_n is not null and state <> 'sending' and give_up_at <= ${time}",
            time + 1
        ),
        &with_time(GAVE_UP),
    )?;
    for endpoint in endpoints {
        if let Some(reason) = endpoint.stopped {
            queue::cancel_all(conn, endpoint.n, reason, now)?;
        } else if given_up > 0 {
            queue::promote_all(conn, endpoint.n, now.max(endpoint.retry_at))?;
        }
    }
    Ok(())
}

/// How many deliveries of these endpoints are being sent, for those that have any.
fn count_sending(conn: &mut Conn, endpoints: &[LockedEndpoint]) -> Result<Vec<(i64, i64)>> {
    let numbers: Vec<i64> = endpoints.iter().map(|endpoint| endpoint.n).collect();
    let sql = format!(
        "select webhook_n, count(*) from webhook_deliveries
         where webhook_n in ({}) and queue_n is not null and state = 'sending' group by webhook_n",
        placeholders(numbers.len())
    );
    conn.query(&sql, &pad_values(&numbers), |row| (row.get(0), row.get(1)))
}

/// An endpoint that this transaction has locked.
struct LockedEndpoint {
    n: i64,
    id: String,
    account_n: i64,
    format: WebhookFormat,
    url: Secret,
    secrets: SigningSecrets,
    retry_at: i64,
    /// Why nothing is sent.
    stopped: Option<&'static str>,
}

/// Locks endpoints that no other node has locked. What is read after this is what the others have left.
fn lock(conn: &mut Conn, webhooks: &[i64]) -> Result<Vec<LockedEndpoint>> {
    if webhooks.is_empty() {
        return Ok(Vec::new());
    }
    let lock = if conn.is_postgres() { " for update of w skip locked" } else { "" };
    let sql = format!(
        "select w.n, w.id, w.format, w.url, w.secret, w.old_secret, w.old_secret_ends_at, w.retry_at, l.disabled, w.state, w.account_n
         from webhooks w join logins l on l.account_n = w.account_n
         where w.n in ({}) order by w.n{lock}",
        placeholders(webhooks.len())
    );
    conn.query(&sql, &pad_values(webhooks), |row| LockedEndpoint {
        n: row.get(0),
        id: row.get(1),
        format: WebhookFormat::parse(&row.get::<String>(2)).unwrap_or(WebhookFormat::Standard),
        url: Secret::from(row.get::<String>(3).as_str()),
        secrets: SigningSecrets::read(row, 4),
        retry_at: row.get(7),
        account_n: row.get(10),
        stopped: match row.get::<String>(9) == WebhookState::Active.name() {
            true => row.get::<bool>(8).then_some(ACCOUNT_DISABLED),
            false => Some(super::DISABLED),
        },
    })
}

/// The first deliveries of lanes that are due. Those of types that only a newer version knows wait for it.
fn heads(conn: &mut Conn, endpoint: &LockedEndpoint, now: i64, limit: i64) -> Result<Vec<ClaimedDelivery>> {
    let claimed = conn.query(
        "select n, message_id, event_n, kind, lane, attempts, give_up_at from webhook_deliveries
         where webhook_n = $1 and queue_n is not null and state = 'waiting' and due_at <= $2
         order by due_at, queue_n limit $3",
        values![endpoint.n, now, limit],
        |row| {
            Some(ClaimedDelivery {
                n: row.get(0),
                webhook_n: endpoint.n,
                webhook_id: endpoint.id.clone(),
                account_n: endpoint.account_n,
                message_id: row.get(1),
                event_n: row.get::<Option<i64>>(2)?,
                kind: WebhookType::of_code(row.get(3))?,
                lane: row.get(4),
                attempts: row.get::<i64>(5) + 1,
                give_up_at: row.get(6),
                format: endpoint.format,
                url: endpoint.url.clone(),
                secrets: endpoint.secrets.clone(),
                is_failing: endpoint.retry_at > 0,
            })
        },
    )?;
    Ok(claimed.into_iter().flatten().collect())
}

/// Writes down how an attempt ended. Call it in a transaction.
pub fn finish(conn: &mut Conn, delivery: &ClaimedDelivery, attempt: &Attempt, now: i64) -> Result<()> {
    let n = delivery.webhook_n;
    let columns = "failures, retry_at, state, account_n, host";
    let read = |row: &crate::Row| Endpoint {
        n,
        failures: row.get(0),
        retry_at: row.get(1),
        is_active: row.get::<String>(2) == WebhookState::Active.name(),
        account_n: row.get(3),
        host: row.get(4),
    };
    let Some(endpoint) = queue::lock(conn, n, columns, read)? else { return Ok(()) };
    let pause = match attempt.outcome {
        AttemptOutcome::Delivered | AttemptOutcome::Gone | AttemptOutcome::Cancelled => None,
        AttemptOutcome::Busy(Some(pause)) => Some(pause.clamp(WEBHOOKS.pause(delivery.attempts), MAX_RETRY_AFTER)),
        _ => Some(WEBHOOKS.pause(delivery.attempts)),
    };
    let due_at = pause.map(|pause| now + pause).filter(|at| *at <= delivery.give_up_at && endpoint.is_active);
    let state = match attempt.outcome {
        AttemptOutcome::Delivered => "delivered",
        AttemptOutcome::Cancelled => "cancelled",
        _ if due_at.is_some() => "waiting",
        _ => "failed",
    };
    let changed = conn.execute(
        "update webhook_deliveries set state = $3, due_at = $4, queue_n = case when $5 then queue_n else null end, status = $6,
                error = $7, request = $8, response = $9, updated_at = $10
         where n = $1 and attempts = $2 and state = 'sending'",
        values![
            delivery.n,
            delivery.attempts,
            state,
            due_at,
            due_at.is_some(),
            i64::from(attempt.status),
            &attempt.error,
            &attempt.request,
            &attempt.response,
            now
        ],
    )?;
    if changed == 0 {
        return Ok(());
    }
    let due_at = endpoint.note(conn, attempt.outcome, now)?;
    if state != "waiting" && endpoint.is_active && attempt.outcome != AttemptOutcome::Gone {
        queue::promote_next(conn, n, delivery.lane, due_at)?;
    }
    Ok(())
}

/// An endpoint to which something was sent, locked.
struct Endpoint {
    n: i64,
    failures: i64,
    retry_at: i64,
    is_active: bool,
    account_n: i64,
    host: String,
}

impl Endpoint {
    /// Notes what an attempt says about the receiver; returns from when on it gets more.
    fn note(&self, conn: &mut Conn, outcome: AttemptOutcome, now: i64) -> Result<i64> {
        match outcome {
            AttemptOutcome::Cancelled => Ok(now.max(self.retry_at)),
            AttemptOutcome::Gone => {
                if super::stop(conn, self.n, WebhookState::Gone, now)? {
                    let author = Author { name: translatable("webhook delivery").into(), address: None, at: now };
                    super::log(conn, self.account_n, translatable("webhook disabled"), &self.host, &author)?;
                }
                Ok(now)
            }
            AttemptOutcome::Delivered => {
                if self.failures > 0 {
                    self.set_failures(conn, 0, 0)?;
                }
                if self.retry_at > 0 {
                    queue::wake(conn, self.n, now)?;
                }
                Ok(now)
            }
            AttemptOutcome::Refused | AttemptOutcome::Unreachable | AttemptOutcome::Busy(_) => {
                if self.retry_at > now {
                    // Another attempt of the same time has noted it.
                    queue::postpone(conn, self.n, self.retry_at)?;
                    return Ok(self.retry_at);
                }
                let failures = self.failures + 1;
                if outcome == AttemptOutcome::Refused && failures < FAILURES_OF_ENDPOINT {
                    self.set_failures(conn, failures, self.retry_at)?;
                    return Ok(now.max(self.retry_at));
                }
                let pause = match outcome {
                    AttemptOutcome::Busy(Some(pause)) => pause.clamp(WEBHOOKS.pause(1), MAX_RETRY_AFTER),
                    _ => WEBHOOKS.pause(failures).min(MAX_ENDPOINT_PAUSE),
                };
                self.set_failures(conn, failures, now + pause)?;
                queue::postpone(conn, self.n, now + pause)?;
                Ok(now + pause)
            }
        }
    }

    fn set_failures(&self, conn: &mut Conn, failures: i64, retry_at: i64) -> Result<()> {
        let sql = "update webhooks set failures = $2, retry_at = $3 where n = $1";
        conn.execute(sql, values![self.n, failures, retry_at])?;
        Ok(())
    }
}

/// A receiver that answers a test is not failing: what waits for it is sent now. Call it in a transaction.
pub fn note_answered_test(conn: &mut Conn, webhook_n: i64, now: i64) -> Result<()> {
    let read = |row: &crate::Row| (row.get::<i64>(0), row.get::<i64>(1));
    let Some((failures, retry_at)) = queue::lock(conn, webhook_n, "failures, retry_at", read)? else { return Ok(()) };
    if failures > 0 || retry_at > 0 {
        conn.execute("update webhooks set failures = 0, retry_at = 0 where n = $1", values![webhook_n])?;
        queue::wake(conn, webhook_n, now)?;
    }
    Ok(())
}

/// Adds a test to the log. Call it in a transaction.
pub fn add_test(conn: &mut Conn, webhook_n: i64, message_id: &str, attempt: &Attempt, now: i64) -> Result<()> {
    let state = if attempt.outcome == AttemptOutcome::Delivered { "delivered" } else { "failed" };
    conn.execute(
        "insert into webhook_deliveries (webhook_n, message_id, event_n, kind, lane, state, attempts, give_up_at, status, error,
                                         request, response, created_at, updated_at)
         values ($1, $2, null, $3, 0, $4, 1, $5, $6, $7, $8, $9, $5, $5)",
        values![
            webhook_n,
            message_id,
            WebhookType::Test.code(),
            state,
            now,
            i64::from(attempt.status),
            &attempt.error,
            &attempt.request,
            &attempt.response
        ],
    )?;
    Ok(())
}

/// Deliveries that are not finished, of all endpoints, and when the oldest of them was added.
pub fn backlog(conn: &mut Conn) -> Result<(i64, Option<i64>)> {
    let sql = "select count(*), min(created_at) from webhook_deliveries where queue_n is not null";
    conn.query_one(sql, &[], |row| (row.get(0), row.get(1)))
}
