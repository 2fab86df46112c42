//! Players: their names past and present, where they come from, what they wear, how well they fight.

use std::collections::HashSet;

use super::rng::{Dice, Of, Seed, Shares};
use super::scale::Scale;
use super::sessions::Session;
use super::textures::Wardrobe;
use super::words::nicknames::{ADJECTIVES, ENDINGS, FIRST_NAMES, NOUNS};
use super::words::places::PLACES;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_model::{id, tier};
use rollcall_search::fold;
use rollcall_store::values;
use rollcall_store::{Conn, Result};

pub struct Player {
    pub nickname: String,
    pub former: Vec<String>,
    pub country: Option<&'static str>,
    pub tier_points: i64,
    pub tier_rank: i64,
    pub created_at: i64,
    /// Picks skin and cape.
    taste: u64,
}

const LONGEST_NICKNAME: usize = 16;
const SHORTEST_NICKNAME: usize = 3;
/// Every n-th player has been here longer than any vote goes back, so that each vote finds a voter.
pub const ELDER_EVERY: usize = 5;
pub const ELDER_DAYS: i64 = 400;
/// Every n-th player is new today, however young the day is.
const NEW_EVERY: usize = 60;
const FIRST_NEW: usize = 7;
/// How many of a hundred reach each tier, in the order of the labels.
const TIER_SHARES: [f64; 11] = [0.3, 0.5, 1.0, 1.7, 3.0, 4.5, 6.0, 8.0, 9.0, 11.0, 55.0];
/// Points of the very best.
const MOST_POINTS: i64 = 220;

pub fn imagine(seed: Seed, now: i64, scale: &Scale) -> Vec<Player> {
    let places = Shares::new(PLACES.iter().map(|place| place.weight));
    let tiers = Shares::new(TIER_SHARES);
    let mut taken = HashSet::with_capacity(scale.players);
    let mut players: Vec<Player> = (0..scale.players)
        .map(|index| {
            let mut dice = seed.dice(Of::Player, index);
            let mut names = seed.dice(Of::Nickname, index);
            let nickname = free(nickname(&mut names), &mut names, &mut taken);
            let tier = tiers.draw(&mut dice);
            let former = (0..names.leaning(4, 2.5))
                .map(|_| self::nickname(&mut names))
                .filter(|name| *name != nickname)
                .collect();
            Player {
                nickname,
                former,
                country: dice.chance(0.85).then(|| PLACES[places.draw(&mut dice)].country),
                tier_points: points(&mut dice, tier),
                tier_rank: 0,
                created_at: now - created_ago(&mut dice, index),
                taste: dice.bits(),
            }
        })
        .collect();
    rank(&mut players);
    players
}

fn created_ago(dice: &mut Dice, index: usize) -> i64 {
    if index % ELDER_EVERY == 1 {
        return dice.between(ELDER_DAYS * DAY, 3 * ELDER_DAYS * DAY);
    }
    if index % NEW_EVERY == FIRST_NEW {
        return dice.log_even((2 * MINUTE) as f64, DAY as f64) as i64;
    }
    dice.ago(12 * HOUR, 700 * DAY)
}

fn points(dice: &mut Dice, tier: usize) -> i64 {
    let most = if tier == 0 { MOST_POINTS } else { tier::POINTS[tier - 1] - 1 };
    dice.between(tier::POINTS[tier], most)
}

fn rank(players: &mut [Player]) {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|&index| (-players[index].tier_points, index));
    for (place, index) in order.into_iter().enumerate() {
        players[index].tier_rank = place as i64 + 1;
    }
}

fn nickname(dice: &mut Dice) -> String {
    let (first, adjective, noun) = (dice.pick(FIRST_NAMES), dice.pick(ADJECTIVES), dice.pick(NOUNS));
    /// Years of birth begin here.
    const FIRST_YEAR: i64 = 1998;
    let name = match dice.below(12) {
        0 => format!("{adjective}{noun}"),
        1 => format!("{adjective}{noun}{}", dice.between(1, 999)),
        2 => format!("{}_{}", adjective.to_lowercase(), noun.to_lowercase()),
        3 => format!("{first}{}", dice.between(FIRST_YEAR, FIRST_YEAR + 18)),
        4 => format!("its{first}{}", dice.between(2, 99)),
        5 => format!("{first}The{noun}"),
        6 => format!("{noun}{}", dice.pick(ENDINGS)),
        7 => format!("{first}_{}", dice.between(10, 9_999)),
        8 => format!("x{noun}{}x", dice.between(1, 99)),
        9 => format!("{}{}", noun.to_lowercase(), dice.between(100, 99_999)),
        10 => format!("{first}{}", dice.pick(ENDINGS)),
        _ => format!("Real{first}{}", dice.between(1, 999)),
    };
    let mut name: String = name.chars().take(LONGEST_NICKNAME).collect();
    while name.len() < SHORTEST_NICKNAME {
        name.push('_');
    }
    name
}

