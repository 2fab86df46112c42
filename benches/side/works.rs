//! What is asked: for each work one target that is hot, and endless different ones that are cold. The same number always gives
//! the same target, so that everybody is asked the same.

use crate::world::World;

/// Whom a work is for, beside the ceiling and ours.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Peers {
    None,
    /// Fastify and FastAPI.
    Written,
    /// Datasette, too.
    All,
}

pub struct Work {
    pub name: &'static str,
    pub hot: Option<fn(&World) -> String>,
    /// A different target for each number.
    pub cold: Option<fn(&World, u64) -> String>,
    pub peers: Peers,
    /// Keys are of different accounts: what they have to do with it is part of the answer.
    pub accounts: bool,
    /// Some targets are meant to come again soon, also when it is cold.
    pub comes_again: bool,
}

pub const HOT_LIST: &str = "list";
pub const FILTERS: &str = "filters";
pub const LIVE: &str = "live";
pub const COUNTRIES: &str = "countries";
pub const VOTERS: &str = "voters";
pub const REVIEWS: &str = "reviews";
pub const SKIN: &str = "skin detail";
pub const MIX: &str = "mix";
pub const PLAYER_ID: &str = "player by id";
pub const PLAYER_UUID: &str = "player by UUID";
pub const PLAYER_NAME: &str = "player by nickname";
pub const SEARCHES: [&str; 4] = ["search, two letters", "search, common", "search, rare", "search, absent"];

const fn work(name: &'static str, hot: Option<fn(&World) -> String>, cold: Option<fn(&World, u64) -> String>) -> Work {
    Work { name, hot, cold, peers: Peers::Written, accounts: false, comes_again: false }
}

pub static WORKS: &[Work] = &[
    Work { peers: Peers::All, ..work(HOT_LIST, Some(|_| hot_list()), None) },
    Work { peers: Peers::All, ..work(FILTERS, Some(|world| filters(world, 7)), Some(filters)) },
    work("pages of servers", Some(|world| servers(world, 1)), Some(servers)),
    work("pages of players", Some(|world| players(world, 1)), Some(players)),
    Work { peers: Peers::None, ..work("pages of skins", Some(|world| skins(world, 1)), Some(skins)) },
    work(SEARCHES[0], Some(|_| search("ma", 10)), Some(two_letters)),
    work(SEARCHES[1], Some(|_| search("sky", 10)), Some(common)),
    work(SEARCHES[2], Some(|world| rare(world, 1)), Some(rare)),
    work(SEARCHES[3], Some(|world| absent(world, 1)), Some(absent)),
    Work { peers: Peers::All, ..work(PLAYER_ID, Some(|world| player_id(world, 1)), Some(player_id)) },
    work(PLAYER_UUID, Some(|world| player_uuid(world, 1)), Some(player_uuid)),
    work(PLAYER_NAME, Some(|world| player_name(world, 1)), Some(player_name)),
    work("server, 24h", Some(|world| server(world, 1, "24h")), Some(|world, i| server(world, i, "24h"))),
    work("server, 7d", Some(|world| server(world, 1, "7d")), Some(|world, i| server(world, i, "7d"))),
    work("server, 30d", Some(|world| server(world, 1, "30d")), Some(|world, i| server(world, i, "30d"))),
    work("server, 90d", Some(|world| server(world, 1, "90d")), Some(|world, i| server(world, i, "90d"))),
    work("server, all-time", Some(|world| server(world, 1, "all-time")), Some(|world, i| server(world, i, "all-time"))),
    work(VOTERS, Some(|world| voters(world, 1)), Some(voters)),
    Work { peers: Peers::None, ..work(REVIEWS, Some(|world| reviews(world, 1)), Some(reviews)) },
    Work { peers: Peers::None, accounts: true, ..work(SKIN, Some(|world| skin(world, 1)), Some(skin)) },
    Work { peers: Peers::None, ..work("leaderboards", Some(|world| boards(world, 1)), Some(boards)) },
    work(LIVE, Some(|_| "/v1/live".to_owned()), None),
    Work { peers: Peers::None, ..work(COUNTRIES, Some(|_| "/v1/servers/countries".to_owned()), None) },
    Work { peers: Peers::None, comes_again: true, ..work(MIX, None, Some(mix)) },
];

