//! Looks up the stored players among those listed.

use std::collections::{BTreeSet, HashMap};

use super::PlayerSighting;
use crate::{Conn, Result, Row, Value, placeholders};
use rollcall_model::achievements::PlayerTotals;
use rollcall_ping::ListedPlayer;
use rollcall_search::fold;

/// The columns of a player that a sighting may change.
#[derive(Clone, Debug)]
pub(super) struct KnownPlayer {
    pub n: i64,
    pub nickname: String,
    pub nickname_at: i64,
    pub last_seen_at: i64,
    pub totals: PlayerTotals,
    pub achievements: i64,
}

/// Stored players by UUID, or by folded name where a player list has no UUIDs.
#[derive(Default)]
pub(super) struct KnownPlayers {
    by_uuid: HashMap<String, KnownPlayer>,
    by_name: HashMap<String, KnownPlayer>,
}

/// UUIDs or names per query.
const BATCH: usize = 256;

impl KnownPlayers {
    pub fn find(&self, listed: &ListedPlayer) -> Option<&KnownPlayer> {
        match &listed.uuid {
            Some(uuid) => self.by_uuid.get(uuid),
            None => self.by_name.get(&fold(&listed.name)),
        }
    }

    pub fn add_by_uuid(&mut self, conn: &mut Conn, uuids: &BTreeSet<String>) -> Result<()> {
        look_up(conn, "game_uuid", uuids, |uuid, player| {
            self.by_uuid.insert(uuid, player);
        })
    }

    /// Of several players with one name, the one seen last.
    pub fn add_by_name(&mut self, conn: &mut Conn, names: &BTreeSet<String>) -> Result<()> {
        look_up(conn, "nickname_key", names, |name, player| {
            let best = self.by_name.entry(name).or_insert_with(|| player.clone());
            if (player.last_seen_at, -player.n) > (best.last_seen_at, -best.n) {
                *best = player;
            }
        })
    }
}

pub(super) fn load(conn: &mut Conn, sightings: &[PlayerSighting]) -> Result<KnownPlayers> {
    let (mut uuids, mut names) = (BTreeSet::new(), BTreeSet::new());
    for listed in sightings.iter().flat_map(|sighting| &sighting.players) {
        match &listed.uuid {
            Some(uuid) => uuids.insert(uuid.clone()),
            None => names.insert(fold(&listed.name)),
        };
    }
    let mut players = KnownPlayers::default();
    players.add_by_uuid(conn, &uuids)?;
    players.add_by_name(conn, &names)?;
    Ok(players)
}

fn look_up(
    conn: &mut Conn,
    column: &str,
    wanted: &BTreeSet<String>,
    mut each: impl FnMut(String, KnownPlayer),
) -> Result<()> {
    let wanted: Vec<&String> = wanted.iter().collect();
    for batch in wanted.chunks(BATCH) {
        let mut values: Vec<Value> = batch.iter().map(|&text| Value::from(text)).collect();
        let last = values[values.len() - 1].clone();
        values.resize(batch.len().next_power_of_two(), last);
        let sql = format!(
            "select {column}, n, nickname, nickname_at, last_seen_at, total_play_time, session_count, servers_count,
                    total_kills, total_deaths, total_wins, vote_count, review_count, tier_points, achievements
             from players where {column} in ({})",
            placeholders(batch.len())
        );
        conn.for_each(&sql, &values, |row| each(row.get(0), read(row)))?;
    }
    Ok(())
}

fn read(row: &Row) -> KnownPlayer {
    KnownPlayer {
        n: row.get(1),
        nickname: row.get(2),
        nickname_at: row.get(3),
        last_seen_at: row.get(4),
        totals: PlayerTotals {
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
