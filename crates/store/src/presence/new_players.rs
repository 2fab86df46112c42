//! Players whom nobody knew.

use std::collections::{BTreeMap, BTreeSet};

use md5::{Digest, Md5};

use super::Sighting;
use super::known_players::People;
use crate::builtin_skins::default_skin_ids;
use crate::values;
use crate::{Conn, Result, Value};
use rollcall_model::{id, tier};
use rollcall_ping::Seen;
use rollcall_search::fold;

/// The two that everybody wears who has linked none.
struct Skin {
    n: i64,
    png: String,
    model: String,
}

/// Makes players of those that `people` does not know, and adds them to it. Gives how many each sighting made.
pub(super) fn welcome(conn: &mut Conn, sightings: &[Sighting], people: &mut People, rev: i64) -> Result<Vec<usize>> {
    let mut new: BTreeMap<String, (&Seen, i64)> = BTreeMap::new();
    let mut made = Vec::with_capacity(sightings.len());
    for sighting in sightings {
        let before = new.len();
        for seen in &sighting.seen {
            if new.len() - before >= sighting.most_new {
                break;
            }
            if people.find(seen).is_none() {
                let uuid = seen.uuid.clone().unwrap_or_else(|| offline_uuid(&seen.name));
                new.entry(uuid).or_insert((seen, sighting.at));
            }
        }
        made.push(new.len() - before);
    }
    if new.is_empty() {
        return Ok(made);
    }
    insert(conn, &new, rev)?;
    let uuids: BTreeSet<String> = new.keys().cloned().collect();
    people.add_by_uuid(conn, &uuids)?;
    let names = new.values().filter(|(seen, _)| seen.uuid.is_none()).map(|(seen, _)| fold(&seen.name)).collect();
    people.add_by_name(conn, &names)?;
    Ok(made)
}

fn insert(conn: &mut Conn, new: &BTreeMap<String, (&Seen, i64)>, rev: i64) -> Result<()> {
    let skins = skins(conn)?;
    let mut worn = [0_i64; 2];
    let mut rows: Vec<Vec<Value>> = Vec::with_capacity(new.len());
    for (uuid, (seen, at)) in new {
        let which = usize::from(is_slim(uuid));
        let skin = &skins[which];
        worn[which] += 1;
        rows.push(
            values![
                id::encode(rand::random()),
                uuid,
                &seen.name,
                fold(&seen.name),
                &skin.png,
                &skin.model,
                skin.n,
                *at,
                rev
            ]
            .to_vec(),
        );
    }
    conn.execute_many(
        &format!(
            "insert into players (id, game_uuid, nickname, nickname_key, skin, skin_model, linked_skin_n, created_at,
                                  updated_at, last_seen_at, nickname_at, tier_overall, tier_points, total_play_time,
                                  session_count, servers_count, total_kills, total_deaths, total_wins, vote_count,
                                  review_count, achievements, rev)
             select v.column1, v.column2, v.column3, v.column4, v.column5, v.column6, v.column7, v.column8,
                    v.column8, v.column8, v.column8, '{}', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, v.column9
             from (values {{rows}}) v where true on conflict (game_uuid) do nothing",
            tier::from_points(0)
        ),
        &["text", "text", "text", "text", "text", "text", "bigint", "bigint", "bigint"],
        &rows,
    )?;
    let names: Vec<Vec<Value>> = new.iter().map(|(uuid, (seen, _))| values![uuid, &seen.name].to_vec()).collect();
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
fn skins(conn: &mut Conn) -> Result<[Skin; 2]> {
    let [classic, slim] = default_skin_ids();
    let mut skin = |id: String| {
        conn.one("select n, png, model from textures where id = $1", values![id], |row| Skin {
            n: row.get(0),
            png: row.get(1),
            model: row.get(2),
        })
    };
    Ok([skin(classic)?, skin(slim)?])
}

/// As the game chooses between its two oldest skins: by whether the hash of the id is odd.
fn is_slim(uuid: &str) -> bool {
    let bits = u128::from_str_radix(&uuid.replace('-', ""), 16).unwrap_or(0);
    let halves = (bits >> 64) as u64 ^ bits as u64;
    ((halves >> 32) ^ halves) & 1 == 1
}

/// The id that servers without accounts give to a name.
fn offline_uuid(name: &str) -> String {
    let mut bytes: [u8; 16] = Md5::digest(format!("OfflinePlayer:{name}")).into();
    bytes[6] = bytes[6] & 0x0f | 0x30;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = id::hex(&bytes);
    id::parse_uuid(&digits).unwrap_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_without_accounts_have_the_ids_that_the_game_gives_them() {
        assert_eq!(offline_uuid("Notch"), "b50ad385-829d-3141-a216-7e7d7539ba7f");
    }

    #[test]
    fn the_oldest_skins_are_given_as_the_game_gives_them() {
        // Steve and Alex, as everybody knows these two.
        assert!(!is_slim("00000000-0000-0000-0000-000000000000"));
        assert!(is_slim("00000000-0000-0000-0000-000000000001"));
    }
}
