//! Events for a single account: alerts about its keys and servers. They take their numbers from the same sequence as
//! the public events.

use super::{Conn, Result, Row};
use crate::values;
use rollcall_model::event::{RETENTION, first_number};
use rollcall_model::webhook::{AlertKind, WebhookType};

/// An event to write.
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
    pub kind: AlertKind,
    pub server: Option<AccountEventServer>,
    pub facts: String,
}

#[derive(Clone, Debug)]
pub struct AccountEventServer {
    pub n: i64,
    pub id: String,
    pub slug: String,
    pub name: String,
}

const SELECT: &str = "select e.n, e.account_n, e.at, e.kind, e.facts, s.n, s.id, s.slug, s.name
    from account_events e left join servers s on s.n = e.server_n";

/// `None` for a kind that a newer version wrote.
fn read(row: &Row) -> Option<AccountEvent> {
    let WebhookType::Alert(kind) = WebhookType::of_code(row.get(3))? else { return None };
    Some(AccountEvent {
        n: row.get(0),
        account_n: row.get(1),
        at: row.get(2),
        kind,
        facts: row.get(4),
        server: row.get::<Option<i64>>(5).map(|n| AccountEventServer {
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
        // The row stays locked: of two nodes that saw no event, the second one waits here and inserts nothing.
        let n: i64 = conn.query_one(
            "update store_state set event_n = case when event_n >= $1 then event_n + 1 else $1 end returning event_n",
            values![first_number(event.at)],
            |row| row.get(0),
        )?;
        written += conn.execute(
            "insert into account_events (n, account_n, at, kind, server_n, subject, facts) values ($1, $2, $3, $4, $5, $6, $7)
             on conflict do nothing",
            values![n, event.account_n, event.at, event.kind.code(), event.server_n, &event.subject, &event.facts],
        )? as usize;
    }
    Ok(written)
}

/// The events of all accounts after a number up to another one, oldest first.
pub fn between(conn: &mut Conn, after: i64, until: i64) -> Result<Vec<AccountEvent>> {
    let sql = format!("{SELECT} where e.n > $1 and e.n <= $2 order by e.n");
    Ok(conn.query(&sql, values![after, until], read)?.into_iter().flatten().collect())
}

/// The event of an account with this number.
pub fn by_number(conn: &mut Conn, account_n: i64, n: i64) -> Result<Option<AccountEvent>> {
    let sql = format!("{SELECT} where e.account_n = $1 and e.n = $2");
    Ok(conn.query_optional(&sql, values![account_n, n], read)?.flatten())
}

/// Deletes events that are older than [`RETENTION`].
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<()> {
    conn.execute("delete from account_events where at < $1", values![now - RETENTION])?;
    Ok(())
}
