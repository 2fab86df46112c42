//! From events to deliveries: each endpoint has a cursor over the events of the store. The transaction that adds deliveries moves the
//! cursor, so that no event is left out and none comes twice, whichever node does it and whenever it stops.

use std::collections::{HashMap, HashSet};

use super::queue::{self, MAX_OPEN};
use super::{Webhook, WebhookState};
use crate::audit::Author;
use crate::{Conn, Result, Value, pad_values, placeholders, values};
use rollcall_model::event::{EventKind, RETENTION, first_number, id};
use rollcall_model::message::translatable;
use rollcall_model::time::DAY;
use rollcall_model::webhook::{AlertKind, ServerScope, WebhookType};

/// How long a delivery is tried.
pub const GIVE_UP_AFTER: i64 = 3 * DAY;

/// Subscription of an active endpoint, and its progress.
#[derive(Clone, Debug)]
pub struct Subscription {
    pub webhook_n: i64,
    pub account_n: i64,
    /// Another one: the settings changed.
    pub version: i64,
    pub events: Vec<EventKind>,
    pub alerts: Vec<AlertKind>,
    pub scope: ServerScope,
    pub servers: HashSet<i64>,
    pub cursor: i64,
    /// The events after the first number up to the second one are to be sent once more.
    pub replay: Option<(i64, i64)>,
}

/// The active endpoints of accounts that may sign in.
pub fn subscriptions(conn: &mut Conn) -> Result<Vec<Subscription>> {
    let mut subscriptions = conn.query(
        "select w.n, w.account_n, w.version, w.types, w.servers, w.cursor_n, w.replay_n, w.replay_until_n
         from webhooks w join logins l on l.account_n = w.account_n
         where w.state = 'active' and not l.disabled order by w.n",
        &[],
        |row| {
            let types = super::parse_types(&row.get::<String>(3));
            Subscription {
                webhook_n: row.get(0),
                account_n: row.get(1),
                version: row.get(2),
                events: types.iter().filter_map(|kind| as_event(*kind)).collect(),
                alerts: types.iter().filter_map(|kind| as_alert(*kind)).collect(),
                scope: ServerScope::parse(&row.get::<String>(4)).unwrap_or(ServerScope::Chosen),
                servers: HashSet::new(),
                cursor: row.get(5),
                replay: row.get::<Option<i64>>(6).zip(row.get::<Option<i64>>(7)),
            }
        },
    )?;
    if subscriptions.iter().any(|subscription| subscription.scope == ServerScope::Chosen) {
        let places: HashMap<i64, usize> =
            subscriptions.iter().enumerate().map(|(i, subscription)| (subscription.webhook_n, i)).collect();
        let sql = "select webhook_n, server_n from webhook_servers";
        for (webhook_n, server_n) in conn.query(sql, &[], |row| (row.get::<i64>(0), row.get::<i64>(1)))? {
            if let Some(place) = places.get(&webhook_n) {
                subscriptions[*place].servers.insert(server_n);
            }
        }
    }
    Ok(subscriptions)
}

fn as_event(kind: WebhookType) -> Option<EventKind> {
    if let WebhookType::Event(kind) = kind { Some(kind) } else { None }
}

fn as_alert(kind: WebhookType) -> Option<AlertKind> {
    if let WebhookType::Alert(kind) = kind { Some(kind) } else { None }
}

/// Owners and editors of these servers: `(server, account)`.
pub fn managers(conn: &mut Conn, servers: &[i64]) -> Result<HashSet<(i64, i64)>> {
    let mut managers = HashSet::new();
    for servers in servers.chunks(256) {
        let marks = placeholders(servers.len());
        for sql in [
            format!("select n, owner_n from servers where owner_n is not null and n in ({marks})"),
            format!("select server_n, account_n from server_editors where server_n in ({marks})"),
        ] {
            managers.extend(conn.query(&sql, &pad_values(servers), |row| (row.get::<i64>(0), row.get::<i64>(1)))?);
        }
    }
    Ok(managers)
}

/// An event that an endpoint gets.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pub event_n: i64,
    pub kind: WebhookType,
    /// The number of its server, or 0.
    pub lane: i64,
}

/// How far an endpoint has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// All that was found has its delivery.
    All,
    /// There is no room for more deliveries now.
    Full,
    /// The endpoint was changed meanwhile, or another node has done it.
    Outdated,
}

/// Adds deliveries for the events that were found after the cursor, up to `until`, and moves the cursor. Call it in a transaction.
pub fn advance(
    conn: &mut Conn,
    subscription: &Subscription,
    found: &[Match],
    until: i64,
    now: i64,
) -> Result<Progress> {
    let n = subscription.webhook_n;
    let columns = "cursor_n, version, state, retry_at";
    let read = |row: &crate::Row| (row.get::<i64>(0), row.get::<i64>(1), row.get::<String>(2), row.get::<i64>(3));
    let Some((cursor, version, state, retry_at)) = queue::lock(conn, n, columns, read)? else {
        return Ok(Progress::Outdated);
    };
    if version != subscription.version || state != WebhookState::Active.name() || cursor < subscription.cursor {
        return Ok(Progress::Outdated);
    }
    let found: Vec<Match> = found.iter().filter(|found| found.event_n > cursor).copied().collect();
    let room = if found.is_empty() { 0 } else { (MAX_OPEN - queue::count_open(conn, n)?).max(0) as usize };
    let added = &found[..found.len().min(room)];
    let sql = format!("{INSERT} on conflict do nothing");
    conn.execute_many(&sql, &INSERT_TYPES, &rows(n, added, now))?;
    if !added.is_empty() {
        queue::promote_all(conn, n, now.max(retry_at))?;
    }
    let is_all = added.len() == found.len();
    let reached = if is_all { Some(until) } else { added.last().map(|found| found.event_n) };
    if let Some(reached) = reached.filter(|reached| *reached > cursor) {
        conn.execute("update webhooks set cursor_n = $2 where n = $1", values![n, reached])?;
    }
    Ok(if is_all { Progress::All } else { Progress::Full })
}

