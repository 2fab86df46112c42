//! Events for a single account: alerts about its keys and servers, and what happens to the unlisted servers that it manages. They take
//! their numbers from the same sequence as the public events.

use std::collections::{BTreeSet, HashSet};

use super::events::{self, EventServer, NewEvent};
use super::webhooks::fan_out;
use super::{Conn, Result, Row, Value};
use crate::values;
use rollcall_model::event::RETENTION;
use rollcall_model::webhook::{AlertKind, WebhookType};

/// An alert to write.
#[derive(Clone, Debug)]
pub struct NewAccountEvent {
    pub account_n: i64,
    pub at: i64,
    pub kind: AlertKind,
    pub server_n: Option<i64>,
    /// Identifies the event: each subject is reported once.
    pub subject: String,
    /// A JSON object.
    pub facts: String,
}

/// A stored event.
#[derive(Clone, Debug)]
pub struct AccountEvent {
    pub n: i64,
    pub account_n: i64,
    pub at: i64,
    pub kind: WebhookType,
    pub server: Option<EventServer>,
    /// The data of an alert, or the [`EventFacts`](rollcall_model::event::EventFacts) of an event, as JSON.
    pub facts: String,
}

/// Whether the account of an event may still learn what its server is called: it manages the server, which is not hidden.
macro_rules! is_server_shown {
    () => {
        "(e.server_n is null or s.visibility <> 'HIDDEN' and (s.owner_n = e.account_n or exists (
             select 1 from server_editors m where m.server_n = s.n and m.account_n = e.account_n)))"
    };
}

/// Without events about servers that are not shown to the account any more.
const SELECT: &str = concat!(
    "select e.n, e.account_n, e.at, e.kind, e.facts, s.n, s.id, s.slug, s.name
     from account_events e left join servers s on s.n = e.server_n where ",
    is_server_shown!()
);

/// All events of an account, for its export: time, kind, slug of the server and facts.
pub(crate) const EXPORT: &str = concat!(
    "select e.at, e.kind, case when ",
    is_server_shown!(),
    " then s.slug end, e.facts
     from account_events e left join servers s on s.n = e.server_n where e.account_n = $1 order by e.n"
);

/// `None` for a kind that a newer version wrote.
fn read(row: &Row) -> Option<AccountEvent> {
    Some(AccountEvent {
        n: row.get(0),
        account_n: row.get(1),
        at: row.get(2),
        kind: WebhookType::of_code(row.get(3))?,
        facts: row.get(4),
        server: row.get::<Option<i64>>(5).map(|n| EventServer {
            n,
            id: row.get(6),
            slug: row.get(7),
            name: row.get(8),
        }),
    })
}

/// Those whose subjects have no event; saves the writer a transaction.
pub fn without_told(conn: &mut Conn, events: Vec<NewAccountEvent>) -> Result<Vec<NewAccountEvent>> {
    let mut new = Vec::new();
    for event in events {
        if !is_told(conn, &event.subject)? {
            new.push(event);
        }
    }
    Ok(new)
}

fn is_told(conn: &mut Conn, subject: &str) -> Result<bool> {
    let sql = "select 1 from account_events where subject = $1";
    Ok(conn.query_optional(sql, values![subject], |_| ())?.is_some())
}

/// Writes events whose subjects have none yet. Call it in a transaction, before it locks anything else.
pub fn write_once(conn: &mut Conn, events: &[NewAccountEvent]) -> Result<()> {
    let events = without_told(conn, events.to_vec())?;
    let rows = events.into_iter().map(|event| NewRow {
        account_n: event.account_n,
        at: event.at,
        kind: WebhookType::Alert(event.kind),
        server_n: event.server_n,
        subject: event.subject,
        facts: event.facts,
    });
    insert(conn, &Vec::from_iter(rows))
}