/// Two players never have the same name at the same time.
fn free(name: String, dice: &mut Dice, taken: &mut HashSet<String>) -> String {
    /// What is left of a taken name; the rest is a number.
    const STEM: usize = 10;
    let mut candidate = name.clone();
    while !taken.insert(fold(&candidate)) {
        let stem: String = name.chars().take(STEM).collect();
        candidate = format!("{stem}{}", dice.between(2, 999_999));
    }
    candidate
}

const COLUMNS: &[&str] = &[
    "n",
    "id",
    "game_uuid",
    "nickname",
    "nickname_key",
    "country",
    "skin",
    "skin_model",
    "linked_skin_n",
    "cape_n",
    "tier_overall",
    "tier_points",
    "tier_rank",
    "last_tier_sync_at",
    "created_at",
    "updated_at",
    "last_seen_at",
    "total_play_time",
    "session_count",
    "servers_count",
    "total_kills",
    "total_deaths",
    "total_wins",
    "vote_count",
    "review_count",
    "achievements",
    "rev",
];

/// `sessions` must be in the order of the players.
pub fn write(
    conn: &mut Conn,
    seed: Seed,
    now: i64,
    players: &[Player],
    sessions: &[Session],
    wardrobe: &Wardrobe,
    rev: i64,
) -> Result<()> {
    let mut last_seen: Vec<i64> = players.iter().map(|player| player.created_at).collect();
    for session in sessions {
        let seen = &mut last_seen[session.player as usize];
        *seen = (*seen).max(session.left_at());
    }
    conn.bulk_insert("players", COLUMNS, |insert| {
        for (index, player) in players.iter().enumerate() {
            let skin = wardrobe.skin(player.taste);
            // A rank list is read every few hours; nobody was synced before he was known.
            let synced = (now - (player.taste % (6 * HOUR) as u64) as i64).max(player.created_at);
            insert(values![
                number(index),
                id::encode(seed.id(Of::Player, index, 0)),
                id::uuid(seed.id(Of::Player, index, 1)),
                &player.nickname,
                fold(&player.nickname),
                player.country,
                skin.png.as_str(),
                skin.model,
                skin.n,
                wardrobe.cape(player.taste),
                tier::from_points(player.tier_points),
                player.tier_points,
                player.tier_rank,
                synced,
                player.created_at,
                synced.max(last_seen[index]),
                last_seen[index],
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                rev,
            ])?;
        }
        Ok(())
    })?;
    conn.bulk_insert("player_nicknames", &["player_n", "position", "nickname"], |insert| {
        for (index, player) in players.iter().enumerate() {
            for (position, name) in player.former.iter().chain([&player.nickname]).enumerate() {
                insert(values![number(index), position as i64, name])?;
            }
        }
        Ok(())
    })
}

pub fn number(index: usize) -> i64 {
    index as i64 + 1
}

/// Someone who was already here at that moment, not one of `recent`; the first players are the keenest.
pub fn someone(dice: &mut Dice, players: &[Player], at: i64, recent: &[usize]) -> usize {
    const TRIES: usize = 8;
    /// How far the choice leans to the first players, who have accounts.
    const KEENNESS: f64 = 2.5;
    /// The keenest are this many, not one.
    const KEENEST: usize = 60;
    for _ in 0..TRIES {
        let index = (dice.leaning(players.len(), KEENNESS) + dice.below(KEENEST)) % players.len();
        if players[index].created_at < at && !recent.contains(&index) {
            return index;
        }
    }
    let elders = players.len().div_ceil(ELDER_EVERY).max(1);
    (dice.below(elders) * ELDER_EVERY + 1).min(players.len() - 1)
}
