//! The workloads: for each one hot request target, and any number of different cold ones. The same number always gives the same
//! target, so that all services get the same requests.

use crate::request_values::RequestValues;

/// The peers that take part in a workload, besides the ceiling and Rollcall.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Peers {
    None,
    /// Fastify and FastAPI.
    Frameworks,
    /// Datasette too.
    All,
}

pub struct Workload {
    pub name: &'static str,
    pub hot: Option<fn(&RequestValues) -> String>,
    /// Gives a different target for each number.
    pub cold: Option<fn(&RequestValues, u64) -> String>,
    pub peers: Peers,
    /// Uses keys of different accounts: the response depends on the account.
    pub by_account: bool,
    /// Targets may repeat, even when cold.
    pub repeats: bool,
}

pub const HOT_LIST: &str = "list";
pub const FILTERS: &str = "filters";
pub const LIVE: &str = "live";
pub const COUNTRIES: &str = "countries";
pub const VOTERS: &str = "voters";
pub const REVIEWS: &str = "reviews";
pub const HISTORY: &str = "history";
pub const BATCH: &str = "batch of servers";
pub const EVENTS: &str = "events";
pub const SERVER_EVENTS: &str = "events of a server";
pub const SKIN_FILTERS: &str = "filters of skins";
pub const SKIN: &str = "skin detail";
pub const MIX: &str = "mix";
pub const PLAYER_ID: &str = "player by id";
pub const PLAYER_UUID: &str = "player by UUID";
pub const PLAYER_NAME: &str = "player by nickname";
pub const SITE_HOME: &str = "site, home";
pub const SITE_SERVERS: &str = "site, servers";
pub const SITE_SERVER: &str = "site, server";
pub const SITE_PLAYER: &str = "site, player";
pub const SEARCHES: [&str; 4] = ["search, two letters", "search, common", "search, rare", "search, absent"];

const fn workload(
    name: &'static str,
    hot: Option<fn(&RequestValues) -> String>,
    cold: Option<fn(&RequestValues, u64) -> String>,
) -> Workload {
    Workload { name, hot, cold, peers: Peers::Frameworks, by_account: false, repeats: false }
}

pub static WORKLOADS: &[Workload] = &[
    Workload { peers: Peers::All, ..workload(HOT_LIST, Some(|_| hot_list()), None) },
    Workload { peers: Peers::All, ..workload(FILTERS, Some(|values| filters(values, 7)), Some(filters)) },
    workload("pages of servers", Some(|values| servers(values, 1)), Some(servers)),
    workload("pages of players", Some(|values| players(values, 1)), Some(players)),
    Workload { peers: Peers::None, ..workload("pages of skins", Some(|values| skins(values, 1)), Some(skins)) },
    Workload {
        peers: Peers::None,
        ..workload(SKIN_FILTERS, Some(|values| skin_filters(values, 1)), Some(skin_filters))
    },
    workload(SEARCHES[0], Some(|_| search("ma", 10)), Some(two_letters)),
    workload(SEARCHES[1], Some(|_| search("sky", 10)), Some(common)),
    workload(SEARCHES[2], Some(|values| rare(values, 1)), Some(rare)),
    workload(SEARCHES[3], Some(|values| absent(values, 1)), Some(absent)),
    Workload { peers: Peers::All, ..workload(PLAYER_ID, Some(|values| player_id(values, 1)), Some(player_id)) },
    workload(PLAYER_UUID, Some(|values| player_uuid(values, 1)), Some(player_uuid)),
    workload(PLAYER_NAME, Some(|values| player_name(values, 1)), Some(player_name)),
    workload("server, 24h", Some(|values| server(values, 1, "24h")), Some(|values, i| server(values, i, "24h"))),
    workload("server, 7d", Some(|values| server(values, 1, "7d")), Some(|values, i| server(values, i, "7d"))),
    workload("server, 30d", Some(|values| server(values, 1, "30d")), Some(|values, i| server(values, i, "30d"))),
    workload("server, 90d", Some(|values| server(values, 1, "90d")), Some(|values, i| server(values, i, "90d"))),
    workload(
        "server, all-time",
        Some(|values| server(values, 1, "all-time")),
        Some(|values, i| server(values, i, "all-time")),
    ),
    workload(VOTERS, Some(|values| voters(values, 1)), Some(voters)),
    Workload { peers: Peers::None, ..workload(REVIEWS, Some(|values| reviews(values, 1)), Some(reviews)) },
    Workload { peers: Peers::None, ..workload(HISTORY, None, Some(history)) },
    Workload { peers: Peers::None, ..workload(BATCH, None, Some(batch)) },
    Workload { peers: Peers::None, ..workload(EVENTS, None, Some(events)) },
    Workload { peers: Peers::None, ..workload(SERVER_EVENTS, None, Some(server_events)) },
    Workload { peers: Peers::None, by_account: true, ..workload(SKIN, Some(|values| skin(values, 1)), Some(skin)) },
    Workload {
        peers: Peers::None,
        ..workload("leaderboards", Some(|values| leaderboards(values, 1)), Some(leaderboards))
    },
    workload(LIVE, Some(|_| "/v1/live".to_owned()), None),
    Workload { peers: Peers::None, ..workload(COUNTRIES, Some(|_| "/v1/servers/countries".to_owned()), None) },
    Workload { peers: Peers::None, ..workload(SITE_HOME, Some(|_| "/".to_owned()), None) },
    Workload {
        peers: Peers::None,
        ..workload(SITE_SERVERS, Some(|values| site_servers(values, 1)), Some(site_servers))
    },
    Workload { peers: Peers::None, ..workload(SITE_SERVER, Some(|values| site_server(values, 1)), Some(site_server)) },
    Workload { peers: Peers::None, ..workload(SITE_PLAYER, Some(|values| site_player(values, 1)), Some(site_player)) },
    Workload { peers: Peers::None, repeats: true, ..workload(MIX, None, Some(mix)) },
];