/// Numbers that look like chance, the same every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0xd134_2543_de82_ef95))
    }

    /// SplitMix64.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        for (shift, factor) in [(30, 0xbf58_476d_1ce4_e5b9), (27, 0x94d0_49bb_1331_11eb)] {
            bits = (bits ^ (bits >> shift)).wrapping_mul(factor);
        }
        bits ^ (bits >> 31)
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.roll() % end.max(1) as u64) as usize
    }

    fn of<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

/// The `i`th of `space` in an order that jumps about, each once before any comes again.
pub fn shuffled(i: u64, space: usize) -> usize {
    const STRIDE: u128 = 2_654_435_761;
    (u128::from(i) * STRIDE % space.max(1) as u128) as usize
}

pub fn encoded(text: &str) -> String {
    percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC).to_string()
}

pub const SERVER_SORTS: [&str; 7] = ["recent", "players", "votes", "rating", "uptime", "trending", "name"];
pub const PLAYER_SORTS: [&str; 5] = ["recent", "name", "playtime", "sessions", "tier"];
pub const SKIN_SORTS: [&str; 8] = ["recent", "popular", "likes", "favorites", "views", "downloads", "name", "usage"];

pub fn hot_list() -> String {
    "/v1/servers?sort=players".to_owned()
}

/// One to five filters of values that occur, any sort, one of the first pages.
pub fn filters(world: &World, i: u64) -> String {
    let mut dice = Dice::new(i);
    let mut kinds: Vec<usize> = (0..10).collect();
    let count = 1 + dice.below(5);
    let mut target = format!("/v1/servers?sort={}", dice.of(&SERVER_SORTS));
    for _ in 0..count {
        let kind = kinds.swap_remove(dice.below(kinds.len()));
        let filter = match kind {
            0 => format!("country={}", encoded(dice.of::<String>(&world.countries))),
            1 => format!("version={}", encoded(dice.of::<String>(&world.versions))),
            2 => format!("tag={}", encoded(dice.of::<String>(&world.tags))),
            3 => format!("mode={}", encoded(dice.of::<String>(&world.modes))),
            4 => format!("minPlayers={}", dice.below(40)),
            5 => format!("maxPlayers={}", 40 + dice.below(400)),
            6 => format!("minUptime={:.2}", 80.0 + dice.below(2_000) as f64 / 100.0),
            7 => format!("minVotes={}", dice.below(400)),
            8 => format!("minRating={:.2}", 1.0 + dice.below(400) as f64 / 100.0),
            _ => "onlineOnly=true".to_owned(),
        };
        target = format!("{target}&{filter}");
    }
    // Filters of few values come again soon; a page and a size of its own makes each different.
    format!("{target}&page={}&limit={}", 1 + dice.below(3), 18 + dice.below(5))
}

/// Any page of any order, with sizes about the usual one.
fn any_page(path: &str, sorts: &[&str], total: usize, usual: usize, i: u64) -> String {
    let sizes = 9;
    let pages = (total / (usual + 4)).max(1);
    let place = shuffled(i, pages * sorts.len() * sizes);
    let (page, rest) = (1 + place % pages, place / pages);
    let (sort, limit) = (sorts[rest % sorts.len()], usual - 4 + rest / sorts.len());
    format!("{path}?sort={sort}&page={page}&limit={limit}")
}

pub fn servers(world: &World, i: u64) -> String {
    any_page("/v1/servers", &SERVER_SORTS, world.slugs.len(), 20, i)
}

pub fn players(world: &World, i: u64) -> String {
    any_page("/v1/players", &PLAYER_SORTS, world.player_count, 20, i)
}

pub fn skins(world: &World, i: u64) -> String {
    let model = ["", "&model=classic", "&model=slim"][(i % 3) as usize];
    // Of each model there is more than a third: pages after the last would be too cheap.
    let total = if model.is_empty() { world.skins.len() } else { world.skins.len() / 3 };
    format!("{}{model}", any_page("/v1/skins", &SKIN_SORTS, total, 24, i / 3))
}

pub fn search(text: &str, limit: usize) -> String {
    format!("/v1/search?q={}&limit={limit}", encoded(text))
}

