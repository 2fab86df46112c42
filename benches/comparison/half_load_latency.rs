//! Latency at half the maximum load of a service, in an open loop: requests are due at fixed times.

use std::time::Duration;

use crate::load_generator::{self, RequestStream};
use crate::options::BenchOptions;
use crate::progress::steps;
use crate::services::{ServiceKind, ServiceProcess};
use crate::steal_time;
use crate::targets::has_latency_target;
use crate::testbed::{CacheState, Testbed};
use crate::throughput::ThroughputRow;
use crate::workloads::WORKLOADS;

pub struct HalfLoadLatency {
    pub workload: &'static str,
    pub cache: CacheState,
    pub kind: ServiceKind,
    /// Requests per second.
    pub rate: f64,
    /// Milliseconds from the time a request is due.
    pub p50: f64,
    pub p99: f64,
    /// p99 of the ceiling at this rate: the latency of the machine itself, which also runs the load generator.
    pub ceiling_p99: f64,
}

impl std::fmt::Display for HalfLoadLatency {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{:.2} ms at {:.0} requests/s; bare hyper {:.2} ms", self.p99, self.rate, self.ceiling_p99)
    }
}

/// The median round counts: now and then the kernel blocks a core for milliseconds.
const ROUNDS: usize = 3;
const ROUNDS_WITH_TARGET: usize = 7;
/// Above this p99 of the ceiling, in milliseconds, the machine itself stalled: the round is repeated, up to twice as many rounds.
const MAX_CEILING_P99: f64 = 2.0;

/// Latencies of one round in milliseconds.
pub struct RoundLatency {
    pub p50: f64,
    pub p99: f64,
    pub ceiling_p99: f64,
}

pub fn median(rounds: &[RoundLatency], value: impl Fn(&RoundLatency) -> f64) -> f64 {
    let mut values: Vec<f64> = rounds.iter().map(value).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub async fn run(testbed: &Testbed, options: &BenchOptions, rows: &[ThroughputRow]) -> Vec<HalfLoadLatency> {
    let length = Duration::from_millis(if options.quick { 150 } else { 400 });
    let rows: Vec<&ThroughputRow> =
        rows.iter().filter(|row| !options.quick || has_latency_target(row.workload, row.cache)).collect();
    let bar = steps(rows.len() * testbed.ours().count(), "latency at half load");
    let mut all = Vec::new();
    for row in rows {
        steal_time::wait_until_idle().await;
        if row.cache == CacheState::Cold {
            testbed.warm_page_cache();
        }
        for service in testbed.ours() {
            let kind = service.kind;
            bar.inc(1);
            let workload = WORKLOADS.iter().find(|workload| workload.name == row.workload).expect("known workload");
            let Some(rate) = row.rate(testbed.size, kind).map(|rate| rate / 2.0) else { continue };
            // All hot responses behave like the list, so only workloads without a cold variant are measured hot.
            if row.cache == CacheState::Hot && workload.cold.is_some() {
                continue;
            }
            let Some(stream) = testbed.requests(workload, row.cache, service) else { continue };
            testbed.run_only(service);
            // A resumed service first does the work that fell due while it was stopped.
            tokio::task::block_in_place(|| service.wait_until_settled());
            let has_target = has_latency_target(row.workload, row.cache);
            let count = if has_target && !options.quick { ROUNDS_WITH_TARGET } else { ROUNDS };
            let rounds = measure(testbed, service, &stream, rate, length, count).await;
            all.push(HalfLoadLatency {
                workload: row.workload,
                cache: row.cache,
                kind,
                rate,
                p50: median(&rounds, |round| round.p50),
                p99: median(&rounds, |round| round.p99),
                ceiling_p99: median(&rounds, |round| round.ceiling_p99),
            });
        }
    }
    testbed.run_all();
    bar.finish_and_clear();
    all
}

/// Measures until `count` rounds had no stall of the machine. After twice as many rounds, all of them count.
pub async fn measure(
    testbed: &Testbed,
    service: &ServiceProcess,
    stream: &RequestStream,
    rate: f64,
    length: Duration,
    count: usize,
) -> Vec<RoundLatency> {
    let (mut undisturbed, mut stalled): (Vec<RoundLatency>, Vec<RoundLatency>) = Default::default();
    while undisturbed.len() < count && undisturbed.len() + stalled.len() < 2 * count {
        let both = async || {
            let load = load_generator::open_loop(service.address, stream, rate, length).await;
            let ceiling = load_generator::open_loop(testbed.ceiling.address, stream, rate, length).await;
            (load, ceiling.latency_ms(0.99))
        };
        let (load, ceiling_p99) = steal_time::measure_undisturbed(both).await;
        let rounds = if ceiling_p99 <= MAX_CEILING_P99 { &mut undisturbed } else { &mut stalled };
        rounds.push(RoundLatency { p50: load.latency_ms(0.5), p99: load.latency_ms(0.99), ceiling_p99 });
    }
    if undisturbed.len() < count {
        undisturbed.append(&mut stalled);
    }
    undisturbed
}
