//! The last pages of every list relative to the first, both uncached: a batch requests each page once, and the next batch starts
//! after all cached responses have expired.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::http_client::{HttpClient, header_length, request};
use crate::load_generator;
use crate::options::BenchOptions;
use crate::progress::steps;
use crate::request_values::RequestValues;
use crate::services::{ServiceKind, ServiceProcess};
use crate::spread::Spread;
use crate::steal_time;
use crate::testbed::Testbed;
use crate::workloads::{PLAYER_SORTS, SERVER_SORTS, SKIN_SORTS};

/// Cached responses expire within this time.
const CACHE_TTL: Duration = Duration::from_millis(1_050);
/// Pages at each end of a list in one batch.
const BATCH_SIZE: usize = 600;

pub struct DeepPageResult {
    pub list: &'static str,
    pub kind: ServiceKind,
    /// Time and CPU time of the last pages relative to the first.
    pub time: Spread,
    pub cpu: f64,
    pub last_page: usize,
}

/// A list in all its sort orders.
struct List {
    name: &'static str,
    targets: Vec<String>,
    page_size: usize,
}

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Vec<DeepPageResult> {
    if !options.includes_workload("pages") {
        return Vec::new();
    }
    let rounds = if options.quick { 1 } else { 4 };
    let lists = lists(&testbed.values);
    let bar = steps(lists.len() * testbed.ours().count(), "last pages relative to first");
    let mut all = Vec::new();
    for list in &lists {
        for service in testbed.ours() {
            testbed.run_only(service);
            bar.set_message(format!("last pages relative to first: {}", list.name));
            all.push(measure(list, service, rounds).await);
            bar.inc(1);
        }
    }
    testbed.run_all();
    bar.finish_and_clear();
    all
}

fn lists(values: &RequestValues) -> Vec<List> {
    let sorted = |path: &str, sorts: &[&str]| sorts.iter().map(|sort| format!("/v1/{path}?sort={sort}")).collect();
    let leaderboards = ["best", "sessions", "servers"].into_iter().flat_map(|metric| {
        ["24h", "7d", "30d", "90d", "all-time"]
            .map(|period| format!("/v1/leaderboards?metric={metric}&period={period}"))
    });
    let of_server = |path: &str| vec![format!("/v1/servers/{}/{path}?", values.most_voted.slug)];
    vec![
        List { name: "servers", targets: sorted("servers", &SERVER_SORTS), page_size: 20 },
        List { name: "players", targets: sorted("players", &PLAYER_SORTS), page_size: 20 },
        List { name: "skins", targets: sorted("skins", &SKIN_SORTS), page_size: 24 },
        List { name: "capes", targets: sorted("capes", &SKIN_SORTS[..7]), page_size: 24 },
        List { name: "voters", targets: of_server("voters"), page_size: 20 },
        List { name: "reviews", targets: of_server("reviews"), page_size: 20 },
        List { name: "leaderboards", targets: leaderboards.collect(), page_size: 20 },
    ]
}

async fn measure(list: &List, service: &ServiceProcess, rounds: usize) -> DeepPageResult {
    let (mut first, mut last, mut last_page) = (Vec::new(), Vec::new(), 0);
    let limits: Vec<usize> = (list.page_size - 8..=list.page_size + 8).collect();
    let per_list = BATCH_SIZE.div_ceil(list.targets.len() * limits.len()).max(1);
    for target in &list.targets {
        let total = total(service, target).await;
        for &limit in &limits {
            // Only full pages: a last page with a single item would be too cheap.
            let pages = total / limit;
            let count = per_list.min(pages / 2).max(1);
            last_page = last_page.max(pages);
            let page_request = |page: usize| -> Arc<[u8]> {
                request(&format!("{target}&page={}&limit={limit}", page.max(1)), &service.headers).into()
            };
            first.extend((1..=count).map(page_request));
            last.extend((pages.saturating_sub(count) + 1..=pages).map(page_request));
        }
    }
    let (first, last): (Arc<[_]>, Arc<[_]>) = (first.into(), last.into());
    let (mut times, mut cpu) = (Vec::new(), [0.0; 2]);
    for turn in 0..=rounds {
        // The first place alternates.
        let order = [turn % 2, 1 - turn % 2];
        let round = steal_time::measure_undisturbed(async || both_ends(service, [&first, &last], order).await).await;
        // Round 0 only warms up.
        if turn > 0 {
            times.push(round[1].time / round[0].time);
            cpu.iter_mut().zip(round).for_each(|(cpu, cost)| *cpu += cost.cpu);
        }
    }
    let time = Spread::of(&times).expect("at least one round");
    DeepPageResult { list: list.name, kind: service.kind, time, cpu: cpu[1] / cpu[0], last_page }
}

/// The cost of a page: seconds, and nanoseconds of CPU time.
#[derive(Clone, Copy, Default)]
struct PageCost {
    time: f64,
    cpu: f64,
}

/// Runs a batch of first pages and one of last pages, in this order.
async fn both_ends(service: &ServiceProcess, batches: [&Arc<[Arc<[u8]>]>; 2], order: [usize; 2]) -> [PageCost; 2] {
    let started = Instant::now();
    let mut costs = [PageCost::default(); 2];
    for end in order {
        let before = service.cpu_used().total();
        let load = load_generator::batch(service.address, batches[end].clone()).await;
        let cpu = (service.cpu_used().total() - before) as f64;
        let responses = load.responses as f64;
        costs[end] = PageCost { time: load.seconds / responses, cpu: cpu / responses };
    }
    tokio::time::sleep(CACHE_TTL.saturating_sub(started.elapsed())).await;
    costs
}

async fn total(service: &ServiceProcess, target: &str) -> usize {
    let mut client = HttpClient::connect(service.address).await;
    let response = client.get(&request(&format!("{target}&limit=1"), &service.headers)).await;
    let body = &response[header_length(response).expect("a complete header")..];
    let body: Value = serde_json::from_slice(body).expect("a JSON body");
    let data = &body["data"];
    data["pagination"]["total"].as_u64().or(data["total"].as_u64()).expect("a total") as usize
}
