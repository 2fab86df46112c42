//! Players who were seen on servers, and the sessions that this makes. Everything in the transaction of the round that saw
//! them, totals included.

mod known_players;
mod new_players;

use std::collections::{HashMap, HashSet};

use super::{Conn, Result, Value, pad, placeholders};
use crate::values;
use known_players::Person;
use rollcall_model::achievements;
use rollcall_model::id;
use rollcall_model::time::{DAY, SECOND};
use rollcall_ping::Seen;
use rollcall_search::fold;

/// The game lets nobody change his name more often.
const NAME_LASTS: i64 = 30 * DAY;

/// Players in one question.
const AT_ONCE: usize = 256;

/// Who was on a server at a moment.
#[derive(Clone, Debug)]
pub struct Sighting {
    pub server_n: i64,
    pub is_public: bool,
    pub at: i64,
    /// Whoever was last seen no longer ago has been there all the time.
    pub grace: i64,
    pub seen: Vec<Seen>,
    /// How many of them may be players whom nobody knew: names cost a hostile server nothing.
    pub most_new: usize,
}

/// A session that goes on, or begins.
struct Visit {
    player_n: i64,
    server_n: i64,
    joined_at: i64,
    left_at: i64,
    /// `None`: a new one.
    session_n: Option<i64>,
}

/// Keeps the sightings of one batch; `rev` is that of its transaction. Gives how many new players each made.
pub fn keep(conn: &mut Conn, sightings: &[Sighting], rev: i64) -> Result<Vec<usize>> {
    if sightings.iter().all(|sighting| sighting.seen.is_empty()) {
        return Ok(vec![0; sightings.len()]);
    }
    let mut people = known_players::known(conn, sightings)?;
    let made = new_players::welcome(conn, sightings, &mut people, rev)?;
    let mut visits = Vec::new();
    let mut changed: HashMap<i64, Person> = HashMap::new();
    for sighting in sightings {
        let mut twice = HashSet::new();
        let found = sighting.seen.iter().filter_map(|seen| Some((seen, people.find(seen)?)));
        let here: Vec<_> = found.filter(|(_, person)| twice.insert(person.n)).collect();
        let latest = latest(conn, sighting.server_n, &here.iter().map(|(_, person)| person.n).collect::<Vec<_>>())?;
        for (seen, person) in here {
            let person = changed.entry(person.n).or_insert_with(|| person.clone());
            if let Some(visit) = visit(latest.get(&person.n).copied(), sighting, person) {
                visits.push(visit);
            }
            if seen.uuid.is_some() && seen.name != person.nickname && sighting.at - person.nickname_at >= NAME_LASTS {
                rename(conn, person, &seen.name, sighting.at)?;
            }
        }
    }
    write_visits(conn, &visits)?;
    write_people(conn, changed.values(), rev)?;
    Ok(made)
}

/// A session: its number, when it began, and when it ended.
type Session = (i64, i64, i64);

/// The latest sessions of these players on a server. One question for many: a server may name thousands.
fn latest(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, Session>> {
    let mut latest = HashMap::with_capacity(players.len());
    for some in players.chunks(AT_ONCE) {
        let mut values = pad(some);
        let sql = format!(
            "select s.player_n, s.n, s.joined_at, s.left_at from sessions s
             where s.player_n in ({}) and s.server_n = ${} and s.left_at =
                   (select max(t.left_at) from sessions t where t.player_n = s.player_n and t.server_n = s.server_n)",
            placeholders(some.len()),
            values.len() + 1
        );
        values.push(server_n.into());
        conn.for_each(&sql, &values, |row| {
            latest.insert(row.get(0), (row.get(1), row.get(2), row.get(3)));
        })?;
    }
    Ok(latest)
}

/// What the sighting does to the player's latest session there, and to his totals.
fn visit(latest: Option<Session>, sighting: &Sighting, person: &mut Person) -> Option<Visit> {
    let at = sighting.at;
    // Only what everybody may see counts.
    let counted = i64::from(sighting.is_public);
    let visit = match latest {
        Some((_, _, left_at)) if left_at >= at => return None,
        Some((n, joined_at, left_at)) if at - left_at <= sighting.grace => {
            person.figures.play_time_s += counted * (seconds(joined_at, at) - seconds(joined_at, left_at));
            Visit { player_n: person.n, server_n: sighting.server_n, joined_at, left_at: at, session_n: Some(n) }
        }
        other => {
            person.figures.sessions += counted;
            person.figures.servers += counted * i64::from(other.is_none());
            Visit { player_n: person.n, server_n: sighting.server_n, joined_at: at, left_at: at, session_n: None }
        }
    };
    person.last_seen_at = person.last_seen_at.max(at);
    Some(visit)
}

fn seconds(from: i64, to: i64) -> i64 {
    (to - from) / SECOND
}

fn rename(conn: &mut Conn, person: &mut Person, name: &str, at: i64) -> Result<()> {
    conn.execute(
        "insert into player_nicknames (player_n, position, nickname)
         select cast($1 as bigint), coalesce(max(position) + 1, 0), cast($2 as text) from player_nicknames
         where player_n = $1",
        values![person.n, name],
    )?;
    person.nickname = name.to_owned();
    person.nickname_at = at;
    Ok(())
}

fn write_visits(conn: &mut Conn, visits: &[Visit]) -> Result<()> {
    let (old, new): (Vec<_>, Vec<_>) = visits.iter().partition(|visit| visit.session_n.is_some());
    let grown: Vec<Vec<Value>> = old
        .iter()
        .map(|visit| values![visit.session_n, visit.left_at, seconds(visit.joined_at, visit.left_at)].to_vec())
        .collect();
    conn.execute_many(
        "update sessions set left_at = v.column2, play_time = v.column3 from (values {rows}) v
         where sessions.n = v.column1",
        &["bigint", "bigint", "bigint"],
        &grown,
    )?;
    let begun: Vec<Vec<Value>> = new
        .iter()
        .map(|visit| {
            let id = id::encode(rand::random());
            values![id, visit.player_n, visit.server_n, visit.joined_at, visit.left_at].to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into sessions (id, player_n, server_n, joined_at, left_at, play_time)
         select v.column1, v.column2, v.column3, v.column4, v.column5, 0 from (values {rows}) v",
        &["text", "bigint", "bigint", "bigint", "bigint"],
        &begun,
    )
}

fn write_people<'p>(conn: &mut Conn, people: impl Iterator<Item = &'p Person>, rev: i64) -> Result<()> {
    let rows: Vec<Vec<Value>> = people
        .map(|person| {
            let earned = person.achievements | achievements::earned(&person.figures).cast_signed();
            values![
                person.n,
                person.figures.play_time_s,
                person.figures.sessions,
                person.figures.servers,
                earned,
                person.last_seen_at,
                &person.nickname,
                fold(&person.nickname),
                person.nickname_at,
                rev,
            ]
            .to_vec()
        })
        .collect();
    conn.execute_many(
        "update players set total_play_time = v.column2, session_count = v.column3, servers_count = v.column4,
                achievements = v.column5, last_seen_at = v.column6, updated_at = v.column6, nickname = v.column7,
                nickname_key = v.column8, nickname_at = v.column9, rev = v.column10
         from (values {rows}) v where players.n = v.column1",
        &["bigint", "bigint", "bigint", "bigint", "bigint", "bigint", "text", "text", "bigint", "bigint"],
        &rows,
    )
}
