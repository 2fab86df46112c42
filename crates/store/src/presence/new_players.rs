//! Inserts players who were seen for the first time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::PlayerSighting;
use super::known_players::KnownPlayers;
use crate::builtin_skins::default_skin_ids;
use crate::erased_players::{self, Identity};
use crate::values;
use crate::{Conn, Result, Value};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::{id, tier};
use rollcall_search::fold;

/// One of the two default skins.
struct DefaultSkin {
    n: i64,
    png: String,
    model: String,
}

/// A player to insert.
struct NewPlayer<'a> {
    name: &'a str,
    /// The server that reported the name.
    server_n: Option<i64>,
    at: i64,
}

/// Inserts a player whom the session server confirmed, and returns their number. Check first that they are not known.
pub(super) fn insert_verified(conn: &mut Conn, uuid: &str, name: &str, at: i64, rev: i64) -> Result<i64> {
    let new = BTreeMap::from([(uuid.to_owned(), NewPlayer { name, server_n: None, at })]);
    insert(conn, &new, rev)?;
    conn.query_one("select n from players where game_uuid = $1", values![uuid], |row| row.get(0))
}

/// Inserts the seen players that are missing in `players` and adds them to it. Returns the number of new players of each
/// sighting.
pub(super) fn insert_missing(
    conn: &mut Conn,
    sightings: &[PlayerSighting],
    players: &mut KnownPlayers,
    rev: i64,
) -> Result<Vec<usize>> {
    let mut new: BTreeMap<String, NewPlayer> = BTreeMap::new();
    // A name without an id is a player of its own on each server.
    let mut named: HashMap<(i64, String), String> = HashMap::new();
    let mut counts = Vec::with_capacity(sightings.len());
    let erased = erased(conn, sightings, players)?;
    for sighting in sightings {
        let before = new.len();
        let server_n = sighting.source.server_n;
        for listed in &sighting.players {
            if new.len() - before >= sighting.max_new_players {
                break;
            }
            if players.find(server_n, listed).is_none() && !erased.contains(&identity(listed)) {
                let uuid = match &listed.uuid {
                    Some(uuid) => uuid,
                    None => &*named
                        .entry((server_n, fold(&listed.name)))
                        .or_insert_with(|| id::name_only_uuid(rand::random())),
                };
                new.entry(uuid.clone()).or_insert(NewPlayer {
                    name: &listed.name,
                    server_n: Some(server_n),
                    at: sighting.at,
                });
            }
        }
        counts.push(new.len() - before);
    }
    if new.is_empty() {
        return Ok(counts);
    }
    insert(conn, &new, rev)?;
    let uuids: BTreeSet<String> = new.keys().cloned().collect();
    players.add_by_uuid(conn, &uuids)?;
    for ((server_n, name), uuid) in &named {
        players.add_name(*server_n, name, uuid);
    }
    Ok(counts)
}

/// Those of the missing players who opted out. Known players did not: their rows are gone.
fn erased<'s>(
    conn: &mut Conn,
    sightings: &'s [PlayerSighting],
    players: &KnownPlayers,
) -> Result<HashSet<Identity<'s>>> {
    let mut missing: HashSet<Identity> = HashSet::new();
    for sighting in sightings {
        let unknown = sighting.players.iter().filter(|listed| players.find(sighting.source.server_n, listed).is_none());
        missing.extend(unknown.map(identity));
    }
    let missing: Vec<Identity> = missing.into_iter().collect();
    let is_erased = erased_players::select(conn, &missing)?;
    Ok(missing.into_iter().zip(is_erased).filter(|(_, is_erased)| *is_erased).map(|(identity, _)| identity).collect())
}

fn identity(listed: &ListedPlayer) -> Identity<'_> {
    match &listed.uuid {
        Some(uuid) => Identity::Uuid(uuid),
        None => Identity::Name(&listed.name),
    }
}

fn insert(conn: &mut Conn, new: &BTreeMap<String, NewPlayer>, rev: i64) -> Result<()> {
    let skins = default_skins(conn)?;
    let mut worn = [0_i64; 2];
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(new.len());
    for (uuid, player) in new {
        let which = usize::from(is_slim(uuid));
        let skin = &skins[which];
        worn[which] += 1;
        rows.push(
            values![
                id::encode(rand::random()),
                uuid,
                player.name,
                fold(player.name),
                &skin.png,
                &skin.model,
                skin.n,
                player.at,
                rev,
                player.server_n
            ]
            .to_vec(),
        );
    }
    conn.execute_many(
        &format!(
            "insert into players (id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, created_at,
                                  updated_at, last_seen_at, nickname_at, played_until, tier_overall, tier_points,
                                  total_play_time, session_count, servers_count, total_kills, total_deaths, total_wins,
                                  vote_count, review_count, achievements, rev, nickname_server_n)
             select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7, v.column8,
                    v.column8, v.column8, v.column8, v.column8, '{}', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, v.column9,
                    v.column10
             from (values {{rows}}) v where true on conflict (game_uuid) do nothing",
            tier::from_points(0)
        ),
        &["text", "text", "text", "text", "text", "text", "bigint", "bigint", "bigint", "bigint"],
        &rows,
    )?;
    let names: Vec<Vec<Value>> = new.iter().map(|(uuid, player)| values![uuid, player.name].to_vec()).collect();
    conn.execute_many(
        "insert into player_nicknames (player_n, position, nickname)
         select p.n, 0, v.column2 from (values {rows}) v join players p on p.game_uuid = v.column1 where true
         on conflict (player_n, position) do nothing",
        &["text", "text"],
        &names,
    )?;
    for (skin, worn) in skins.iter().zip(worn).filter(|(_, worn)| *worn > 0) {
        conn.execute(
            "update textures set usage_count = usage_count + $1, rev = $2 where n = $3",
            values![worn, rev, skin.n],
        )?;
    }
    Ok(())
}

/// Classic and slim, in this order.
fn default_skins(conn: &mut Conn) -> Result<[DefaultSkin; 2]> {
    let [classic, slim] = default_skin_ids();
    let mut skin = |id: String| {
        conn.query_one("select n, png, model from textures where id = $1", values![id], |row| DefaultSkin {
            n: row.get(0),
            png: row.get(1),
            model: row.get(2),
        })
    };
    Ok([skin(classic)?, skin(slim)?])
}

/// The game's rule for players without a skin: slim if the hash of the UUID is odd.
fn is_slim(uuid: &str) -> bool {
    let bits = u128::from_str_radix(&uuid.replace('-', ""), 16).unwrap_or(0);
    let halves = (bits >> 64) as u64 ^ bits as u64;
    ((halves >> 32) ^ halves) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_skins_match_the_game() {
        // Steve and Alex.
        assert!(!is_slim("00000000-0000-0000-0000-000000000000"));
        assert!(is_slim("00000000-0000-0000-0000-000000000001"));
    }
}
