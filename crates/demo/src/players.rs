//! Players: current and former nicknames, countries, tiers, skins and capes.

use std::collections::HashSet;

use super::rng::{DemoRng, Stream, WeightedIndex, WorldSeed};
use super::textures::InsertedTextures;
use super::words::countries::COUNTRIES;
use super::words::nicknames::{ADJECTIVES, ENDINGS, FIRST_NAMES, NOUNS};
use super::world_size::WorldSize;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_model::{id, tier};
use rollcall_search::fold;
use rollcall_store::bulk_load::{self, BulkPlayer, BulkPlayerNickname};
use rollcall_store::{Conn, Result};

pub struct DemoPlayer {
    pub nickname: String,
    former_nicknames: Vec<String>,
    country: Option<&'static str>,
    pub tier_points: i64,
    tier_rank: i64,
    pub created_at: i64,
    /// Random bits that select skin and cape.
    texture_key: u64,
}

const MAX_NICKNAME_LENGTH: usize = 16;
const MIN_NICKNAME_LENGTH: usize = 3;
/// Every n-th player joined before the oldest vote, so that every vote finds a voter.
const VETERAN_EVERY: usize = 5;
pub const VETERAN_DAYS: i64 = 400;
/// Every n-th player joined within the last day.
const NEW_EVERY: usize = 60;
const FIRST_NEW: usize = 7;
/// Percentage of players in each tier, in the order of the labels.
const TIER_SHARES: [f64; 11] = [0.3, 0.5, 1.0, 1.7, 3.0, 4.5, 6.0, 8.0, 9.0, 11.0, 55.0];
const MAX_TIER_POINTS: i64 = 220;

pub fn generate(seed: WorldSeed, now: i64, size: &WorldSize) -> Vec<DemoPlayer> {
    let countries = WeightedIndex::new(COUNTRIES.iter().map(|country| country.weight));
    let tiers = WeightedIndex::new(TIER_SHARES);
    let mut taken = HashSet::with_capacity(size.players);
    let mut players: Vec<DemoPlayer> = (0..size.players)
        .map(|index| {
            let mut rng = seed.rng(Stream::Player, index);
            let mut name_rng = seed.rng(Stream::Nickname, index);
            let nickname = unique_nickname(random_nickname(&mut name_rng), &mut name_rng, &mut taken);
            let tier = tiers.draw(&mut rng);
            let former_nicknames = (0..name_rng.skewed_index(4, 2.5))
                .map(|_| random_nickname(&mut name_rng))
                .filter(|name| *name != nickname)
                .collect();
            DemoPlayer {
                nickname,
                former_nicknames,
                country: rng.chance(0.85).then(|| COUNTRIES[countries.draw(&mut rng)].name),
                tier_points: tier_points(&mut rng, tier),
                tier_rank: 0,
                created_at: now - account_age(&mut rng, index),
                texture_key: rng.next_u64(),
            }
        })
        .collect();
    assign_tier_ranks(&mut players);
    players
}

fn account_age(rng: &mut DemoRng, index: usize) -> i64 {
    if index % VETERAN_EVERY == 1 {
        return rng.between(VETERAN_DAYS * DAY, 3 * VETERAN_DAYS * DAY);
    }
    if index % NEW_EVERY == FIRST_NEW {
        return rng.log_uniform((2 * MINUTE) as f64, DAY as f64) as i64;
    }
    rng.age(12 * HOUR, 700 * DAY)
}

fn tier_points(rng: &mut DemoRng, tier: usize) -> i64 {
    let max = if tier == 0 { MAX_TIER_POINTS } else { tier::POINTS[tier - 1] - 1 };
    rng.between(tier::POINTS[tier], max)
}

fn assign_tier_ranks(players: &mut [DemoPlayer]) {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|&index| (-players[index].tier_points, index));
    for (position, index) in order.into_iter().enumerate() {
        players[index].tier_rank = position as i64 + 1;
    }
}