const INSERT: &str = "insert into webhook_deliveries (webhook_n, message_id, event_n, kind, lane, state, queue_n, attempts, give_up_at,
        status, error, request, response, created_at, updated_at)
    select v.column1, v.column2, v.column3, v.column4, v.column5, 'queued', v.column3, 0, v.column6, 0, '', '', '', v.column7,
           v.column7
    from (values {rows}) v where true";
const INSERT_TYPES: [&str; 7] = ["bigint", "text", "bigint", "bigint", "bigint", "bigint", "bigint"];

fn rows(webhook_n: i64, found: &[Match], now: i64) -> Vec<Vec<Value>> {
    let row = |found: &Match| {
        let (id, kind) = (id(found.event_n), found.kind.code());
        values![webhook_n, id, found.event_n, kind, found.lane, now + GIVE_UP_AFTER, now].to_vec()
    };
    found.iter().map(row).collect()
}

/// Begins to send events of a time once more; it replaces a replay that has not ended. Call it in a transaction.
pub fn start_replay(conn: &mut Conn, webhook: &Webhook, (from, to): (i64, i64), author: &Author) -> Result<()> {
    let first = first_number(from.max(author.at - RETENTION));
    // What comes after the cursor is sent anyway.
    conn.execute(
        "update webhooks set replay_n = $2, replay_until_n = case when cursor_n < $3 then cursor_n else $3 end
         where n = $1 and state = 'active'",
        values![webhook.n, first - 1, first_number(to.saturating_add(1)) - 1],
    )?;
    let (action, host) = (translatable("webhook events replayed"), &webhook.settings.host);
    super::log(conn, webhook.account_n, action, host, author)
}

/// Adds deliveries for the events of a replay that were found up to `until`, also for those that had one. Call it in a transaction.
pub fn advance_replay(
    conn: &mut Conn,
    subscription: &Subscription,
    found: &[Match],
    until: i64,
    now: i64,
) -> Result<Progress> {
    let n = subscription.webhook_n;
    let columns = "replay_n, replay_until_n, version, state, retry_at";
    let read = |row: &crate::Row| {
        let replay = row.get::<Option<i64>>(0).zip(row.get::<Option<i64>>(1));
        (replay, row.get::<i64>(2), row.get::<String>(3), row.get::<i64>(4))
    };
    let Some((Some((after, end)), version, state, retry_at)) = queue::lock(conn, n, columns, read)? else {
        return Ok(Progress::Outdated);
    };
    let is_same = Some((after, end)) == subscription.replay;
    if !is_same || version != subscription.version || state != WebhookState::Active.name() {
        return Ok(Progress::Outdated);
    }
    let found: Vec<Match> = found.iter().filter(|found| found.event_n <= end).copied().collect();
    let room = if found.is_empty() { 0 } else { (MAX_OPEN - queue::count_open(conn, n)?).max(0) as usize };
    let added = &found[..found.len().min(room)];
    let sql = format!(
        "{INSERT} on conflict (webhook_n, event_n) do update
         set state = 'queued', queue_n = excluded.queue_n, due_at = null, attempts = 0, give_up_at = excluded.give_up_at, error = '',
             updated_at = excluded.updated_at
         where webhook_deliveries.queue_n is null"
    );
    conn.execute_many(&sql, &INSERT_TYPES, &rows(n, added, now))?;
    if !added.is_empty() {
        queue::promote_all(conn, n, now.max(retry_at))?;
    }
    let is_all = added.len() == found.len();
    let reached = if is_all { until } else { added.last().map_or(after, |found| found.event_n) };
    if reached >= end {
        conn.execute("update webhooks set replay_n = null, replay_until_n = null where n = $1", values![n])?;
    } else {
        conn.execute("update webhooks set replay_n = $2 where n = $1", values![n, reached])?;
    }
    Ok(if is_all { Progress::All } else { Progress::Full })
}

/// Moves the cursors of endpoints for which nothing was found, so that a restart need not look again. Call it in a transaction.
pub fn save_cursors(conn: &mut Conn, subscriptions: &[(&Subscription, i64)]) -> Result<()> {
    let rows: Vec<Vec<Value>> = subscriptions
        .iter()
        .map(|(subscription, reached)| values![subscription.webhook_n, subscription.version, *reached].to_vec())
        .collect();
    conn.execute_many(
        "update webhooks set cursor_n = v.column3 from (values {rows}) v
         where webhooks.n = v.column1 and webhooks.version = v.column2 and webhooks.cursor_n < v.column3",
        &["bigint"; 3],
        &rows,
    )
}
