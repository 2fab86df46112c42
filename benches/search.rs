//! Search in memory at two data sizes: time to build the index, its memory, the cost of a change, and the latency of needles
//! that many, few and no names contain.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod process_usage;

use std::hint::black_box;
use std::time::{Duration, Instant};

use process_usage::{cpu_seconds, memory_kib};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rollcall::catalogue::{PlayerSort, Players, ServerFilter, ServerSort, Servers};
use rollcall_demo::words::game_modes::GAME_MODES;
use rollcall_demo::words::nicknames::{ADJECTIVES, ENDINGS, FIRST_NAMES, NOUNS};
use rollcall_demo::words::server_names::{LOCALIZED_SERVERS, NAME_PREFIXES, NAME_SUFFIXES};
use rollcall_model::resources::Pictures;
use rollcall_search::{FIELD_END, TextIndex, fold_search};
use rollcall_store::players::DirectoryRow;
use rollcall_store::servers::ServerRow;

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PLAYERS: [usize; 2] = [100_000, 1_000_000];
const SERVERS: [usize; 2] = [10_000, 100_000];
const ROUNDS: usize = 200;
const CHANGES: usize = 2_000;
const LIMIT: usize = 20;

const PLAYER_NEEDLES: &[(&str, &str)] = &[
    ("one letter", "a"),
    ("rare letter", "q"),
    ("two letters, most", "re"),
    ("two letters, many", "er"),
    ("two letters, some", "ox"),
    ("two letters, few", "qz"),
    ("three letters, most", "the"),
    ("three letters, few", "ixy"),
    ("prefix of many", "real"),
    ("accents and case", "RÉÂL"),
    ("common word", "badger"),
    ("rare word", "badger123"),
    ("number", "1999"),
    ("long", "realmateo12"),
    ("absent", "nobodyhasthis"),
];
const SERVER_NEEDLES: &[(&str, &str)] = &[
    ("one letter", "e"),
    ("two letters, most", "er"),
    ("two letters, some", "ky"),
    ("two letters, few", "zq"),
    ("three letters, most", "ing"),
    ("in names and addresses", "ember"),
    ("other script", "梦境"),
    ("in every text", "example"),
    ("rare word", "embervale hardcore"),
    ("sentence of many", "technical vanilla: redstone"),
    ("absent", "nobodyhasthis"),
];

fn main() {
    players();
    servers();
}

fn players() {
    for count in PLAYERS {
        measure_index(&format!("{count} nicknames"), nicknames(count));
    }
    let measured = PLAYERS.map(|count| {
        let mut players = Players::default();
        for (i, nickname) in nicknames(count).into_iter().enumerate() {
            players.put(&player(i, nickname));
        }
        let index = players.build_search_index();
        players.install_search_index(index);
        while let Some(order) = players.build_next_order() {
            drop(players.install_order(order));
        }
        PLAYER_NEEDLES
            .iter()
            .map(|&(what, needle)| {
                let (_, total) = players.page(Some(needle), PlayerSort::Recent, 0, LIMIT);
                let page = |offset| players.page(Some(needle), PlayerSort::Recent, offset, LIMIT);
                let middle = total / 2;
                let times = [
                    time(|| drop(black_box(players.search(needle, LIMIT)))),
                    time(|| drop(black_box(page(0)))),
                    time(|| drop(black_box(page(middle)))),
                    time(|| drop(black_box(players.select(None, None, Some(needle))))),
                ];
                (format!("{what} ({needle})"), total, times)
            })
            .collect::<Vec<_>>()
    });
    report("players", ["search", "first page", "middle page", "leaderboard filter"], &measured);
}

fn servers() {
    let pictures = Pictures { base: String::new() };
    for count in SERVERS {
        let texts = server_rows(count).map(|row| {
            let fields = [&row.name, &row.short_description, &row.motd_raw, &row.ip].into_iter().chain(&row.tags);
            fields.map(|field| fold_search(field)).collect::<Vec<_>>().join(FIELD_END)
        });
        measure_index(&format!("{count} servers"), texts.collect());
    }
    let measured = SERVERS.map(|count| {
        let mut servers = Servers::default();
        servers.load(server_rows(count).collect(), &pictures, 0);
        servers.build_orders();
        let index = servers.build_search_index();
        servers.install_search_index(index);
        SERVER_NEEDLES
            .iter()
            .map(|&(what, needle)| {
                let filter = ServerFilter { search: Some(needle.to_owned()), ..ServerFilter::default() };
                let with_online = ServerFilter { online_only: true, ..filter.clone() };
                let (_, total) = servers.page(&filter, ServerSort::Votes, 0, LIMIT);
                let page = |filter, offset| servers.page(filter, ServerSort::Votes, offset, LIMIT);
                let middle = total / 2;
                let times = [
                    time(|| drop(black_box(servers.search(needle, LIMIT)))),
                    time(|| drop(black_box(page(&filter, 0)))),
                    time(|| drop(black_box(page(&filter, middle)))),
                    time(|| drop(black_box(page(&with_online, 0)))),
                ];
                (format!("{what} ({needle})"), total, times)
            })
            .collect::<Vec<_>>()
    });
    report("servers", ["search", "first page", "middle page", "with online filter"], &measured);
}