/// Writes events about unlisted servers, each for every account that manages its server and has a webhook for it. Call it like
/// [`write()`](events::write()).
pub fn write_to_managers(conn: &mut Conn, events: &[NewEvent]) -> Result<()> {
    let servers: BTreeSet<i64> = events.iter().filter_map(|event| event.server_n).collect();
    let managers = managers_with_webhook(conn, &Vec::from_iter(servers))?;
    let mut rows = Vec::new();
    for event in events {
        let kind = WebhookType::Event(event.kind);
        let Some(server_n) = event.server_n else { continue };
        for &(_, account_n) in managers.range((server_n, i64::MIN)..=(server_n, i64::MAX)) {
            rows.push(NewRow {
                account_n,
                at: event.at,
                kind,
                server_n: event.server_n,
                subject: format!("{} {account_n} {server_n} {}", kind.name(), event.at),
                facts: serde_json::to_string(&event.facts).expect("texts and numbers become JSON"),
            });
        }
    }
    insert(conn, &rows)
}

/// Owners and editors of these servers who have a webhook that may want events of unlisted servers.
fn managers_with_webhook(conn: &mut Conn, servers: &[i64]) -> Result<BTreeSet<(i64, i64)>> {
    if servers.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sql = "select distinct account_n from webhooks where state = 'active' and servers <> 'all'";
    let accounts = HashSet::<i64>::from_iter(conn.query(sql, &[], |row| row.get(0))?);
    let managers = fan_out::managers(conn, servers)?.into_iter();
    Ok(managers.filter(|(_, account_n)| accounts.contains(account_n)).collect())
}

/// A row to insert.
struct NewRow {
    account_n: i64,
    at: i64,
    kind: WebhookType,
    server_n: Option<i64>,
    subject: String,
    facts: String,
}

/// Inserts events with the next numbers, except those whose subjects have one.
fn insert(conn: &mut Conn, events: &[NewRow]) -> Result<()> {
    let Some(newest) = events.iter().map(|event| event.at).max() else { return Ok(()) };
    // The numbers stay locked: of two nodes that saw no event, the second one waits here and inserts nothing.
    let first = events::take_numbers(conn, newest, events.len())?;
    let rows: Vec<Vec<Value>> = events
        .iter()
        .zip(first..)
        .map(|(event, n)| {
            values![n, event.account_n, event.at, event.kind.code(), event.server_n, &event.subject, &event.facts]
                .to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into account_events (n, account_n, at, kind, server_n, subject, facts)
         select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7 from (values {rows}) v where true
         on conflict do nothing",
        &["bigint", "bigint", "bigint", "bigint", "bigint", "text", "text"],
        &rows,
    )
}

/// At most `limit` events of all accounts after a number up to another one, oldest first, and the number up to which
/// these are all.
pub fn between(conn: &mut Conn, after: i64, until: i64, limit: usize) -> Result<(Vec<AccountEvent>, i64)> {
    let sql = format!("{SELECT} and e.n > $1 and e.n <= $2 order by e.n limit $3");
    let rows: Vec<(i64, Option<AccountEvent>)> =
        conn.query(&sql, values![after, until, limit as i64], |row| (row.get(0), read(row)))?;
    let reached = rows.last().filter(|_| rows.len() == limit).map_or(until, |(n, _)| *n);
    Ok((rows.into_iter().filter_map(|(_, event)| event).collect(), reached))
}

/// The event of an account with this number.
pub fn by_number(conn: &mut Conn, account_n: i64, n: i64) -> Result<Option<AccountEvent>> {
    let sql = format!("{SELECT} and e.account_n = $1 and e.n = $2");
    Ok(conn.query_optional(&sql, values![account_n, n], read)?.flatten())
}

/// Whether there are events that are older than [`RETENTION`].
pub fn has_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    let sql = "select 1 from account_events where at < $1 limit 1";
    Ok(conn.query_optional(sql, values![now - RETENTION], |_| ())?.is_some())
}

/// Deletes them.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from account_events where at < $1", values![now - RETENTION])?;
    Ok(())
}