/// Every pair of letters and digits, with sizes about the usual one; every third in capitals or with an accent.
pub fn two_letters(_: &World, i: u64) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let place = shuffled(i, LETTERS.len() * LETTERS.len() * 11);
    let letter = |place: usize| char::from(LETTERS[place % LETTERS.len()]);
    let text: String = [letter(place), letter(place / LETTERS.len())].iter().collect();
    let text = match i % 6 {
        0 => text.to_uppercase(),
        3 => text.replace('a', "á").replace('e', "é").replace('o', "Ö"),
        _ => text,
    };
    search(&text, 5 + place / LETTERS.len() / LETTERS.len())
}

/// Three letters from the middle of somebody's name.
fn common(world: &World, i: u64) -> String {
    let mut dice = Dice::new(i);
    let name = &dice.of(&world.players).2;
    let from = dice.below(name.len().saturating_sub(2));
    let text = name.get(from..from + 3).unwrap_or("the");
    search(text, 8 + dice.below(5))
}

/// All but the last letter of a name.
fn rare(world: &World, i: u64) -> String {
    let name = &world.players[shuffled(i, world.players.len())].2;
    let text = name.char_indices().last().map_or("", |(end, _)| &name[..end]);
    search(if text.len() < 2 { name } else { text }, 10)
}

fn absent(_: &World, i: u64) -> String {
    let mut dice = Dice::new(i);
    let text: String = (0..9).map(|_| char::from(b'a' + dice.below(26) as u8)).collect();
    search(&format!("{text}qx"), 10)
}

fn player_id(world: &World, i: u64) -> String {
    format!("/v1/players/{}", world.players[shuffled(i, world.players.len())].0)
}

fn player_uuid(world: &World, i: u64) -> String {
    format!("/v1/players/{}", world.players[shuffled(i, world.players.len())].1)
}

fn player_name(world: &World, i: u64) -> String {
    format!("/v1/players/{}", encoded(&world.players[shuffled(i, world.players.len())].2))
}

fn server(world: &World, i: u64, period: &str) -> String {
    format!("/v1/servers/{}?period={period}", world.slugs[shuffled(i, world.slugs.len())])
}

fn voters(world: &World, i: u64) -> String {
    rows("voters", &world.voted.0, world.voted.1, i)
}

fn reviews(world: &World, i: u64) -> String {
    rows("reviews", &world.voted.0, world.voted.2, i)
}

fn rows(what: &str, slug: &str, total: usize, i: u64) -> String {
    let (sizes, pages) = (21, (total / 30).max(1));
    let place = shuffled(i, pages * sizes);
    format!("/v1/servers/{slug}/{what}?page={}&limit={}", 1 + place % pages, 10 + place / pages)
}

fn skin(world: &World, i: u64) -> String {
    format!("/v1/skins/{}", world.skins[shuffled(i, world.skins.len())])
}

/// Every metric and period, some narrowed, any page.
pub fn boards(world: &World, i: u64) -> String {
    let mut dice = Dice::new(i);
    let metric = dice.of(&["best", "sessions", "servers"]);
    let period = dice.of(&["24h", "7d", "30d", "90d", "all-time"]);
    let (filter, most) = match dice.below(4) {
        0 => (format!("&tier={}", dice.of(&["HT1", "LT1", "HT3", "LT5", "Unranked"])), 20),
        1 => (format!("&achievement={}", dice.of(&["regular", "veteran", "explorer", "slayer", "true-fan"])), 20),
        2 => {
            let name = &dice.of(&world.players).2;
            (format!("&search={}", encoded(name.get(..3).unwrap_or("the"))), 3)
        }
        _ => (String::new(), 1_000),
    };
    let (page, limit) = (1 + dice.below(most), 16 + dice.below(9));
    format!("/v1/leaderboards?metric={metric}&period={period}&page={page}&limit={limit}{filter}")
}

/// What visitors of such a site ask for, in their proportions.
pub fn mix(world: &World, i: u64) -> String {
    let mut dice = Dice::new(i ^ 0x5eed);
    let next = dice.roll() >> 20;
    match dice.below(100) {
        0..20 => hot_list(),
        20..40 => filters(world, next),
        40..45 => servers(world, next),
        45..60 => server(world, next, "24h"),
        60..63 => server(world, next, "30d"),
        63..75 => player_id(world, next),
        75..78 => player_name(world, next),
        78..81 => players(world, next),
        81..87 => rare(world, next),
        87..91 => voters(world, next),
        91..94 => boards(world, next),
        94..96 => skins(world, next),
        96..99 => "/v1/live".to_owned(),
        _ => "/v1/servers/countries".to_owned(),
    }
}
