//! The last pages of every list against the first, both cold: each page of a batch is asked for once, and the next batch waits
//! until no answer can be kept any more.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::arena::{Arena, steps};
use crate::args::Args;
use crate::compare::Spread;
use crate::contenders::{Contender, Kind};
use crate::drive;
use crate::load::{Client, head, request};
use crate::quiet;
use crate::works::{PLAYER_SORTS, SERVER_SORTS, SKIN_SORTS};
use crate::world::World;

/// Answers are kept for the second they were made in.
const KEPT: Duration = Duration::from_millis(1_050);
/// Pages at each end of a list in a batch.
const BATCH: usize = 600;

pub struct Paged {
    pub list: &'static str,
    pub kind: Kind,
    /// What the last pages take, in time and in processor, for each that the first take.
    pub time: Spread,
    pub processor: f64,
    pub last_page: usize,
}

pub async fn run(arena: &Arena, args: &Args) -> Vec<Paged> {
    if !args.wants("pages") {
        return Vec::new();
    }
    let rounds = if args.quick { 1 } else { 4 };
    let lists = lists(&arena.world);
    let bar = steps(lists.len() * arena.ours().count(), "last pages against first");
    let mut all = Vec::new();
    for (list, bases, usual) in &lists {
        for contender in arena.ours() {
            arena.turn_of(contender);
            bar.set_message(format!("last pages against first: {list}"));
            all.push(measure(list, bases, *usual, contender, rounds).await);
            bar.inc(1);
        }
    }
    arena.turn_of_all();
    bar.finish_and_clear();
    all
}

/// Each list in all its orders, and how many items a page of it usually has.
fn lists(world: &World) -> Vec<(&'static str, Vec<String>, usize)> {
    let sorted = |path: &str, sorts: &[&str]| sorts.iter().map(|sort| format!("/v1/{path}?sort={sort}")).collect();
    let boards = ["best", "sessions", "servers"].into_iter().flat_map(|metric| {
        ["24h", "7d", "30d", "90d", "all-time"]
            .map(|period| format!("/v1/leaderboards?metric={metric}&period={period}"))
    });
    let of_server = |what: &str| vec![format!("/v1/servers/{}/{what}?", world.voted.0)];
    vec![
        ("servers", sorted("servers", &SERVER_SORTS), 20),
        ("players", sorted("players", &PLAYER_SORTS), 20),
        ("skins", sorted("skins", &SKIN_SORTS), 24),
        ("capes", sorted("capes", &SKIN_SORTS[..7]), 24),
        ("voters", of_server("voters"), 20),
        ("reviews", of_server("reviews"), 20),
        ("leaderboards", boards.collect(), 20),
    ]
}

async fn measure(list: &'static str, bases: &[String], usual: usize, contender: &Contender, rounds: usize) -> Paged {
    let (mut first, mut last, mut last_page) = (Vec::new(), Vec::new(), 0);
    let limits: Vec<usize> = (usual - 8..=usual + 8).collect();
    let each = BATCH.div_ceil(bases.len() * limits.len()).max(1);
    for base in bases {
        let total = total(contender, base).await;
        for &limit in &limits {
            // Full pages alone: a last one with a single item would be too cheap.
            let pages = total / limit;
            let each = each.min(pages / 2).max(1);
            last_page = last_page.max(pages);
            let asked = |page: usize| -> Arc<[u8]> {
                request(&format!("{base}&page={}&limit={limit}", page.max(1)), &contender.headers).into()
            };
            first.extend((1..=each).map(asked));
            last.extend((pages.saturating_sub(each) + 1..=pages).map(asked));
        }
    }
    let (first, last): (Arc<[_]>, Arc<[_]>) = (first.into(), last.into());
    let (mut times, mut used) = (Vec::new(), [0.0; 2]);
    for turn in 0..=rounds {
        // Who goes first takes turns.
        let order = [turn % 2, 1 - turn % 2];
        let round = quiet::during(async || both(contender, [&first, &last], order).await).await;
        // The first time nothing is in memory yet.
        if turn > 0 {
            times.push(round[1].time / round[0].time);
            used.iter_mut().zip(round).for_each(|(used, half)| *used += half.processor);
        }
    }
    let time = Spread::of(&times).expect("at least one round");
    Paged { list, kind: contender.kind, time, processor: used[1] / used[0], last_page }
}

/// What a page took, in seconds and in the time of a core.
#[derive(Clone, Copy, Default)]
struct Took {
    time: f64,
    processor: f64,
}

/// A batch of the first pages and one of the last, in this order.
async fn both(contender: &Contender, batches: [&Arc<[Arc<[u8]>]>; 2], order: [usize; 2]) -> [Took; 2] {
    let began = Instant::now();
    let mut took = [Took::default(); 2];
    for place in order {
        let before = contender.used();
        let run = drive::batch(contender.address, batches[place].clone()).await;
        let after = contender.used();
        let used = (after.own + after.beside - before.own - before.beside) as f64;
        let answered = run.answered as f64;
        took[place] = Took { time: run.seconds / answered, processor: used / answered };
    }
    tokio::time::sleep(KEPT.saturating_sub(began.elapsed())).await;
    took
}

async fn total(contender: &Contender, base: &str) -> usize {
    let mut client = Client::connect(contender.address).await;
    let answer = client.ask(&request(&format!("{base}&limit=1"), &contender.headers)).await;
    let answer: Value = serde_json::from_slice(&answer[head(answer).expect("a head")..]).expect("JSON");
    let data = &answer["data"];
    data["pagination"]["total"].as_u64().or(data["total"].as_u64()).expect("a total") as usize
}
