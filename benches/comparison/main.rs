//! Compares Rollcall with other services: `./bench`, or `cargo bench --bench comparison`. All services serve the same data and
//! get the same requests, in alternating rounds. The results are ratios within one run. `--help` lists the options.

#![expect(clippy::print_stdout, reason = "a benchmark prints its results")]

mod background_load;
mod ceiling;
mod change_load;
mod compression;
mod data;
mod deep_pages;
mod event_data;
mod gallery_load;
mod half_load_latency;
#[path = "../http_client/mod.rs"]
mod http_client;
mod intake_load;
mod load_generator;
mod machine;
mod options;
mod peer_database;
mod peers;
mod postgres;
mod prepare;
mod process_tree;
mod progress;
mod report;
mod request_values;
mod response_check;
mod results;
mod services;
mod spread;
mod steady_load;
mod steal_time;
mod stream_load;
mod targets;
mod testbed;
mod throughput;
mod tracker_load;
mod workloads;

use std::process::ExitCode;

use data::DataSize;
use options::BenchOptions;
use prepare::Prepared;
use results::Results;
use steal_time::CpuTicks;
use testbed::{CacheState, Testbed};
use workloads::{HOT_LIST, WORKLOADS};

/// Above this share of steal time the report warns that results may be distorted.
const NOTABLE_STEAL: f64 = 0.01;

/// The allocator of the service.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if std::env::args().any(|arg| arg == ceiling::ARGUMENT) {
        ceiling::run();
        return ExitCode::SUCCESS;
    }
    let options = match BenchOptions::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err((text, failed)) => {
            println!("{text}");
            return if failed { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("build the runtime");
    runtime.spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            process_tree::kill_all();
            postgres::stop();
            std::process::exit(130);
        }
    });
    match runtime.block_on(run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(options: &BenchOptions) -> Result<(), String> {
    let mut prepared = Prepared::new(options).await?;
    steal_time::set_wait_budget(options);
    let ticks = CpuTicks::now();
    let mut results = Results::begin();
    results.note(std::mem::take(&mut prepared.skipped));
    for &size in &prepared.sizes {
        measure(options, &prepared, size, &mut results).await?;
    }
    let stolen = ticks.stolen_since();
    if stolen > NOTABLE_STEAL {
        let share = 100.0 * stolen;
        results.note(vec![format!(
            "steal time was {share:.0} %: the host gave CPU time to other machines. Latencies and results close to a target may be affected"
        )]);
    }
    let waited = steal_time::time_waited();
    if !waited.is_zero() {
        let minutes = waited.as_secs_f64() / 60.0;
        results.note(vec![format!("the run also waited {minutes:.1} minutes for a busy host")]);
    }
    let targets = targets::evaluate(prepared.largest(), &results);
    print!("{}{}", report::tables(&prepared, &results), report::targets(&targets));
    let seconds = results.elapsed().as_secs_f64();
    println!("measured in {:.1} minutes: {}", seconds / 60.0, results.phases());
    if options.is_complete() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/RESULTS.md");
        data::write(&path, &report::document(&prepared, &results, &targets, &options.command(), seconds))?;
        println!("wrote benches/RESULTS.md");
    }
    Ok(())
}

/// Measures one data size. The services of the other size do not run meanwhile: they would take memory and evict files from the
/// page cache. Measurements of Rollcall alone use only the larger size.
async fn measure(
    options: &BenchOptions,
    prepared: &Prepared,
    size: DataSize,
    results: &mut Results,
) -> Result<(), String> {
    steal_time::wait_until_idle().await;
    let mut testbed = Testbed::open(options, prepared, size)?;
    results.note(std::mem::take(&mut testbed.skipped));
    results.note(response_check::differences(&testbed).await);
    results.end_phase(size, "start");
    let has_targets = size == prepared.largest();
    throughput::run(&mut testbed, options, has_targets, &mut results.rows).await;
    results.end_phase(size, "comparison");
    results.record_footprints(&testbed);
    testbed.stop_peers();
    if has_targets {
        results.half_load = half_load_latency::run(&testbed, options, &results.rows).await;
        results.end_phase(size, "half load");
        results.compression = compression::run(&testbed, options).await;
        results.end_phase(size, "compression");
        results.deep_pages = deep_pages::run(&testbed, options).await;
        results.end_phase(size, "deep pages");
        results.record_footprints(&testbed);
        // What the ceiling sends beside the loads that follow.
        let list = WORKLOADS.iter().find(|workload| workload.name == HOT_LIST).expect("known workload");
        testbed.record(list, CacheState::Hot).await;
        // The tracker's copy of the store has a server of its own.
        testbed.services.clear();
        results.tracker_load = tracker_load::run(&testbed, options).await?;
        results.end_phase(size, "tracker load");
        results.change_load = change_load::run(&testbed, options).await?;
        results.end_phase(size, "changes");
        results.intake_load = intake_load::run(&testbed, options).await?;
        results.end_phase(size, "intake load");
        results.gallery_load = gallery_load::run(&testbed, options).await?;
        results.end_phase(size, "gallery load");
        results.stream_load = stream_load::run(&testbed, options).await?;
        results.end_phase(size, "event streams");
    }
    Ok(())
}
