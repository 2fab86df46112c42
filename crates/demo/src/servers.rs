//! Servers: names, addresses, game modes, owners.

use std::collections::HashSet;

use super::activity_curve::{ActivityCurve, CurveParams, DAILY_PEAK_FACTOR};
use super::motd;
use super::picture_paths::{PicturePaths, shared_path};
use super::rng::{DemoRng, Stream, WeightedIndex, WorldSeed};
use super::words::countries::{COUNTRIES, DemoCountry, country_named};
use super::words::game_modes::{ANY_MODE_TAGS, GAME_MODES, GameMode};
use super::words::server_names::{LOCALIZED_SERVERS, LocalizedServer, NAME_PREFIXES, NAME_SUFFIXES};
use super::words::versions::{GAME_VERSIONS, GameVersion};
use super::world_size::WorldSize;
use rollcall_model::id;
use rollcall_model::slug;
use rollcall_model::time::{DAY, HOUR, MINUTE};
use rollcall_store::bulk_load::{self, BulkServer, BulkServerTag};
use rollcall_store::{Conn, Result};

pub struct DemoServer {
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
    pub version: &'static GameVersion,
    pub country: &'static DemoCountry,
    /// The game mode that the server states, if it states one.
    pub game_mode: Option<&'static str>,
    /// The game mode that is played there, stated or not.
    pub played_mode: &'static GameMode,
    pub tags: Vec<&'static str>,
    /// An index into the accounts.
    pub owner: Option<usize>,
    pub created_at: i64,
    /// Rank by size, 0 for the largest.
    pub rank: usize,
    pub curve: ActivityCurve,
}

/// Average players of the largest server. The others follow Zipf's law.
const LARGEST_PLAYERS: f64 = 5_200.0;
const ZIPF_EXPONENT: f64 = 1.15;
/// Every n-th server has a name in another language, until those names are used up.
const LOCALIZED_EVERY: usize = 4;
const UNLISTED_EVERY: usize = 50;
/// Every n-th server by rank is offline now; never one of the largest.
const OFFLINE_EVERY: usize = 13;
const MIN_AGE: i64 = 5 * HOUR;
const MAX_AGE: i64 = 1_300 * DAY;
const PLAYER_LIMITS: &[i64] =
    &[20, 30, 50, 80, 100, 150, 200, 300, 500, 750, 1_000, 1_500, 2_000, 3_000, 5_000, 10_000, 20_000];

pub fn generate(seed: WorldSeed, now: i64, size: &WorldSize) -> Vec<DemoServer> {
    let ranks = size_ranks(seed, size.servers);
    let weighted = WeightedTables {
        countries: WeightedIndex::new(COUNTRIES.iter().map(|country| country.weight)),
        versions: WeightedIndex::new(GAME_VERSIONS.iter().map(|version| version.weight)),
        modes: WeightedIndex::new(GAME_MODES.iter().map(|mode| mode.weight)),
    };
    let mut slugs: HashSet<String> = slug::RESERVED_SLUGS.iter().map(|slug| (*slug).to_owned()).collect();
    (0..size.servers)
        .map(|index| {
            let mut server = generate_one(seed, now, size, &weighted, index, ranks[index]);
            server.slug = unique_slug(server.slug, &mut slugs);
            server
        })
        .collect()
}

struct WeightedTables {
    countries: WeightedIndex,
    versions: WeightedIndex,
    modes: WeightedIndex,
}

