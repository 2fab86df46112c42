//! The comparison at one data size: every workload, hot and cold. In each round all services take their turn.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::data::DataSize;
use crate::load_generator::{self, CONNECTIONS, RequestStream};
use crate::options::BenchOptions;
use crate::progress::steps;
use crate::services::{ServiceKind, ServiceProcess};
use crate::spread::Spread;
use crate::steal_time;
use crate::targets::AGAINST_PEERS;
use crate::testbed::{CacheState, RoundResult, Testbed, run_round};
use crate::workloads::{COUNTRIES, FILTERS, HOT_LIST, LIVE, WORKLOADS, Workload};

/// A peer slower than this for a single request gets one round, with few connections: it would delay the whole run.
const SLOW_REQUEST: Duration = Duration::from_millis(50);
const SLOW_CONNECTIONS: usize = 4;
/// Workloads with a target relative to the ceiling.
const AGAINST_CEILING: [(&str, CacheState); 4] =
    [(HOT_LIST, CacheState::Hot), (LIVE, CacheState::Hot), (COUNTRIES, CacheState::Hot), (FILTERS, CacheState::Cold)];
/// Once per peer, for just-in-time compilers.
const PEER_WARM_UP: Duration = Duration::from_millis(1_500);

/// A workload in one cache state.
pub struct ThroughputRow {
    pub workload: &'static str,
    pub cache: CacheState,
    /// Mean body length of Rollcall's responses.
    pub bytes: BTreeMap<DataSize, usize>,
    cells: BTreeMap<(DataSize, ServiceKind), Vec<RoundResult>>,
}

/// Number and length of rounds.
pub struct RoundPlan {
    pub rounds: usize,
    /// Of peers: they are far off, so fewer rounds suffice.
    peer_rounds: usize,
    /// Of Rollcall and the ceiling where a target compares them: the speed of the machine varies more than they differ.
    ceiling_rounds: usize,
    pub length: Duration,
    warm_up: Duration,
}

impl RoundPlan {
    pub fn new(options: &BenchOptions) -> Self {
        let ms = Duration::from_millis;
        if options.quick {
            Self { rounds: 2, peer_rounds: 2, ceiling_rounds: 4, length: ms(120), warm_up: ms(30) }
        } else {
            Self { rounds: 5, peer_rounds: 3, ceiling_rounds: 16, length: ms(250), warm_up: ms(100) }
        }
    }
}

/// Adds the results of this data size to the rows. `has_targets`: the targets use this size, so their workloads get more rounds.
pub async fn run(testbed: &mut Testbed, options: &BenchOptions, has_targets: bool, rows: &mut Vec<ThroughputRow>) {
    let plan = RoundPlan::new(options);
    let all = WORKLOADS.iter().filter(|workload| options.includes_workload(workload.name)).flat_map(|workload| {
        let states = [(CacheState::Hot, workload.hot.is_some()), (CacheState::Cold, workload.cold.is_some())];
        states.into_iter().filter(|(_, exists)| *exists).map(move |(cache, _)| (workload, cache))
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return;
    }
    let (size, bar) = (testbed.size, steps(all.len() * plan.rounds, ""));
    for peer in testbed.services.iter().filter(|service| service.kind.is_peer()) {
        bar.set_message(format!("warming up {}", peer.kind.title()));
        testbed.run_only(peer);
        if let Some(stream) = testbed.requests(&WORKLOADS[0], CacheState::Hot, peer) {
            run_round(peer, &stream, PEER_WARM_UP, CONNECTIONS).await;
        }
    }
    for (workload, cache) in all {
        bar.set_message(format!("{}: {}, {}", size.name(), workload.name, cache.name()));
        steal_time::wait_until_idle().await;
        if cache == CacheState::Cold {
            testbed.warm_page_cache();
        }
        let bytes = testbed.record(workload, cache).await.expect("Rollcall takes part in every workload");
        let row = ThroughputRow::entry(rows, workload.name, cache);
        row.bytes.insert(size, bytes);
        let entrants = entrants(testbed, options, &plan, workload, cache).await;
        let is_close = has_targets && AGAINST_CEILING.contains(&(workload.name, cache));
        let rounds = if is_close { plan.ceiling_rounds } else { plan.rounds };
        for turn in 0..rounds {
            for offset in 0..entrants.len() {
                // The first place rotates, so that drift of the machine favours no service.
                let Entrant { service, stream, is_slow } = &entrants[(turn + offset) % entrants.len()];
                let is_peer = service.kind.is_peer();
                if *is_slow && turn > 0 || is_peer && turn >= plan.peer_rounds {
                    continue;
                }
                testbed.run_only(service);
                let connections = if *is_slow { SLOW_CONNECTIONS } else { CONNECTIONS };
                if is_close && !is_peer {
                    // A resumed service first does the work that fell due while it was stopped.
                    run_round(service, stream, plan.warm_up, connections).await;
                }
                let result = run_round(service, stream, plan.length, connections).await;
                row.cells.entry((size, service.kind)).or_default().push(result);
            }
            if turn < plan.rounds {
                bar.inc(1);
            }
        }
    }
    testbed.run_all();
    bar.finish_and_clear();
}

/// A service that takes part in a workload.
struct Entrant<'a> {
    service: &'a ServiceProcess,
    stream: RequestStream,
    is_slow: bool,
}