/// Measures build time, memory and updates of the index.
fn measure_index(what: &str, all: Vec<String>) {
    let count = all.len();
    let mut texts = TextIndex::default();
    all.iter().enumerate().for_each(|(row, text)| texts.set(row as u32, text));
    let (started, cpu, memory) = (Instant::now(), cpu_seconds(), memory_kib("VmRSS:"));
    let index = texts.build_index();
    texts.install_index(index);
    let (built, cpu) = (started.elapsed(), cpu_seconds() - cpu);
    let bytes = memory_kib("VmRSS:").saturating_sub(memory) * 1024 / count as u64;
    let every = count / CHANGES;
    let started = Instant::now();
    for i in 0..CHANGES {
        texts.set((i * every) as u32, &all[i * every + every / 2]);
    }
    let replace = micros(started.elapsed()) / CHANGES as f64;
    let started = Instant::now();
    for i in 0..CHANGES {
        texts.set((count + i) as u32, &all[i * every]);
    }
    let insert = micros(started.elapsed()) / CHANGES as f64;
    println!(
        "{what}: built in {:.2} s, {cpu:.2} s of CPU; {bytes} bytes per text; replace {replace:.1} µs, insert {insert:.1} µs",
        built.as_secs_f64()
    );
}

/// For each needle: its label, the number of matches, and p50 and p99 of each column.
type Measured = Vec<(String, u64, [(f64, f64); 4])>;

fn report(what: &str, columns: [&str; 4], [small, large]: &[Measured; 2]) {
    println!("\n{what}: p50 / p99 in µs, and the ratio of p50 to that of a tenth of the data");
    let columns: Vec<String> = columns.iter().map(|column| format!("{column:>24}")).collect();
    println!("{:34} {:>8} {}", "", "matches", columns.join(" "));
    for ((needle, _, before), (_, total, after)) in small.iter().zip(large) {
        let cells = before.iter().zip(after).map(|(small, large)| {
            let cell = format!("{:.1} / {:.1} x{:.1}", large.0, large.1, large.0 / small.0);
            format!("{cell:>24}")
        });
        println!("{needle:34} {total:>8} {}", cells.collect::<Vec<_>>().join(" "));
    }
    println!();
}

/// p50 and p99 in microseconds.
fn time(work: impl Fn()) -> (f64, f64) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            work();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    (micros(times[ROUNDS / 2]), micros(times[ROUNDS * 99 / 100]))
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn pick<'a>(rng: &mut Pcg64Mcg, from: &[&'a str]) -> &'a str {
    from[rng.random_range(0..from.len())]
}

/// Like the nicknames of the demo data, and some random letters.
fn nicknames(count: usize) -> Vec<String> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let name = |_| {
        let rng = &mut rng;
        let (first, adjective, noun) = (pick(rng, FIRST_NAMES), pick(rng, ADJECTIVES), pick(rng, NOUNS));
        let number = rng.random_range(1..100_000);
        match rng.random_range(0..8) {
            0 => format!("{adjective}{noun}{}", number % 1_000),
            1 => format!("{adjective}_{noun}"),
            2 => format!("{first}{}", 1998 + number % 18),
            3 => format!("{first}The{noun}"),
            4 => format!("{noun}{}", pick(rng, ENDINGS)),
            5 => format!("{noun}{number}"),
            6 => format!("Real{first}{}", number % 1_000),
            _ => (0..rng.random_range(6..13)).map(|_| char::from(rng.random_range(b'a'..=b'z'))).collect(),
        }
    };
    (0..count).map(name).map(|name| fold_search(&name)).collect()
}

/// A pseudo-random number for each row, so that sort orders differ from the order of the rows.
fn scramble(i: usize) -> i64 {
    (i as i64).wrapping_mul(0x5851_f42d_4c95_7f2d) >> 33
}

fn player(i: usize, nickname: String) -> DirectoryRow {
    let random = scramble(i);
    DirectoryRow {
        n: i as i64 + 1,
        nickname,
        created_at: random,
        play_time: random.rotate_left(9) & 0xff_ffff,
        sessions: 1,
        servers: 1,
        kills: 0,
        wins: 0,
        tier_overall: "Bronze".into(),
        tier_points: 0,
        tier_rank: None,
        achievements: 0,
    }
}

fn server_rows(count: usize) -> impl Iterator<Item = ServerRow> {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    (0..count).map(move |i| {
        let rng = &mut rng;
        let mode = &GAME_MODES[rng.random_range(0..GAME_MODES.len())];
        let mut name = format!("{}{}{}", pick(rng, NAME_PREFIXES), pick(rng, NAME_SUFFIXES), pick(rng, mode.titles));
        let mut about = pick(rng, mode.descriptions);
        if rng.random_range(0..20) == 0 {
            let localized = &LOCALIZED_SERVERS[rng.random_range(0..LOCALIZED_SERVERS.len())];
            (name, about) = (localized.name.to_owned(), localized.description);
        }
        server(i, name, about, pick(rng, mode.taglines), mode.tags)
    })
}

fn server(i: usize, name: String, about: &str, tagline: &str, tags: &[&str]) -> ServerRow {
    let random = scramble(i);
    ServerRow {
        n: i as i64 + 1,
        id: format!("{i:032x}"),
        slug: format!("server-{i}"),
        short_description: about.to_owned(),
        ip: format!("play.{}-{i}.example", name.to_lowercase().replace(' ', "-")),
        port: 25_565,
        motd_raw: format!("{name} [1.{}] {tagline}", i % 22),
        name,
        is_public: true,
        is_online: !i.is_multiple_of(3),
        current_players: random & 0xfff,
        max_players: 5_000,
        version: "1.21".into(),
        protocol: 767,
        latency: 20,
        country: "Norway".into(),
        created_at: random,
        uptime: 99.0,
        recent_players: 1.0,
        total_votes: random & 0xffff,
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        ..ServerRow::default()
    }
}
