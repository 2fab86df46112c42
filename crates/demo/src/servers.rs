//! Servers: what they are called, what they offer, who owns them.

use std::collections::HashSet;

use super::curve::{BUSIEST, Curve, Shape};
use super::motd;
use super::rng::{Dice, Of, Seed, Shares};
use super::scale::Scale;
use super::words::editions::{EDITIONS, Edition};
use super::words::modes::{ANY_TAGS, MODES, Mode};
use super::words::names::{FIRST_HALVES, FOREIGN, Foreign, SECOND_HALVES};
use super::words::places::{PLACES, Place, place_named};
use rollcall_model::id;
use rollcall_model::slug;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::values;
use rollcall_store::{Conn, Result};

pub struct Server {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub short_description: String,
    pub tagline: String,
    pub motd_raw: String,
    pub port: i64,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    pub store_url: Option<String>,
    pub video_url: Option<String>,
    pub public: bool,
    pub max_players: i64,
    pub edition: &'static Edition,
    pub place: &'static Place,
    pub game_mode: Option<&'static str>,
    /// What it plays, said or not.
    pub mode: &'static Mode,
    pub tags: Vec<&'static str>,
    /// An index into the accounts.
    pub owner: Option<usize>,
    pub created_at: i64,
    /// 0 is the largest.
    pub rank: usize,
    pub curve: Curve,
}

/// Players of the largest server; the others follow by Zipf's law.
const LARGEST: f64 = 5_200.0;
const ZIPF: f64 = 1.15;
/// Every so many a server bears a name in the words of its country, until those names are used up.
const FOREIGN_EVERY: usize = 4;
const UNLISTED_EVERY: usize = 50;
/// About one in twelve is offline; never one of the largest.
const OFFLINE_EVERY: usize = 13;
const NEWEST: i64 = 5 * HOUR;
const OLDEST: i64 = 1_300 * DAY;
const LIMITS: &[i64] =
    &[20, 30, 50, 80, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000];

pub fn imagine(seed: Seed, now: i64, scale: &Scale) -> Vec<Server> {
    let ranks = ranks(seed, scale.servers);
    let draws = Draws {
        places: Shares::new(PLACES.iter().map(|place| place.weight)),
        editions: Shares::new(EDITIONS.iter().map(|edition| edition.weight)),
        modes: Shares::new(MODES.iter().map(|mode| mode.weight)),
    };
    let mut slugs: HashSet<String> = slug::RESERVED_SLUGS.iter().map(|slug| (*slug).to_owned()).collect();
    (0..scale.servers)
        .map(|index| {
            let mut server = imagine_one(seed, now, scale, &draws, index, ranks[index]);
            server.slug = unique(server.slug, &mut slugs);
            server
        })
        .collect()
}

struct Draws {
    places: Shares,
    editions: Shares,
    modes: Shares,
}

