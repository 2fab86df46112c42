//! Reads events with the names of today. Events about servers that are not public any more, and about reviews, posts and skins that
//! are not shown, are left out.

use std::collections::{HashMap, HashSet};

use crate::{Conn, Result, Row, Value, pad_values, placeholders, values};
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

/// The server of an event: a public one, or one that the reader manages.
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

/// A cursor after all events. It is fresh even if nothing has happened for a long time, because old cursors are refused.
pub fn end_cursor(conn: &mut Conn, now: i64) -> Result<i64> {
    newest_number(conn).map(|newest| end_after(newest, now))
}

fn end_after(newest: i64, now: i64) -> i64 {
    newest.max(first_number(now - MAX_DELAY))
}

/// Finds public servers that the caller has in memory. Others are read.
pub type KnownServers<'a> = &'a dyn Fn(i64) -> Option<EventServer>;

/// Rows read at once when the first ones of a page were not enough, because many may not be seen.
const MORE_ROWS: usize = 1_000;

/// The events after a number, or the newest ones without it. Events become visible in the order of their numbers, so a reader that
/// goes on with [`EventPage::next`] misses none and sees none twice.
pub fn page(
    conn: &mut Conn,
    known: KnownServers,
    filter: &EventFilter,
    after: Option<i64>,
    limit: usize,
    now: i64,
) -> Result<EventPage> {
    let first = super::first_kept(now);
    let mut range = Range {
        first: after.map_or(first, |after| first.max(after + 1)),
        last: i64::MAX,
        newest_first: after.is_none(),
        rows: limit,
    };
    let (newest, mut rows) = conn.batch_reads(|conn| {
        // Before the events: one that is written meanwhile is either found, or after this number.
        let newest = newest_number(conn);
        let rows = range.read(conn, filter)?;
        Ok((newest?, rows))
    })?;
    let mut events = Vec::with_capacity(limit);
    let mut is_end = after.is_none();
    loop {
        let ran_out = rows.len() < range.rows;
        range.skip(&rows);
        events.extend(visible(conn, known, rows)?);
        if events.len() > limit {
            events.truncate(limit);
            break;
        }
        is_end |= ran_out;
        if ran_out || events.len() == limit {
            break;
        }
        range.rows = MORE_ROWS;
        rows = range.read(conn, filter)?;
    }
    if after.is_none() {
        events.reverse();
    }
    let last = events.last().map(|event| event.n);
    let end = is_end.then(|| end_after(newest, now));
    Ok(EventPage { events, next: last.max(end).max(after).unwrap_or(newest), is_end })
}

/// The event with this number, if it may be seen now.
pub fn by_number(conn: &mut Conn, n: i64) -> Result<Option<EventRow>> {
    let row = conn.query(&format!("{COLUMNS} where e.n = $1"), values![n], StoredEvent::read)?;
    Ok(visible(conn, &|_| None, row)?.pop())
}

const COLUMNS: &str = "select e.n, e.at, e.kind, e.subject, e.facts, e.server_n, p.n, p.id, p.game_uuid, p.nickname
     from events e left join players p on p.n = e.player_n";

/// An event of which is not known yet whether it may be seen.
struct StoredEvent {
    n: i64,
    at: i64,
    /// `None` for a kind that a newer version wrote.
    kind: Option<EventKind>,
    subject: Option<String>,
    facts: EventFacts,
    server_n: Option<i64>,
    player: Option<EventPlayer>,
}

impl StoredEvent {
    fn read(row: &Row) -> Self {
        let facts: String = row.get(4);
        Self {
            n: row.get(0),
            at: row.get(1),
            kind: EventKind::of_code(row.get(2)),
            subject: row.get(3),
            facts: if facts.is_empty() { None } else { serde_json::from_str(&facts).ok() }.unwrap_or_default(),
            server_n: row.get(5),
            player: row.get::<Option<i64>>(6).map(|n| EventPlayer {
                n,
                id: row.get(7),
                game_uuid: row.get(8),
                nickname: row.get(9),
            }),
        }
    }
}

/// Which rows to read, whether or not they may be seen.
struct Range {
    first: i64,
    last: i64,
    newest_first: bool,
    rows: usize,
}

impl Range {
    fn read(&self, conn: &mut Conn, filter: &EventFilter) -> Result<Vec<StoredEvent>> {
        let mut values: Vec<Value> = values![self.rows as i64, self.first, self.last].to_vec();
        let mut sql = format!("{COLUMNS} where e.n >= $2 and e.n <= $3");
        for (column, n) in [("server_n", filter.server_n), ("player_n", filter.player_n)] {
            if let Some(n) = n {
                values.push(n.into());
                sql.push_str(&format!(" and e.{column} = ${}", values.len()));
            }
        }
        let order = if self.newest_first { "e.n desc" } else { "e.n" };
        let sql = match filter.kinds.as_slice() {
            [] => format!("{sql} order by {order} limit $1"),
            // One range of the index per kind: a rare one is not searched for among all events.
            kinds => {
                let ranges = kinds.iter().map(|kind| {
                    format!("select * from ({sql} and e.kind = {} order by {order} limit $1) k{0}", kind.code())
                });
                let all = ranges.collect::<Vec<_>>().join(" union all ");
                let order = if self.newest_first { "1 desc" } else { "1" };
                format!("{all} order by {order} limit $1")
            }
        };
        conn.query(&sql, &values, StoredEvent::read)
    }