/// A pseudo-random generator with the same numbers in every run.
pub struct SplitMix64(u64);

impl SplitMix64 {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    pub fn next_u64(&mut self) -> u64 {
        let bits = rollcall_model::hash::splitmix64(self.0);
        self.0 = self.0.wrapping_add(rollcall_model::hash::GOLDEN_GAMMA);
        bits
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.next_u64() % end.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

/// Element `i` of a fixed permutation of `0..count`; it repeats after `count` elements.
fn shuffled(i: u64, count: usize) -> usize {
    const STRIDE: u128 = 2_654_435_761;
    (u128::from(i) * STRIDE % count.max(1) as u128) as usize
}

fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

pub const SERVER_SORTS: [&str; 7] = ["recent", "players", "votes", "rating", "uptime", "trending", "name"];
pub const PLAYER_SORTS: [&str; 5] = ["recent", "name", "playtime", "sessions", "tier"];
pub const SKIN_SORTS: [&str; 8] = ["recent", "popular", "likes", "favorites", "views", "downloads", "name", "usage"];

pub fn hot_list() -> String {
    "/v1/servers?sort=players".to_owned()
}

/// One to five filters with values that occur, any sort order, one of the first pages.
fn filters(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let mut kinds: Vec<usize> = (0..10).collect();
    let count = 1 + rng.below(5);
    let mut target = format!("/v1/servers?sort={}", rng.pick(&SERVER_SORTS));
    for _ in 0..count {
        let kind = kinds.swap_remove(rng.below(kinds.len()));
        let filter = match kind {
            0 => format!("country={}", encoded(rng.pick::<String>(&values.countries))),
            1 => format!("version={}", encoded(rng.pick::<String>(&values.versions))),
            2 => format!("tag={}", encoded(rng.pick::<String>(&values.tags))),
            3 => format!("mode={}", encoded(rng.pick::<String>(&values.modes))),
            4 => format!("minPlayers={}", rng.below(40)),
            5 => format!("maxPlayers={}", 40 + rng.below(400)),
            6 => format!("minUptime={:.2}", 80.0 + rng.below(2_000) as f64 / 100.0),
            7 => format!("minVotes={}", rng.below(400)),
            8 => format!("minRating={:.2}", 1.0 + rng.below(400) as f64 / 100.0),
            _ => "onlineOnly=true".to_owned(),
        };
        target = format!("{target}&{filter}");
    }
    // Some filters have few values. Page and limit keep the targets different.
    format!("{target}&page={}&limit={}", 1 + rng.below(3), 18 + rng.below(5))
}

/// Any page in any sort order, with page sizes near the default.
fn any_page(path: &str, sorts: &[&str], total: usize, page_size: usize, i: u64) -> String {
    let sizes = 9;
    let pages = (total / (page_size + 4)).max(1);
    let index = shuffled(i, pages * sorts.len() * sizes);
    let (page, rest) = (1 + index % pages, index / pages);
    let (sort, limit) = (sorts[rest % sorts.len()], page_size - 4 + rest / sorts.len());
    format!("{path}?sort={sort}&page={page}&limit={limit}")
}

fn servers(values: &RequestValues, i: u64) -> String {
    any_page("/v1/servers", &SERVER_SORTS, values.slugs.len(), 20, i)
}

fn players(values: &RequestValues, i: u64) -> String {
    any_page("/v1/players", &PLAYER_SORTS, values.player_count, 20, i)
}

fn skins(values: &RequestValues, i: u64) -> String {
    let model = ["", "&model=classic", "&model=slim"][(i % 3) as usize];
    // Each model has more than a third of the skins. Pages after the last one would be too cheap.
    let total = if model.is_empty() { values.skins.len() } else { values.skins.len() / 3 };
    format!("{}{model}", any_page("/v1/skins", &SKIN_SORTS, total, 24, i / 3))
}

/// One to three filters with values that occur, any sort order, one of the first pages.
fn skin_filters(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let mut target = format!("/v1/skins?sort={}", rng.pick(&SKIN_SORTS));
    let mut kinds: Vec<usize> = (0..4).collect();
    for _ in 0..1 + rng.below(3) {
        let kind = kinds.swap_remove(rng.below(kinds.len()));
        let filter = match kind {
            0 => format!("tag={}", encoded(rng.pick::<String>(&values.skin_tags))),
            1 => format!("owner={}", encoded(rng.pick::<String>(&values.skin_owners))),
            2 => format!("model={}", rng.pick(&["classic", "slim"])),
            _ => {
                let slug = rng.pick(&values.skins);
                format!("search={}", encoded(slug.split('-').next().unwrap_or(slug)))
            }
        };
        target = format!("{target}&{filter}");
    }
    format!("{target}&page={}&limit={}", 1 + rng.below(3), 20 + rng.below(9))
}

fn search(text: &str, limit: usize) -> String {
    format!("/v1/search?q={}&limit={limit}", encoded(text))
}

/// Every pair of letters and digits, with page sizes near the default; every third in upper case or with accents.
fn two_letters(_: &RequestValues, i: u64) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let index = shuffled(i, LETTERS.len() * LETTERS.len() * 11);
    let letter = |index: usize| char::from(LETTERS[index % LETTERS.len()]);
    let text: String = [letter(index), letter(index / LETTERS.len())].iter().collect();
    let text = match i % 6 {
        0 => text.to_uppercase(),
        3 => text.replace('a', "á").replace('e', "é").replace('o', "Ö"),
        _ => text,
    };
    search(&text, 5 + index / LETTERS.len() / LETTERS.len())
}

/// Three letters from the middle of a nickname.
fn common(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let name = &rng.pick(&values.players).nickname;
    let from = rng.below(name.len().saturating_sub(2));
    let text = name.get(from..from + 3).unwrap_or("the");
    search(text, 8 + rng.below(5))
}

/// All but the last letter of a nickname.
fn rare(values: &RequestValues, i: u64) -> String {
    let name = &values.players[shuffled(i, values.players.len())].nickname;
    let text = name.char_indices().last().map_or("", |(end, _)| &name[..end]);
    search(if text.len() < 2 { name } else { text }, 10)
}

fn absent(_: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let text: String = (0..9).map(|_| char::from(b'a' + rng.below(26) as u8)).collect();
    search(&format!("{text}qx"), 10)
}

fn player_id(values: &RequestValues, i: u64) -> String {
    format!("/v1/players/{}", values.players[shuffled(i, values.players.len())].id)
}

fn player_uuid(values: &RequestValues, i: u64) -> String {
    format!("/v1/players/{}", values.players[shuffled(i, values.players.len())].uuid)
}

fn player_name(values: &RequestValues, i: u64) -> String {
    format!("/v1/players/{}", encoded(&values.players[shuffled(i, values.players.len())].nickname))
}

fn server(values: &RequestValues, i: u64, period: &str) -> String {
    format!("/v1/servers/{}?period={period}", values.slugs[shuffled(i, values.slugs.len())])
}

/// A day of a server in five-minute buckets.
fn history(values: &RequestValues, i: u64) -> String {
    format!("/v1/servers/{}/history?fields=players,uptime", values.slugs[shuffled(i, values.slugs.len())])
}

/// Ten servers: one request of the quota.
fn batch(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let slugs: Vec<&str> = (0..10).map(|_| rng.pick(&values.slugs).as_str()).collect();
    format!("/v1/servers/batch?slugs={}", slugs.join(","))
}

/// Fifty events after any cursor.
fn events(values: &RequestValues, i: u64) -> String {
    let (oldest, newest) = values.events;
    let after = oldest + SplitMix64::new(i).below((newest - oldest) as usize) as i64;
    format!("/v1/events?after={}", rollcall_model::event::id(after))
}

fn server_events(values: &RequestValues, i: u64) -> String {
    let index = shuffled(i, 10 * values.slugs.len());
    let (slug, limit) = (index % values.slugs.len(), 45 + index / values.slugs.len());
    format!("/v1/events?server={}&limit={limit}", values.slugs[slug])
}

fn voters(values: &RequestValues, i: u64) -> String {
    server_rows("voters", &values.most_voted.slug, values.most_voted.votes, i)
}

fn reviews(values: &RequestValues, i: u64) -> String {
    server_rows("reviews", &values.most_voted.slug, values.most_voted.reviews, i)
}

fn server_rows(path: &str, slug: &str, total: usize, i: u64) -> String {
    let (sizes, pages) = (21, (total / 30).max(1));
    let index = shuffled(i, pages * sizes);
    format!("/v1/servers/{slug}/{path}?page={}&limit={}", 1 + index % pages, 10 + index / pages)
}

fn skin(values: &RequestValues, i: u64) -> String {
    format!("/v1/skins/{}", values.skins[shuffled(i, values.skins.len())])
}

/// Every metric and period, some with a filter, any page.
fn leaderboards(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i);
    let metric = rng.pick(&["best", "sessions", "servers"]);
    let period = rng.pick(&["24h", "7d", "30d", "90d", "all-time"]);
    let (filter, max_page) = match rng.below(4) {
        0 => (format!("&tier={}", rng.pick(&["HT1", "LT1", "HT3", "LT5", "Unranked"])), 20),
        1 => (format!("&achievement={}", rng.pick(&["regular", "veteran", "explorer", "slayer", "true-fan"])), 20),
        2 => {
            let name = &rng.pick(&values.players).nickname;
            (format!("&search={}", encoded(name.get(..3).unwrap_or("the"))), 3)
        }
        _ => (String::new(), 1_000),
    };
    let (page, limit) = (1 + rng.below(max_page), 16 + rng.below(9));
    format!("/v1/leaderboards?metric={metric}&period={period}&page={page}&limit={limit}{filter}")
}

fn site_servers(values: &RequestValues, i: u64) -> String {
    any_page("/servers", &SERVER_SORTS, values.slugs.len(), 20, i)
}

fn site_server(values: &RequestValues, i: u64) -> String {
    format!("/servers/{}", values.slugs[shuffled(i, values.slugs.len())])
}

fn site_player(values: &RequestValues, i: u64) -> String {
    format!("/players/{}", values.players[shuffled(i, values.players.len())].page)
}

/// A mix of requests in the proportions of real traffic.
fn mix(values: &RequestValues, i: u64) -> String {
    let mut rng = SplitMix64::new(i ^ 0x5eed);
    let next = rng.next_u64() >> 20;
    match rng.below(100) {
        0..20 => hot_list(),
        20..40 => filters(values, next),
        40..45 => servers(values, next),
        45..60 => server(values, next, "24h"),
        60..63 => server(values, next, "30d"),
        63..75 => player_id(values, next),
        75..78 => player_name(values, next),
        78..81 => players(values, next),
        81..87 => rare(values, next),
        87..91 => voters(values, next),
        91..94 => leaderboards(values, next),
        94..96 => skins(values, next),
        96..99 => "/v1/live".to_owned(),
        _ => "/v1/servers/countries".to_owned(),
    }
}
