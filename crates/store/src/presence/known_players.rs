//! Who of those seen is known.

use std::collections::{BTreeSet, HashMap};

use super::Sighting;
use crate::{Conn, Result, Row, Value, placeholders};
use rollcall_model::achievements::Figures;
use rollcall_ping::Seen;
use rollcall_search::fold;

/// A player as sightings change him.
#[derive(Clone, Debug)]
pub(super) struct Person {
    pub n: i64,
    pub nickname: String,
    pub nickname_at: i64,
    pub last_seen_at: i64,
    pub figures: Figures,
    pub achievements: i64,
}

/// Found by id, or by name where a list has no ids.
#[derive(Default)]
pub(super) struct People {
    by_uuid: HashMap<String, Person>,
    by_name: HashMap<String, Person>,
}

/// Ids or names in one question.
const AT_ONCE: usize = 256;

impl People {
    pub fn find(&self, seen: &Seen) -> Option<&Person> {
        match &seen.uuid {
            Some(uuid) => self.by_uuid.get(uuid),
            None => self.by_name.get(&fold(&seen.name)),
        }
    }

    pub fn add_by_uuid(&mut self, conn: &mut Conn, uuids: &BTreeSet<String>) -> Result<()> {
        look_up(conn, "game_uuid", uuids, |uuid, person| {
            self.by_uuid.insert(uuid, person);
        })
    }

    /// Of several with one name, whoever was seen last.
    pub fn add_by_name(&mut self, conn: &mut Conn, names: &BTreeSet<String>) -> Result<()> {
        look_up(conn, "nickname_key", names, |name, person| {
            let kept = self.by_name.entry(name).or_insert_with(|| person.clone());
            if (person.last_seen_at, -person.n) > (kept.last_seen_at, -kept.n) {
                *kept = person;
            }
        })
    }
}

pub(super) fn known(conn: &mut Conn, sightings: &[Sighting]) -> Result<People> {
    let (mut uuids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for seen in sightings.iter().flat_map(|sighting| &sighting.seen) {
        match &seen.uuid {
            Some(uuid) => uuids.insert(uuid.clone()),
            None => names.insert(fold(&seen.name)),
        };
    }
    let mut people = People::default();
    people.add_by_uuid(conn, &uuids)?;
    people.add_by_name(conn, &names)?;
    Ok(people)
}

fn look_up(
    conn: &mut Conn,
    column: &str,
    wanted: &BTreeSet<String>,
    mut take: impl FnMut(String, Person),
) -> Result<()> {
    let wanted: Vec<&String> = wanted.iter().collect();
    for some in wanted.chunks(AT_ONCE) {
        let mut values: Vec<Value> = some.iter().map(|&text| Value::from(text)).collect();
        let last = values[values.len() - 1].clone();
        values.resize(some.len().next_power_of_two(), last);
        let sql = format!(
            "select {column}, n, nickname, nickname_at, last_seen_at, total_play_time, session_count, servers_count,
                    total_kills, total_deaths, total_wins, vote_count, review_count, tier_points, achievements
             from players where {column} in ({})",
            placeholders(some.len())
        );
        conn.for_each(&sql, &values, |row| take(row.get(0), read(row)))?;
    }
    Ok(())
}

fn read(row: &Row) -> Person {
    Person {
        n: row.get(1),
        nickname: row.get(2),
        nickname_at: row.get(3),
        last_seen_at: row.get(4),
        figures: Figures {
            play_time_s: row.get(5),
            sessions: row.get(6),
            servers: row.get(7),
            kills: row.get(8),
            deaths: row.get(9),
            wins: row.get(10),
            votes: row.get(11),
            reviews: row.get(12),
            tier_points: row.get(13),
        },
        achievements: row.get(14),
    }
}
