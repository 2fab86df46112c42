//! Reads events with the names of today. Events about servers that are not public any more, and about reviews, posts and skins that
//! are not shown, are left out.

use crate::{Conn, Result, Row, Value, values};
use rollcall_model::event::{EventFacts, EventKind, first_number};
use rollcall_model::time::DAY;

/// An event as it is read.
#[derive(Clone, Debug)]
pub struct EventRow {
    /// Its place in the order of all events; `rollcall_model::event::id` turns it into the public id.
    pub n: i64,
    pub at: i64,
    pub kind: EventKind,
    pub server: Option<EventServer>,
    pub player: Option<EventPlayer>,
    /// The public id of the vote, review, post or skin.
    pub subject: Option<String>,
    pub facts: EventFacts,
    pub post: Option<EventPost>,
    pub skin: Option<EventSkin>,
}

#[derive(Clone, Debug)]
pub struct EventServer {
    pub n: i64,
    pub id: String,
    pub slug: String,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct EventPlayer {
    pub n: i64,
    pub id: String,
    pub game_uuid: String,
    pub nickname: String,
}

#[derive(Clone, Debug)]
pub struct EventPost {
    pub title: String,
}

#[derive(Clone, Debug)]
pub struct EventSkin {
    pub slug: String,
    pub name: String,
    pub model: String,
    pub png: String,
}

/// Which events to read; empty: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub server_n: Option<i64>,
    pub player_n: Option<i64>,
    pub kinds: Vec<EventKind>,
}

impl EventFilter {
    pub fn matches(&self, event: &EventRow) -> bool {
        self.server_n.is_none_or(|n| event.server.as_ref().is_some_and(|server| server.n == n))
            && self.player_n.is_none_or(|n| event.player.as_ref().is_some_and(|player| player.n == n))
            && (self.kinds.is_empty() || self.kinds.contains(&event.kind))
    }
}

/// Some events, oldest first.
#[derive(Clone, Debug)]
pub struct EventPage {
    pub events: Vec<EventRow>,
    /// Where the next page begins: all events up to this number are read.
    pub next: i64,
    /// Whether there are no more events now.
    pub is_end: bool,
}

/// No event is written with a time so long before the clock.
const MAX_DELAY: i64 = DAY;

/// The newest number given to an event; 0 before the first one.
pub fn newest_number(conn: &mut Conn) -> Result<i64> {
    conn.query_one("select event_n from store_state", &[], |row| row.get(0))
}

/// The events after a number, or the newest ones without it. Events become visible in the order of their numbers, so a reader that
/// goes on with [`EventPage::next`] misses none and sees none twice.
pub fn page(conn: &mut Conn, filter: &EventFilter, after: Option<i64>, limit: usize, now: i64) -> Result<EventPage> {
    // Before the events: what is written meanwhile belongs to the next page.
    let newest = newest_number(conn)?.max(first_number(now - MAX_DELAY));
    let mut events = rows(conn, filter, after, limit, super::first_kept(now), newest)?;
    let is_end = after.is_none() || events.len() < limit;
    if after.is_none() {
        events.reverse();
    }
    let last = if is_end { Some(newest) } else { events.last().map(|(n, _)| *n) };
    let events = events.into_iter().filter_map(|(_, event)| event).collect();
    Ok(EventPage { events, next: last.max(after).unwrap_or(newest), is_end })
}

/// The event with this number, if it may be seen now.
pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<EventRow>> {
    let sql = format!("{} and e.n = $1", select());
    Ok(conn.query_optional(&sql, values![n], read)?.flatten())
}

/// What is read of events that may be seen.
fn select() -> String {
    let [review, post, skin] =
        [EventKind::ReviewCreated, EventKind::PostApproved, EventKind::SkinPublished].map(EventKind::code);
    format!(
        "select e.n, e.at, e.kind, e.subject, e.facts, s.n, s.id, s.slug, s.name, p.n, p.id, p.game_uuid, p.nickname,
                u.title, t.slug, t.name, t.model, t.png
         from events e left join servers s on s.n = e.server_n left join players p on p.n = e.player_n
         left join reviews r on e.kind = {review} and r.id = e.subject
         left join update_posts u on e.kind = {post} and u.id = e.subject and u.ordinal is not null
         left join textures t on e.kind = {skin} and t.id = e.subject and not t.hidden
         where (e.server_n is null or s.visibility = 'PUBLIC') and (e.kind <> {review} or r.id is not null)
           and (e.kind <> {post} or u.id is not null) and (e.kind <> {skin} or t.id is not null)"
    )
}

/// The first rows after a number, or the last ones, newest first, each with its number.
fn rows(
    conn: &mut Conn,
    filter: &EventFilter,
    after: Option<i64>,
    limit: usize,
    first: i64,
    newest: i64,
) -> Result<Vec<(i64, Option<EventRow>)>> {
    let from = after.map_or(first, |after| first.max(after + 1));
    let mut values: Vec<Value> = values![limit as i64, from, newest].to_vec();
    let mut sql = format!("{} and e.n >= $2 and e.n <= $3", select());
    for (column, n) in [("server_n", filter.server_n), ("player_n", filter.player_n)] {
        if let Some(n) = n {
            values.push(n.into());
            sql.push_str(&format!(" and e.{column} = ${}", values.len()));
        }
    }
    let order = if after.is_some() { "e.n" } else { "e.n desc" };
    let sql = match filter.kinds.as_slice() {
        [] => format!("{sql} order by {order} limit $1"),
        // One range of the index per kind: a rare one is not searched for among all events.
        kinds => {
            let ranges = kinds.iter().map(|kind| {
                format!("select * from ({sql} and e.kind = {} order by {order} limit $1) k{0}", kind.code())
            });
            let all = ranges.collect::<Vec<_>>().join(" union all ");
            let order = if after.is_some() { "1" } else { "1 desc" };
            format!("{all} order by {order} limit $1")
        }
    };
    conn.query(&sql, &values, |row| (row.get(0), read(row)))
}

/// `None` for a kind that a newer version wrote.
fn read(row: &Row) -> Option<EventRow> {
    let facts: String = row.get(4);
    Some(EventRow {
        n: row.get(0),
        at: row.get(1),
        kind: EventKind::of_code(row.get(2))?,
        subject: row.get(3),
        facts: serde_json::from_str(&facts).unwrap_or_default(),
        server: row.get::<Option<i64>>(5).map(|n| EventServer {
            n,
            id: row.get(6),
            slug: row.get(7),
            name: row.get(8),
        }),
        player: row.get::<Option<i64>>(9).map(|n| EventPlayer {
            n,
            id: row.get(10),
            game_uuid: row.get(11),
            nickname: row.get(12),
        }),
        post: row.get::<Option<String>>(13).map(|title| EventPost { title }),
        skin: row.get::<Option<String>>(14).map(|slug| EventSkin {
            slug,
            name: row.get(15),
            model: row.get::<Option<String>>(16).unwrap_or_default(),
            png: row.get(17),
        }),
    })
}