fn imagine_one(seed: Seed, now: i64, scale: &Scale, draws: &Draws, index: usize, rank: usize) -> Server {
    let mut dice = seed.dice(Of::Server, index);
    let foreign = FOREIGN.get(index / FOREIGN_EVERY).filter(|_| index % FOREIGN_EVERY == FOREIGN_EVERY - 1);
    let mode = match foreign {
        Some(foreign) => MODES.iter().find(|mode| mode.name == foreign.mode).unwrap_or(&MODES[0]),
        None => &MODES[draws.modes.draw(&mut dice)],
    };
    let place = foreign.map_or(&PLACES[draws.places.draw(&mut dice)], |foreign| place_named(foreign.country));
    let edition = &EDITIONS[draws.editions.draw(&mut dice)];
    let (name, slug) = named(seed, &mut dice, index, mode, foreign);
    let tagline = foreign.map_or_else(|| dice.pick(mode.taglines), |foreign| foreign.tagline);
    let short_description = foreign.map_or_else(|| dice.pick(mode.descriptions), |foreign| foreign.description);
    let motd_raw = motd::compose(&mut dice, &name, tagline, edition.label);
    let created_at = now - created_ago(&mut dice, index, rank);
    let level = (LARGEST / ((rank + 1) as f64).powf(ZIPF) * dice.log_normal(1.0, 0.2)).max(1.2);
    let max_players = limit(&mut dice, level * BUSIEST);
    let offline_now = rank % OFFLINE_EVERY == OFFLINE_EVERY - 1;
    let shape = Shape {
        level,
        limit: max_players,
        latency: (place.latency as f64 * (0.9 + 0.3 * dice.unit())) as i64,
        utc_offset_ms: place.utc_offset_minutes * MINUTE,
        first_seen: created_at.max(now - scale.days * DAY),
        offline_now,
    };
    let link = |dice: &mut Dice, share: f64, url: String| dice.chance(share).then_some(url);
    Server {
        id: id::encode(seed.id(Of::Server, index, 0)),
        website: link(&mut dice, 0.7, format!("https://www.{slug}.example/")),
        chat_url: link(&mut dice, 0.8, format!("https://chat.example/{slug}")),
        store_url: link(&mut dice, 0.45, format!("https://store.{slug}.example/")),
        video_url: link(&mut dice, 0.3, format!("https://video.example/watch/{slug}")),
        port: port(&mut dice, edition.bedrock),
        public: index % UNLISTED_EVERY != UNLISTED_EVERY / 2,
        tags: tags(&mut dice, mode, edition.bedrock),
        game_mode: dice.chance(0.88).then_some(mode.name),
        owner: dice.chance(0.8).then(|| dice.below(scale.accounts)),
        curve: Curve::new(seed, index, now, scale.days, &shape),
        short_description: short_description.to_owned(),
        tagline: tagline.to_owned(),
        slug,
        name,
        motd_raw,
        max_players,
        edition,
        place,
        mode,
        created_at,
        rank,
    }
}

/// Query brings the whole list of players in one datagram: for small servers.
const QUERIED_PLAYERS: i64 = 60;
const QUERIED_EVERY: usize = 10;

impl Server {
    /// The name that players type.
    pub fn host(&self) -> String {
        format!("play.{}.example", self.slug)
    }

    /// Where it answers GameSpy queries, if it does: on the game's own port, as the game has it.
    pub fn query_port(&self) -> Option<i64> {
        let queried =
            !self.edition.bedrock && self.max_players <= QUERIED_PLAYERS && self.rank.is_multiple_of(QUERIED_EVERY);
        queried.then_some(self.port)
    }
}

/// Size has nothing to do with age: the order of size is shuffled.
fn ranks(seed: Seed, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&index| seed.hash(Of::ServerRank, index as u64, 0));
    let mut ranks = vec![0; count];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank;
    }
    ranks
}

/// Walks through all pairs of halves in an order of its own, so that a word repeats only when all are used.
fn named(seed: Seed, dice: &mut Dice, index: usize, mode: &Mode, foreign: Option<&Foreign>) -> (String, String) {
    if let Some(foreign) = foreign {
        return (foreign.name.to_owned(), foreign.slug.to_owned());
    }
    let pairs = FIRST_HALVES.len() * SECOND_HALVES.len();
    // Prime, so it shares no factor with the number of pairs and the walk meets each of them once.
    const STRIDE: usize = 2_741;
    let pair = (seed.0 as usize % pairs + index * STRIDE) % pairs;
    let (first, second) = (FIRST_HALVES[pair / SECOND_HALVES.len()], SECOND_HALVES[pair % SECOND_HALVES.len()]);
    let title = dice.pick(mode.titles);
    let name =
        if first.to_lowercase() == second { format!("{first}{title}") } else { format!("{first}{second}{title}") };
    let slug = slug::slug(&name);
    (name, slug)
}

fn unique(slug: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = slug.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{slug}-{number}");
        number += 1;
    }
    candidate
}

/// A few opened today or this week, the large ones long ago.
fn created_ago(dice: &mut Dice, index: usize, rank: usize) -> i64 {
    let ago = match index % 25 {
        6 => dice.log_even(NEWEST as f64, (2 * DAY) as f64),
        13 => dice.log_even((2 * DAY) as f64, (12 * DAY) as f64),
        _ => dice.log_even((20 * DAY) as f64, OLDEST as f64),
    };
    if rank < 20 { (ago as i64).max(150 * DAY) } else { ago as i64 }
}

