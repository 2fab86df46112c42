//! Events: what happened, written in the transaction that causes it, and read in one order that is the same for all readers.

mod read;

use super::{Conn, Result, Value};
use crate::values;
use rollcall_model::event::{EventFacts, EventKind, RETENTION, first_number};

pub use read::{
    EventFilter, EventPage, EventPlayer, EventPost, EventRow, EventServer, EventSkin, KnownServers, by_number,
    end_cursor, newest_number, page,
};

/// Rows deleted at once, so that other writers need not wait long.
const DELETE_ROWS: i64 = 2_000;

/// An event to write: for everyone with [`write()`], about an unlisted server only with `account_events::write_to_managers`.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub kind: EventKind,
    pub at: i64,
    pub server_n: Option<i64>,
    pub player_n: Option<i64>,
    /// The public id of the vote, review, post or skin.
    pub subject: Option<String>,
    pub facts: EventFacts,
}

impl NewEvent {
    pub fn of_server(kind: EventKind, at: i64, server_n: i64) -> Self {
        Self { kind, at, server_n: Some(server_n), player_n: None, subject: None, facts: EventFacts::default() }
    }

    pub(crate) fn of_rename(at: i64, player_n: i64, previous: &str, nickname: &str) -> Self {
        let facts = EventFacts {
            text: Some(nickname.to_owned()),
            previous_text: Some(previous.to_owned()),
            ..EventFacts::default()
        };
        Self { kind: EventKind::PlayerRenamed, at, server_n: None, player_n: Some(player_n), subject: None, facts }
    }
}

/// Writes events in this order. Call it in the transaction that causes them, after [`super::revision::bump`]: it locks the same
/// row, and locks taken in one order cannot deadlock.
pub fn write(conn: &mut Conn, events: &[NewEvent]) -> Result<()> {
    let Some(newest) = events.iter().map(|event| event.at).max() else { return Ok(()) };
    let first = take_numbers(conn, newest, events.len())?;
    let rows: Vec<Vec<Value>> = events
        .iter()
        .zip(first..)
        .map(|(event, n)| {
            let facts = match event.facts == EventFacts::default() {
                true => String::new(),
                false => serde_json::to_string(&event.facts).expect("texts and numbers become JSON"),
            };
            values![n, event.at, event.kind.code(), event.server_n, event.player_n, event.subject.as_ref(), facts]
                .to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into events (n, at, kind, server_n, player_n, subject, facts)
         select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7 from (values {rows}) v",
        &["bigint", "bigint", "bigint", "bigint", "bigint", "text", "text"],
        &rows,
    )
}

/// The first of so many new numbers, for events of this time or earlier. They stay locked until the transaction ends.
pub(crate) fn take_numbers(conn: &mut Conn, newest: i64, count: usize) -> Result<i64> {
    let last: i64 = conn.query_one(
        "update store_state set event_n = case when event_n >= $1 then event_n + $2 else $1 + $2 - 1 end returning event_n",
        values![first_number(newest), count as i64],
        |row| row.get(0),
    )?;
    Ok(last - count as i64 + 1)
}

/// [`write()`], unless this subject already has an event of this kind: a removed review may come back.
pub(crate) fn write_once(conn: &mut Conn, event: NewEvent) -> Result<()> {
    // A kind with subjects has few events, and fewer about one server.
    let told = match event.server_n {
        Some(server_n) => conn.query_optional(
            "select 1 from events where server_n = $1 and kind = $2 and subject = $3 limit 1",
            values![server_n, event.kind.code(), event.subject.as_ref()],
            |_| (),
        )?,
        None => conn.query_optional(
            "select 1 from events where kind = $1 and subject = $2 limit 1",
            values![event.kind.code(), event.subject.as_ref()],
            |_| (),
        )?,
    };
    if told.is_some() { Ok(()) } else { write(conn, &[event]) }
}

/// The first event number that is kept.
pub fn first_kept(now: i64) -> i64 {
    first_number(now - RETENTION)
}

/// The oldest event number that is stored.
pub fn oldest(conn: &mut Conn) -> Result<Option<i64>> {
    conn.query_one("select min(n) from events", &[], |row| row.get(0))
}

/// Deletes some events that are older than [`RETENTION`]; true if there may be more.
pub fn delete_expired(conn: &mut Conn, now: i64) -> Result<bool> {
    // Of several nodes, each deletes what the others do not.
    let lock = if conn.is_postgres() { " for update skip locked" } else { "" };
    let sql = format!("delete from events where n in (select n from events where n < $1 order by n limit $2{lock})");
    Ok(conn.execute(&sql, values![first_kept(now), DELETE_ROWS])?.cast_signed() == DELETE_ROWS)
}

/// Takes a player out of the events that stay when they are removed: their votes and reviews stay, too. The others go with their row.
pub(crate) fn anonymise(conn: &mut Conn, player_n: i64) -> Result<()> {
    conn.execute(
        "update events set player_n = null where player_n = $1 and kind in ($2, $3)",
        values![player_n, EventKind::VoteCreated.code(), EventKind::ReviewCreated.code()],
    )?;
    Ok(())
}
