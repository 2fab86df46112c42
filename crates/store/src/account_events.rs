//! Events for a single account: alerts about its keys and servers, and what happens to the unlisted servers that it manages. They take
//! their numbers from the same sequence as the public events.

use super::events::{EventServer, NewEvent};
use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::event::{RETENTION, first_number};
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

/// Without events about servers that are hidden now, or that the account does not manage any more.
const SELECT: &str = "select e.n, e.account_n, e.at, e.kind, e.facts, s.n, s.id, s.slug, s.name
    from account_events e left join servers s on s.n = e.server_n
    where (e.server_n is null or s.visibility <> 'HIDDEN' and (s.owner_n = e.account_n or exists (
              select 1 from server_editors m where m.server_n = s.n and m.account_n = e.account_n)))";

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

/// Writes events whose subjects have none yet, and returns how many. Call it in a transaction, before it locks anything else.
pub fn write_once(conn: &mut Conn, events: &[NewAccountEvent]) -> Result<usize> {
    let mut written = 0;
    for event in events {
        if is_told(conn, &event.subject)? {
            continue;
        }
        let (about, kind) = ((event.account_n, event.server_n), WebhookType::Alert(event.kind));
        written += insert(conn, about, (event.at, kind), &event.subject, &event.facts)? as usize;
    }
    Ok(written)
}

/// Writes events about unlisted servers, each for every account that manages its server and has a webhook. Call it like
/// [`write()`](super::events::write()).
pub fn write_to_managers(conn: &mut Conn, events: &[NewEvent]) -> Result<()> {
    for event in events {
        let accounts: Vec<i64> = conn.query(
            "select m.account_n
             from (select n as server_n, owner_n as account_n from servers
                   union select server_n, account_n from server_editors) m
             where m.server_n = $1 and exists (select 1 from webhooks w where w.account_n = m.account_n)
             order by m.account_n",
            values![event.server_n],
            |row| row.get(0),
        )?;
        let kind = WebhookType::Event(event.kind);
        let facts = serde_json::to_string(&event.facts).expect("texts and numbers become JSON");
        for account_n in accounts {
            let subject = format!("{} {account_n} {} {}", kind.name(), event.server_n.unwrap_or(0), event.at);
            insert(conn, (account_n, event.server_n), (event.at, kind), &subject, &facts)?;
        }
    }
    Ok(())
}

/// Writes an event with the next number, unless its subject has one; returns the number of rows.
fn insert(
    conn: &mut Conn,
    (account_n, server_n): (i64, Option<i64>),
    (at, kind): (i64, WebhookType),
    subject: &str,
    facts: &str,
) -> Result<u64> {
    // The row stays locked: of two nodes that saw no event, the second one waits here and inserts nothing.
    let n: i64 = conn.query_one(
        "update store_state set event_n = case when event_n >= $1 then event_n + 1 else $1 end returning event_n",
        values![first_number(at)],
        |row| row.get(0),
    )?;
    conn.execute(
        "insert into account_events (n, account_n, at, kind, server_n, subject, facts) values ($1, $2, $3, $4, $5, $6, $7)
         on conflict do nothing",
        values![n, account_n, at, kind.code(), server_n, subject, facts],
    )
}

/// The events of all accounts after a number up to another one, oldest first.
pub fn between(conn: &mut Conn, after: i64, until: i64) -> Result<Vec<AccountEvent>> {
    let sql = format!("{SELECT} and e.n > $1 and e.n <= $2 order by e.n");
    Ok(conn.query(&sql, values![after, until], read)?.into_iter().flatten().collect())
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
