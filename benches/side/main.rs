//! Rollcall beside others: `./bench`, or `cargo bench --bench side`. Everybody serves the same data and is asked the same, in
//! rounds that take turns, and what comes out are ratios of one run. `--help` tells the options.

#![expect(clippy::print_stdout, reason = "the figures are what it is for")]

mod arena;
mod args;
mod bars;
mod ceiling;
mod compare;
mod contenders;
mod data;
mod drive;
mod encodings;
mod half;
#[path = "../load/mod.rs"]
mod load;
mod machine;
mod pages;
mod peer_data;
mod peers;
mod postgres;
mod prepare;
mod processes;
mod progress;
mod quiet;
mod report;
mod results;
mod same;
mod tracking;
mod works;
mod world;

use std::process::ExitCode;

use arena::Arena;
use args::Args;
use data::Size;
use machine::Processor;
use prepare::Prepared;
use results::Results;

/// A host that takes more than this share of the processor moves the figures.
const MUCH: f64 = 0.01;

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    if std::env::args().any(|arg| arg == ceiling::ARGUMENT) {
        ceiling::run();
        return ExitCode::SUCCESS;
    }
    let args = match Args::read(std::env::args().skip(1)) {
        Ok(args) => args,
        Err((text, failed)) => {
            println!("{text}");
            return if failed { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.spawn(async {
        if tokio::signal::ctrl_c().await.is_ok() {
            processes::end_all();
            postgres::stop();
            std::process::exit(130);
        }
    });
    match runtime.block_on(run(&args)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("{why}");
            ExitCode::FAILURE
        }
    }
}

async fn run(args: &Args) -> Result<(), String> {
    let mut prepared = Prepared::new(args).await?;
    quiet::begin(args);
    let processor = Processor::now();
    let mut results = Results::begin();
    results.mind(std::mem::take(&mut prepared.left_out));
    for &size in &prepared.sizes {
        measure(args, &prepared, size, &mut results).await?;
    }
    let stolen = processor.stolen_since();
    if stolen > MUCH {
        let share = 100.0 * stolen;
        results.mind(vec![format!(
            "the host gave {share:.0} % of this machine's processor to others: what is close to its bar, and how long one waits, may be its doing"
        )]);
    }
    let waited = quiet::waited();
    if !waited.is_zero() {
        let minutes = waited.as_secs_f64() / 60.0;
        results.mind(vec![format!("{minutes:.1} minutes of waiting for a busy host come on top")]);
    }
    let judged = bars::judge(prepared.largest(), &results);
    print!("{}{}", report::tables(&prepared, &results), report::bars(&judged));
    let took = results.took().as_secs_f64();
    println!("measured in {:.1} minutes: {}", took / 60.0, results.laps());
    if args.is_whole() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/RESULTS.md");
        data::write(&path, &report::whole(&prepared, &results, &judged, &args.command(), took))?;
        println!("written to benches/RESULTS.md");
    }
    Ok(())
}

/// One size alone: what serves the other would take memory from it, and be read from the disk again. What concerns only ours is
/// measured at the larger.
async fn measure(args: &Args, prepared: &Prepared, size: Size, results: &mut Results) -> Result<(), String> {
    quiet::moment().await;
    let mut arena = Arena::open(args, prepared, size)?;
    results.mind(std::mem::take(&mut arena.left_out));
    results.mind(same::check(&arena).await);
    results.lap(size, "start");
    let is_judged = size == prepared.largest();
    compare::run(&mut arena, args, is_judged, &mut results.rows).await;
    results.lap(size, "comparison");
    results.look_at(&arena);
    arena.end_peers();
    if is_judged {
        results.halves = half::run(&arena, args, &results.rows).await;
        results.lap(size, "half load");
        results.encoded = encodings::run(&arena, args).await;
        results.lap(size, "compression");
        results.paged = pages::run(&arena, args).await;
        results.lap(size, "pages");
        results.look_at(&arena);
        // The tracker's store has a server of its own.
        arena.contenders.clear();
        results.tracked = tracking::run(&arena, args).await?;
        results.lap(size, "tracking");
    }
    Ok(())
}