fn generate_one(
    seed: WorldSeed,
    now: i64,
    size: &WorldSize,
    weighted: &WeightedTables,
    index: usize,
    rank: usize,
) -> DemoServer {
    let mut rng = seed.rng(Stream::Server, index);
    let localized =
        LOCALIZED_SERVERS.get(index / LOCALIZED_EVERY).filter(|_| index % LOCALIZED_EVERY == LOCALIZED_EVERY - 1);
    let mode = match localized {
        Some(localized) => GAME_MODES.iter().find(|mode| mode.name == localized.mode).unwrap_or(&GAME_MODES[0]),
        None => &GAME_MODES[weighted.modes.draw(&mut rng)],
    };
    let random_country = &COUNTRIES[weighted.countries.draw(&mut rng)];
    let country = localized.map_or(random_country, |localized| country_named(localized.country));
    let version = &GAME_VERSIONS[weighted.versions.draw(&mut rng)];
    let (name, slug) = name_and_slug(seed, &mut rng, index, mode, localized);
    let tagline = localized.map_or_else(|| rng.pick(mode.taglines), |localized| localized.tagline);
    let short_description = localized.map_or_else(|| rng.pick(mode.descriptions), |localized| localized.description);
    let motd_raw = motd::compose(&mut rng, &name, tagline, version.label);
    let created_at = now - server_age(&mut rng, index, rank);
    let level = (LARGEST_PLAYERS / ((rank + 1) as f64).powf(ZIPF_EXPONENT) * rng.log_normal(1.0, 0.2)).max(1.2);
    let max_players = player_limit(&mut rng, level * DAILY_PEAK_FACTOR);
    let offline_now = rank % OFFLINE_EVERY == OFFLINE_EVERY - 1;
    let params = CurveParams {
        level,
        max_players,
        latency_ms: (country.latency_ms as f64 * (0.9 + 0.3 * rng.unit())) as i64,
        utc_offset_ms: country.utc_offset_minutes * MINUTE,
        first_seen: created_at.max(now - size.days * DAY),
        offline_now,
    };
    let link = |rng: &mut DemoRng, probability: f64, url: String| rng.chance(probability).then_some(url);
    DemoServer {
        id: id::encode(seed.id_bits(Stream::Server, index, 0)),
        website: link(&mut rng, 0.7, format!("https://www.{slug}.example/")),
        chat_url: link(&mut rng, 0.8, format!("https://chat.example/{slug}")),
        store_url: link(&mut rng, 0.45, format!("https://store.{slug}.example/")),
        video_url: link(&mut rng, 0.3, format!("https://video.example/watch/{slug}")),
        port: port(&mut rng, version.bedrock),
        public: index % UNLISTED_EVERY != UNLISTED_EVERY / 2,
        tags: tags(&mut rng, mode, version.bedrock),
        game_mode: rng.chance(0.88).then_some(mode.name),
        owner: rng.chance(0.8).then(|| rng.below(size.accounts)),
        curve: ActivityCurve::new(seed, index, now, size.days, &params),
        short_description: short_description.to_owned(),
        tagline: tagline.to_owned(),
        slug,
        name,
        motd_raw,
        max_players,
        version,
        country,
        played_mode: mode,
        created_at,
        rank,
    }
}

/// A Query response carries the whole player list in one datagram, so only small servers enable it.
const MAX_QUERY_PLAYERS: i64 = 60;
/// Every n-th server by rank enables Query, if it is small.
const QUERY_EVERY: usize = 10;

impl DemoServer {
    pub fn hostname(&self) -> String {
        format!("play.{}.example", self.slug)
    }

    /// The UDP port for GameSpy Query, if enabled. It is the game port, as in Minecraft's defaults.
    pub fn query_port(&self) -> Option<i64> {
        let enabled =
            !self.version.bedrock && self.max_players <= MAX_QUERY_PLAYERS && self.rank.is_multiple_of(QUERY_EVERY);
        enabled.then_some(self.port)
    }
}

/// The rank by size of each server, shuffled so that size does not follow from the index.
fn size_ranks(seed: WorldSeed, count: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&index| seed.hash(Stream::ServerRank, index as u64, 0));
    let mut ranks = vec![0; count];
    for (rank, index) in order.into_iter().enumerate() {
        ranks[index] = rank;
    }
    ranks
}

/// Visits all pairs of prefix and suffix in strides, so that a pair repeats only after all were used.
fn name_and_slug(
    seed: WorldSeed,
    rng: &mut DemoRng,
    index: usize,
    mode: &GameMode,
    localized: Option<&LocalizedServer>,
) -> (String, String) {
    /// Prime, so that it shares no factor with the number of pairs and visits each once.
    const STRIDE: usize = 2_741;
    if let Some(localized) = localized {
        return (localized.name.to_owned(), localized.slug.to_owned());
    }
    let pairs = NAME_PREFIXES.len() * NAME_SUFFIXES.len();
    let pair = (seed.0 as usize % pairs + index * STRIDE) % pairs;
    let (prefix, suffix) = (NAME_PREFIXES[pair / NAME_SUFFIXES.len()], NAME_SUFFIXES[pair % NAME_SUFFIXES.len()]);
    let title = rng.pick(mode.titles);
    let name =
        if prefix.to_lowercase() == suffix { format!("{prefix}{title}") } else { format!("{prefix}{suffix}{title}") };
    let slug = slug::slug(&name);
    (name, slug)
}