    /// Goes on after these rows.
    fn skip(&mut self, rows: &[StoredEvent]) {
        match rows.last() {
            Some(row) if self.newest_first => self.last = row.n - 1,
            Some(row) => self.first = row.n + 1,
            None => {}
        }
    }
}

/// The events that may be seen, with the names of what they are about.
fn visible(conn: &mut Conn, known: KnownServers, rows: Vec<StoredEvent>) -> Result<Vec<EventRow>> {
    let known: Vec<Option<EventServer>> = rows.iter().map(|row| known(row.server_n?)).collect();
    let others = OtherSubjects::read(conn, &rows, &known)?;
    let read = |(row, server): (StoredEvent, Option<EventServer>)| {
        let kind = row.kind?;
        let server = match row.server_n {
            Some(n) => Some(server.or_else(|| others.servers.get(&n).cloned())?),
            None => None,
        };
        let (mut post, mut skin) = (None, None);
        match kind {
            EventKind::ReviewCreated if !others.reviews.contains(row.subject.as_deref()?) => return None,
            EventKind::PostApproved => post = Some(others.posts.get(row.subject.as_deref()?)?.clone()),
            EventKind::SkinPublished => skin = Some(others.skins.get(row.subject.as_deref()?)?.clone()),
            _ => {}
        }
        let StoredEvent { n, at, player, subject, facts, .. } = row;
        Some(EventRow { n, at, kind, server, player, subject, facts, post, skin })
    };
    Ok(rows.into_iter().zip(known).filter_map(read).collect())
}

/// What events of a page are about, apart from known servers and players. Most pages need none of it.
#[derive(Default)]
struct OtherSubjects {
    servers: HashMap<i64, EventServer>,
    reviews: HashSet<String>,
    posts: HashMap<String, EventPost>,
    skins: HashMap<String, EventSkin>,
}

impl OtherSubjects {
    fn read(conn: &mut Conn, rows: &[StoredEvent], known: &[Option<EventServer>]) -> Result<Self> {
        let unknown = rows.iter().zip(known).filter(|(_, known)| known.is_none());
        let mut servers: Vec<i64> = unknown.filter_map(|(row, _)| row.server_n).collect();
        servers.sort_unstable();
        servers.dedup();
        let subjects = |kind: EventKind| -> Vec<&str> {
            let of_kind = rows.iter().filter(|row| row.kind == Some(kind));
            of_kind.filter_map(|row| row.subject.as_deref()).collect()
        };
        let [reviews, posts, skins] =
            [EventKind::ReviewCreated, EventKind::PostApproved, EventKind::SkinPublished].map(subjects);
        if servers.is_empty() && [&reviews, &posts, &skins].into_iter().all(Vec::is_empty) {
            return Ok(Self::default());
        }
        conn.batch_reads(|conn| {
            Ok(Self {
                servers: read_servers(conn, &servers)?,
                reviews: shown_reviews(conn, &reviews)?,
                posts: read_posts(conn, &posts)?,
                skins: read_skins(conn, &skins)?,
            })
        })
    }
}

fn read_servers(conn: &mut Conn, numbers: &[i64]) -> Result<HashMap<i64, EventServer>> {
    let sql = "select n, id, slug, name from servers where visibility = 'PUBLIC' and n";
    listed(conn, sql, numbers, |row| {
        (row.get(0), EventServer { n: row.get(0), id: row.get(1), slug: row.get(2), name: row.get(3) })
    })
}

fn shown_reviews(conn: &mut Conn, ids: &[&str]) -> Result<HashSet<String>> {
    listed(conn, "select id from reviews where id", ids, |row| row.get(0))
}

fn read_posts(conn: &mut Conn, ids: &[&str]) -> Result<HashMap<String, EventPost>> {
    let sql = "select id, title from update_posts where ordinal is not null and id";
    listed(conn, sql, ids, |row| (row.get(0), EventPost { title: row.get(1) }))
}

fn read_skins(conn: &mut Conn, ids: &[&str]) -> Result<HashMap<String, EventSkin>> {
    let sql = "select id, slug, name, model, png from textures where not hidden and id";
    listed(conn, sql, ids, |row| {
        let model = row.get::<Option<String>>(3).unwrap_or_default();
        (row.get(0), EventSkin { slug: row.get(1), name: row.get(2), model, png: row.get(4) })
    })
}

/// The rows of the listed keys: the query ends with the column that they are in.
fn listed<K: Copy + Into<Value>, T, C: Default + FromIterator<T>>(
    conn: &mut Conn,
    sql: &str,
    keys: &[K],
    read: impl FnMut(&Row) -> T,
) -> Result<C> {
    if keys.is_empty() {
        return Ok(C::default());
    }
    let sql = format!("{sql} in ({})", placeholders(keys.len()));
    Ok(conn.query(&sql, &pad_values(keys), read)?.into_iter().collect())
}