/// The services that take part in this workload, warmed up. The ceiling is the first.
async fn entrants<'a>(
    testbed: &'a Testbed,
    options: &BenchOptions,
    plan: &RoundPlan,
    workload: &Workload,
    cache: CacheState,
) -> Vec<Entrant<'a>> {
    let stream = testbed.requests(workload, cache, &testbed.ceiling).expect("the ceiling takes part in every workload");
    let mut entrants = vec![Entrant { service: &testbed.ceiling, stream, is_slow: false }];
    for service in &testbed.services {
        let Some(stream) = testbed.requests(workload, cache, service) else { continue };
        let is_peer = service.kind.is_peer();
        if is_peer && options.quick && !AGAINST_PEERS.contains(&(workload.name, cache)) {
            continue;
        }
        testbed.run_only(service);
        let is_slow = is_peer && load_generator::single_request(service.address, &stream).await > SLOW_REQUEST;
        if !is_slow {
            // Just-in-time compilers need longer.
            let warm_up = if is_peer { 3 * plan.warm_up } else { plan.warm_up };
            run_round(service, &stream, warm_up, CONNECTIONS).await;
        }
        entrants.push(Entrant { service, stream, is_slow });
    }
    entrants
}

impl ThroughputRow {
    /// Finds the row of a workload, or adds it.
    fn entry<'a>(rows: &'a mut Vec<Self>, workload: &'static str, cache: CacheState) -> &'a mut Self {
        let index = rows.iter().position(|row| row.workload == workload && row.cache == cache).unwrap_or_else(|| {
            rows.push(Self { workload, cache, bytes: BTreeMap::new(), cells: BTreeMap::new() });
            rows.len() - 1
        });
        &mut rows[index]
    }

    pub fn cell(&self, size: DataSize, kind: ServiceKind) -> Option<&[RoundResult]> {
        self.cells.get(&(size, kind)).map(Vec::as_slice)
    }

    /// Median requests per second.
    pub fn rate(&self, size: DataSize, kind: ServiceKind) -> Option<f64> {
        let rates: Vec<f64> = self.cell(size, kind)?.iter().map(|round| round.rate).collect();
        Spread::of(&rates).map(|spread| spread.median)
    }

    /// The rate relative to another service, round by round. The one with fewer rounds limits the number of pairs.
    pub fn ratio(&self, size: DataSize, kind: ServiceKind, other: ServiceKind) -> Option<Spread> {
        let pairs = self.cell(size, kind)?.iter().zip(self.cell(size, other)?);
        Spread::of(&pairs.map(|(a, b)| a.rate / b.rate).collect::<Vec<_>>())
    }

    /// CPU time per request of the other service relative to this one.
    pub fn cpu_ratio(&self, size: DataSize, kind: ServiceKind, other: ServiceKind) -> Option<f64> {
        let cost = |cell: &[RoundResult]| {
            Spread::of(&cell.iter().map(|round| round.own_cpu + round.database_cpu).collect::<Vec<_>>())
        };
        Some(cost(self.cell(size, other)?)?.median / cost(self.cell(size, kind)?)?.median)
    }

    /// Time and CPU time per request at large relative to small. The sizes are measured one after the other and the speed of the
    /// machine may change between them, so each is first divided by the ceiling of its own rounds.
    pub fn growth(&self, kind: ServiceKind) -> Option<(Spread, f64)> {
        let sizes = [DataSize::Small, DataSize::Large];
        let [small, large] = sizes.map(|size| self.ratio(size, kind, ServiceKind::Ceiling));
        let [small_cpu, large_cpu] = sizes.map(|size| self.cpu_ratio(size, kind, ServiceKind::Ceiling));
        Some((small?.over(large?), small_cpu? / large_cpu?))
    }

    /// The peer with the highest rate.
    pub fn best_peer(&self, size: DataSize) -> Option<ServiceKind> {
        let rates = ServiceKind::PEERS.into_iter().filter_map(|kind| Some((kind, self.rate(size, kind)?)));
        rates.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(kind, _)| kind)
    }
}