fn unique_slug(slug: String, taken: &mut HashSet<String>) -> String {
    let mut candidate = slug.clone();
    let mut number = 2;
    while !taken.insert(candidate.clone()) {
        candidate = format!("{slug}-{number}");
        number += 1;
    }
    candidate
}

/// Some servers are days old, the large ones many months.
fn server_age(rng: &mut DemoRng, index: usize, rank: usize) -> i64 {
    let age = match index % 25 {
        6 => rng.log_uniform(MIN_AGE as f64, (2 * DAY) as f64),
        13 => rng.log_uniform((2 * DAY) as f64, (12 * DAY) as f64),
        _ => rng.log_uniform((20 * DAY) as f64, MAX_AGE as f64),
    };
    if rank < 20 { (age as i64).max(150 * DAY) } else { age as i64 }
}

fn player_limit(rng: &mut DemoRng, peak: f64) -> i64 {
    let needed = (peak * (1.1 + rng.unit())) as i64;
    PLAYER_LIMITS[PLAYER_LIMITS.partition_point(|limit| *limit < needed).min(PLAYER_LIMITS.len() - 1)]
}

fn port(rng: &mut DemoRng, bedrock: bool) -> i64 {
    const JAVA: i64 = 25_565;
    const BEDROCK: i64 = 19_132;
    if bedrock {
        BEDROCK
    } else if rng.chance(0.88) {
        JAVA
    } else {
        JAVA + rng.between(1, 40)
    }
}

fn tags(rng: &mut DemoRng, mode: &GameMode, bedrock: bool) -> Vec<&'static str> {
    let mut tags = vec![mode.tags[0]];
    let wanted = rng.between(2, 5) as usize;
    for _ in 0..wanted * 3 {
        let tag = if rng.chance(0.7) {
            mode.tags[rng.below(mode.tags.len())]
        } else {
            ANY_MODE_TAGS[rng.below(ANY_MODE_TAGS.len())]
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

pub fn insert(
    conn: &mut Conn,
    servers: &[DemoServer],
    account_ns: &[i64],
    pictures: &PicturePaths,
    tracked: bool,
    rev: i64,
) -> Result<()> {
    bulk_load::insert_rows::<BulkServer>(conn, |insert| {
        for (index, server) in servers.iter().enumerate() {
            let last = server.curve.at(server.curve.last_at);
            insert(BulkServer {
                n: row_n(index),
                id: &server.id,
                slug: &server.slug,
                name: &server.name,
                short_description: &server.short_description,
                ip: server.hostname(),
                port: server.port,
                edition: if server.version.bedrock { "bedrock" } else { "java" },
                query_port: server.query_port(),
                is_tracked: tracked,
                icon: shared_path(&pictures.icons, index),
                banner: shared_path(&pictures.banners, index),
                motd_image: shared_path(&pictures.motds, index),
                motd_raw: &server.motd_raw,
                website: server.website.as_deref(),
                chat_url: server.chat_url.as_deref(),
                store_url: server.store_url.as_deref(),
                video_url: server.video_url.as_deref(),
                visibility: if server.public { "PUBLIC" } else { "UNLISTED" },
                is_online: last.online,
                current_players: last.players,
                max_players: server.max_players,
                version: server.version.label,
                protocol: server.version.protocol,
                latency: server.curve.last_latency_ms(last.at),
                tps: last.tps,
                last_ping: last.at,
                country: server.country.name,
                game_mode: server.game_mode,
                owner_n: server.owner.map(|owner| account_ns[owner]),
                created_at: server.created_at,
                rev,
            })?;
        }
        Ok(())
    })?;
    bulk_load::insert_rows::<BulkServerTag>(conn, |insert| {
        for (index, server) in servers.iter().enumerate() {
            for (position, tag) in server.tags.iter().enumerate() {
                insert(BulkServerTag { server_n: row_n(index), position: position as i64, tag })?;
            }
        }
        Ok(())
    })
}

/// The row number of a server. 0 stands for all servers together.
pub fn row_n(index: usize) -> i64 {
    index as i64 + 1
}