fn random_nickname(rng: &mut DemoRng) -> String {
    /// The earliest birth year that a nickname ends in.
    const FIRST_YEAR: i64 = 1998;
    let (first, adjective, noun) = (rng.pick(FIRST_NAMES), rng.pick(ADJECTIVES), rng.pick(NOUNS));
    let name = match rng.below(12) {
        0 => format!("{adjective}{noun}"),
        1 => format!("{adjective}{noun}{}", rng.between(1, 999)),
        2 => format!("{}_{}", adjective.to_lowercase(), noun.to_lowercase()),
        3 => format!("{first}{}", rng.between(FIRST_YEAR, FIRST_YEAR + 18)),
        4 => format!("its{first}{}", rng.between(2, 99)),
        5 => format!("{first}The{noun}"),
        6 => format!("{noun}{}", rng.pick(ENDINGS)),
        7 => format!("{first}_{}", rng.between(10, 9_999)),
        8 => format!("x{noun}{}x", rng.between(1, 99)),
        9 => format!("{}{}", noun.to_lowercase(), rng.between(100, 99_999)),
        10 => format!("{first}{}", rng.pick(ENDINGS)),
        _ => format!("Real{first}{}", rng.between(1, 999)),
    };
    let mut name: String = name.chars().take(MAX_NICKNAME_LENGTH).collect();
    while name.len() < MIN_NICKNAME_LENGTH {
        name.push('_');
    }
    name
}

/// Current nicknames are unique. A taken one is shortened and gets a number.
fn unique_nickname(name: String, rng: &mut DemoRng, taken: &mut HashSet<String>) -> String {
    const STEM_LENGTH: usize = 10;
    let mut candidate = name.clone();
    while !taken.insert(fold(&candidate)) {
        let stem: String = name.chars().take(STEM_LENGTH).collect();
        candidate = format!("{stem}{}", rng.between(2, 999_999));
    }
    candidate
}

/// `last_seen` has the time of each player.
pub fn insert(
    conn: &mut Conn,
    seed: WorldSeed,
    now: i64,
    players: &[DemoPlayer],
    last_seen: &[i64],
    textures: &InsertedTextures,
    rev: i64,
) -> Result<()> {
    bulk_load::insert_rows::<BulkPlayer>(conn, |insert| {
        for (index, player) in players.iter().enumerate() {
            let skin = textures.skin_for(player.texture_key);
            // Tier lists are synced every few hours, and never before the player was first seen.
            let synced = (now - (player.texture_key % (6 * HOUR) as u64) as i64).max(player.created_at);
            insert(BulkPlayer {
                n: row_n(index),
                id: id::encode(seed.id_bits(Stream::Player, index, 0)),
                game_uuid: game_uuid(seed, index),
                nickname: &player.nickname,
                nickname_key: fold(&player.nickname),
                country: player.country,
                skin: &skin.png,
                skin_model: skin.model,
                linked_skin_n: skin.n,
                cape_n: textures.cape_for(player.texture_key),
                tier_overall: tier::from_points(player.tier_points),
                tier_points: player.tier_points,
                tier_rank: player.tier_rank,
                last_tier_sync_at: synced,
                created_at: player.created_at,
                updated_at: synced.max(last_seen[index]),
                last_seen_at: last_seen[index],
                rev,
            })?;
        }
        Ok(())
    })?;
    bulk_load::insert_rows::<BulkPlayerNickname>(conn, |insert| {
        for (index, player) in players.iter().enumerate() {
            for (position, nickname) in player.former_nicknames.iter().chain([&player.nickname]).enumerate() {
                insert(BulkPlayerNickname { player_n: row_n(index), position: position as i64, nickname })?;
            }
        }
        Ok(())
    })
}

/// The row number of a player.
pub fn row_n(index: usize) -> i64 {
    index as i64 + 1
}

/// The UUID under which game servers know a player.
pub fn game_uuid(seed: WorldSeed, index: usize) -> String {
    id::uuid(seed.id_bits(Stream::Player, index, 1))
}

/// A player who had joined by `at` and is not in `excluded`. The first players, who have accounts, are the most active.
pub fn pick_active(rng: &mut DemoRng, players: &[DemoPlayer], at: i64, excluded: &[usize]) -> usize {
    const TRIES: usize = 8;
    const SKEW: f64 = 2.5;
    /// Spreads the choice, so that the most active player does not get everything.
    const MOST_ACTIVE: usize = 60;
    for _ in 0..TRIES {
        let index = (rng.skewed_index(players.len(), SKEW) + rng.below(MOST_ACTIVE)) % players.len();
        if players[index].created_at < at && !excluded.contains(&index) {
            return index;
        }
    }
    let veterans = players.len().div_ceil(VETERAN_EVERY).max(1);
    (rng.below(veterans) * VETERAN_EVERY + 1).min(players.len() - 1)
}
