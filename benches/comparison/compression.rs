//! The rate of compressed hot responses relative to uncompressed ones.

use crate::load_generator::{CONNECTIONS, RequestStream};
use crate::options::BenchOptions;
use crate::progress::steps;
use crate::services::ServiceKind;
use crate::spread::Spread;
use crate::testbed::{Testbed, run_round};
use crate::throughput::RoundPlan;
use crate::workloads;

pub struct CompressionResult {
    pub kind: ServiceKind,
    pub encoding: &'static str,
    /// Rate relative to uncompressed, round by round.
    pub ratio: Spread,
}

const ENCODINGS: [&str; 3] = ["zstd", "br", "gzip"];

pub async fn run(testbed: &Testbed, options: &BenchOptions) -> Vec<CompressionResult> {
    if !options.includes_workload("encodings") {
        return Vec::new();
    }
    let plan = RoundPlan::new(options);
    let bar = steps(testbed.ours().count() * plan.rounds, "compressed responses");
    let mut all = Vec::new();
    for service in testbed.ours() {
        testbed.run_only(service);
        let stream = |encoding: &str| {
            RequestStream::hot(&workloads::hot_list(), &format!("{}accept-encoding: {encoding}\r\n", service.headers))
        };
        let streams: Vec<_> = ["identity"].into_iter().chain(ENCODINGS).map(stream).collect();
        let mut ratios: [Vec<f64>; 3] = Default::default();
        for _ in 0..plan.rounds {
            let mut rates = Vec::new();
            for stream in &streams {
                rates.push(run_round(service, stream, plan.length, CONNECTIONS).await.rate);
            }
            for (ratios, rate) in ratios.iter_mut().zip(&rates[1..]) {
                ratios.push(rate / rates[0]);
            }
            bar.inc(1);
        }
        for (encoding, ratios) in ENCODINGS.into_iter().zip(ratios) {
            all.extend(Spread::of(&ratios).map(|ratio| CompressionResult { kind: service.kind, encoding, ratio }));
        }
    }
    testbed.run_all();
    bar.finish_and_clear();
    all
}