fn limit(dice: &mut Dice, busiest: f64) -> i64 {
    let needed = (busiest * (1.1 + dice.unit())) as i64;
    LIMITS[LIMITS.partition_point(|limit| *limit < needed).min(LIMITS.len() - 1)]
}

fn port(dice: &mut Dice, bedrock: bool) -> i64 {
    const JAVA: i64 = 25_565;
    const BEDROCK: i64 = 19_132;
    if bedrock {
        BEDROCK
    } else if dice.chance(0.88) {
        JAVA
    } else {
        JAVA + dice.between(1, 40)
    }
}

fn tags(dice: &mut Dice, mode: &Mode, bedrock: bool) -> Vec<&'static str> {
    let mut tags = vec![mode.tags[0]];
    let wanted = dice.between(2, 5) as usize;
    for _ in 0..wanted * 3 {
        let tag = if dice.chance(0.7) {
            mode.tags[dice.below(mode.tags.len())]
        } else {
            ANY_TAGS[dice.below(ANY_TAGS.len())]
        };
        if tags.len() < wanted && !tags.contains(&tag) {
            tags.push(tag);
        }
    }
    if bedrock && !tags.contains(&"bedrock") {
        tags.push("bedrock");
    }
    tags
}

/// Paths of a server's pictures, by its index.
pub struct Paintings<'a> {
    pub icon: &'a dyn Fn(usize) -> &'a str,
    pub banner: &'a dyn Fn(usize) -> &'a str,
    pub motd: &'a dyn Fn(usize) -> &'a str,
}

const COLUMNS: &[&str] = &[
    "n",
    "id",
    "slug",
    "name",
    "short_description",
    "ip",
    "port",
    "edition",
    "query_port",
    "is_tracked",
    "icon",
    "banner",
    "motd_image",
    "motd_raw",
    "website",
    "chat_url",
    "store_url",
    "video_url",
    "visibility",
    "is_online",
    "current_players",
    "max_players",
    "version",
    "protocol",
    "latency",
    "tps",
    "last_ping",
    "country",
    "game_mode",
    "owner_n",
    "created_at",
    "uptime",
    "trend",
    "recent_players",
    "total_votes",
    "vote_heat",
    "vote_heat_at",
    "rating_sum",
    "rating_count",
    "update_count",
    "rev",
];

pub fn write(
    conn: &mut Conn,
    servers: &[Server],
    accounts: &[i64],
    paintings: &Paintings,
    tracked: bool,
    rev: i64,
) -> Result<()> {
    conn.bulk_insert("servers", COLUMNS, |insert| {
        for (index, server) in servers.iter().enumerate() {
            let last = server.curve.at(server.curve.last_at);
            insert(values![
                number(index),
                &server.id,
                &server.slug,
                &server.name,
                &server.short_description,
                server.host(),
                server.port,
                if server.edition.bedrock { "bedrock" } else { "java" },
                server.query_port(),
                tracked,
                (paintings.icon)(index),
                (paintings.banner)(index),
                (paintings.motd)(index),
                &server.motd_raw,
                server.website.as_ref(),
                server.chat_url.as_ref(),
                server.store_url.as_ref(),
                server.video_url.as_ref(),
                if server.public { "PUBLIC" } else { "UNLISTED" },
                last.online,
                last.players,
                server.max_players,
                server.edition.label,
                server.edition.protocol,
                last.latency_ms,
                last.tps,
                last.at,
                server.place.country,
                server.game_mode,
                server.owner.map(|owner| accounts[owner]),
                server.created_at,
                0.0,
                0.0,
                0.0,
                0_i64,
                0.0,
                0_i64,
                0_i64,
                0_i64,
                0_i64,
                rev,
            ])?;
        }
        Ok(())
    })?;
    conn.bulk_insert("server_tags", &["server_n", "position", "tag"], |insert| {
        for (index, server) in servers.iter().enumerate() {
            for (position, tag) in server.tags.iter().enumerate() {
                insert(values![number(index), position as i64, *tag])?;
            }
        }
        Ok(())
    })
}

/// The row number of a server; 0 is the whole roll.
pub fn number(index: usize) -> i64 {
    index as i64 + 1
}
