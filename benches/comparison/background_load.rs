//! Throughput while something else is going on: rounds with and without the load alternate, because the speed of the machine
//! drifts. Each load works on a copy of the store.

use std::process::Command;
use std::time::Duration;

use crate::data::{self, BenchStore};
use crate::load_generator::CONNECTIONS;
use crate::options::BenchOptions;
use crate::progress::{self, steps};
use crate::services::ServiceProcess;
use crate::spread::Spread;
use crate::testbed::{CacheState, Testbed, run_round};
use crate::throughput::RoundPlan;
use crate::workloads::WORKLOADS;

/// Time until Rollcall has loaded what was written.
const SETTLE: Duration = Duration::from_millis(500);

/// The throughput of a workload with the load relative to without.
pub struct WorkloadShare {
    pub workload: &'static str,
    pub cache: CacheState,
    pub rate: Spread,
    /// CPU time per request with the load relative to without.
    pub cpu: f64,
}

/// A copy of the SQLite store, deleted at the end.
pub struct StoreCopy(pub BenchStore);

impl StoreCopy {
    pub fn new(testbed: &Testbed, name: &str) -> Result<Self, String> {
        let copy = BenchStore { folder: data::folder().join(name), url: None };
        let bar = progress::spinner("copying the store");
        let _ = std::fs::remove_dir_all(&copy.folder);
        let mut command = Command::new("cp");
        command.args(["-a", "--reflink=auto"]).arg(BenchStore::sqlite(testbed.size).folder).arg(&copy.folder);
        let copied = command.status().map_err(|error| error.to_string())?;
        if !copied.success() {
            return Err("cannot copy the store: check the free disk space".to_owned());
        }
        // The quota ledger belongs to the original store.
        for file in ["rollcall-ledger.db", "rollcall-ledger.db-wal", "rollcall-ledger.db-shm"] {
            let _ = std::fs::remove_file(copy.folder.join(file));
        }
        progress::done(&bar);
        Ok(Self(copy))
    }
}

impl Drop for StoreCopy {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0.folder);
    }
}

/// Measures workloads with and without the load, which `switch` turns on and off; it returns whether that is a change.
pub async fn measure(
    testbed: &Testbed,
    options: &BenchOptions,
    service: &ServiceProcess,
    measured: &[(&'static str, CacheState)],
    (title, switch): (&'static str, impl Fn(bool) -> bool),
) -> Vec<WorkloadShare> {
    let plan = RoundPlan::new(options);
    // On a shared host the speed of a core varies by a third from one second to the next.
    let rounds = if options.quick { 2 } else { 10 };
    let bar = steps(2 * rounds * measured.len(), title);
    let mut workloads = Vec::new();
    for &(name, cache) in measured {
        let workload = WORKLOADS.iter().find(|workload| workload.name == name).expect("known workload");
        let stream = testbed.requests(workload, cache, service).expect("Rollcall takes part in every workload");
        let (mut shares, mut cpu) = (Vec::new(), [0.0; 2]);
        for turn in 0..rounds {
            let mut rates = [0.0; 2];
            // The first place alternates.
            for is_on in [turn % 2 == 1, turn % 2 == 0] {
                if switch(is_on) {
                    tokio::time::sleep(SETTLE).await;
                }
                let result = run_round(service, &stream, 2 * plan.length, CONNECTIONS).await;
                rates[usize::from(is_on)] = result.rate;
                cpu[usize::from(is_on)] += result.own_cpu;
                bar.inc(1);
            }
            shares.push(rates[1] / rates[0]);
        }
        let rate = Spread::of(&shares).expect("at least one round");
        workloads.push(WorkloadShare { workload: name, cache, rate, cpu: cpu[1] / cpu[0] });
    }
    bar.finish_and_clear();
    workloads
}
