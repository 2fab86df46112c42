//! The results as Markdown tables, for the terminal and for `benches/RESULTS.md`.

use std::fmt::Write;

use crate::data::DataSize;
use crate::load_generator::CONNECTIONS;
use crate::prepare::Prepared;
use crate::results::Results;
use crate::services::ServiceKind;
use crate::spread::Spread;
use crate::targets::PerformanceTarget;
use crate::testbed::{CacheState, RoundResult};
use crate::throughput::ThroughputRow;

const MIB: f64 = 1024.0 * 1024.0;

pub fn targets(targets: &[PerformanceTarget]) -> String {
    let met = targets.iter().filter(|target| target.met).count();
    let mut text = format!("## Targets: {met} of {} met\n\n", targets.len());
    let rows = targets.iter().map(|target| {
        vec![
            (if target.met { "met" } else { "**missed**" }).to_owned(),
            target.name.clone(),
            target.required.clone(),
            target.measured.clone(),
        ]
    });
    table(&mut text, &["", "target", "required", "measured"], rows.collect());
    text
}

pub fn tables(prepared: &Prepared, results: &Results) -> String {
    let mut text = String::new();
    for &size in prepared.sizes.iter().rev() {
        for cache in [CacheState::Hot, CacheState::Cold] {
            let rows: Vec<&ThroughputRow> = results.rows.iter().filter(|row| row.cache == cache).collect();
            if !rows.is_empty() {
                let _ = writeln!(text, "## {}, {}: {}\n", capitalized(size.name()), cache.name(), size.description());
                throughput(&mut text, &rows, size);
            }
        }
    }
    half_load(&mut text, results);
    footprints(&mut text, results);
    text
}

fn throughput(text: &mut String, rows: &[&ThroughputRow], size: DataSize) {
    let kinds: Vec<ServiceKind> =
        ServiceKind::ALL.into_iter().filter(|kind| rows.iter().any(|row| row.cell(size, *kind).is_some())).collect();
    let mut section = |title: &str, extra: &str, cell: &dyn Fn(&ThroughputRow, ServiceKind) -> Option<String>| {
        let _ = writeln!(text, "{title}\n");
        let header: Vec<&str> = ["workload", extra]
            .into_iter()
            .filter(|name| !name.is_empty())
            .chain(kinds.iter().map(|kind| kind.title()))
            .collect();
        let lines = rows.iter().map(|row| {
            let mut line = vec![row.workload.to_owned()];
            if !extra.is_empty() {
                line.push(row.bytes.get(&size).map(usize::to_string).unwrap_or_default());
            }
            line.extend(kinds.iter().map(|kind| cell(row, *kind).unwrap_or_default()));
            line
        });
        table(text, &header, lines.collect());
    };
    section("Rate relative to the ceiling, median [min to max] of the rounds:", "bytes", &|row, kind| {
        row.ratio(size, kind, ServiceKind::Ceiling).map(|ratio| format_ratio(&ratio))
    });
    section("Requests per second, median:", "", &|row, kind| row.rate(size, kind).map(format_rate));
    section(&format!("p50 / p99 in ms, closed loop with {CONNECTIONS} connections:"), "", &|row, kind| {
        let cell = row.cell(size, kind)?;
        Some(format!("{} / {}", format_median(cell, |round| round.p50)?, format_median(cell, |round| round.p99)?))
    });
    section("CPU time per request in µs (with PostgreSQL: Rollcall + database server):", "", &|row, kind| {
        let cell = row.cell(size, kind)?;
        let own = Spread::of(&cell.iter().map(|round| round.own_cpu).collect::<Vec<_>>())?.median;
        let database = Spread::of(&cell.iter().map(|round| round.database_cpu).collect::<Vec<_>>())?.median;
        Some(if kind == ServiceKind::Postgres { format!("{own:.0} + {database:.0}") } else { format!("{own:.0}") })
    });
}

fn half_load(text: &mut String, results: &Results) {
    if results.half_load.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "## Latency at half load\n\n\
         Open loop: requests are due at fixed times, at half the rate of the closed loop. Latency counts from the time a request is\n\
         due. Bare hyper gets the same rate: its p99 is the latency of the machine itself, which also runs the load generator. Rounds\n\
         in which that p99 is above 2 ms are repeated, up to a limit. The table shows the median round: of seven where a target is\n\
         set (except with `--quick`), else of three.\n"
    );
    let rows = results.half_load.iter().map(|latency| {
        vec![
            format!("{}, {}", latency.workload, latency.cache.name()),
            latency.kind.title().to_owned(),
            format_rate(latency.rate),
            format!("{:.2}", latency.p50),
            format!("{:.2}", latency.p99),
            format!("{:.2}", latency.ceiling_p99),
        ]
    });
    table(text, &["workload", "service", "requests/s", "p50 ms", "p99 ms", "p99 ms of bare hyper"], rows.collect());
}

fn footprints(text: &mut String, results: &Results) {
    let _ = writeln!(
        text,
        "## Memory and start time\n\n\
         Memory is the sum over all processes of a service, without the PostgreSQL server; shared pages count for each process.\n\
         Rollcall stores a snapshot of its leaderboards once an hour. \"First start\" finds no snapshot, or one older than an hour: without\n\
         one, or after many changes, it adds up all sessions. \"Restart\" adds up only the sessions of players that changed since.\n"
    );
    let mib = |bytes: u64| format!("{:.0}", bytes as f64 / MIB);
    let rows = results.footprints.iter().map(|((kind, size), footprint)| {
        vec![
            kind.title().to_owned(),
            size.name().to_owned(),
            mib(footprint.memory.resident),
            mib(footprint.memory.mapped_files),
            mib(footprint.memory.peak),
            footprint.first_start_time.map(|time| format!("{:.1}", time.as_secs_f64())).unwrap_or_default(),
            format!("{:.1}", footprint.start_time.as_secs_f64()),
        ]
    });
    let header = ["service", "data", "resident MiB", "mapped files MiB", "peak MiB", "first start s", "restart s"];
    table(text, &header, rows.collect());
}

fn format_ratio(ratio: &Spread) -> String {
    let digits = if ratio.median < 0.1 { 4 } else { 2 };
    format!("{:.digits$} [{:.digits$} to {:.digits$}]", ratio.median, ratio.min, ratio.max)
}

fn format_median(cell: &[RoundResult], value: impl Fn(&RoundResult) -> f64) -> Option<String> {
    let spread = Spread::of(&cell.iter().map(value).collect::<Vec<_>>())?;
    Some(if spread.median < 10.0 { format!("{:.2}", spread.median) } else { format!("{:.0}", spread.median) })
}

fn format_rate(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { rollcall_model::score::format_count(rate as i64) }
}

fn capitalized(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// A Markdown table with padded columns, so that the source is readable too.
fn table(text: &mut String, header: &[&str], rows: Vec<Vec<String>>) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(header[column].chars().count())
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut line = |cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    line(header.iter().map(|name| (*name).to_owned()).collect());
    line(widths.iter().map(|width| "-".repeat((*width).max(3))).collect());
    rows.into_iter().for_each(line);
    text.push('\n');
}

/// The complete text of `benches/RESULTS.md`.
pub fn document(
    prepared: &Prepared,
    results: &Results,
    evaluated: &[PerformanceTarget],
    command: &str,
    seconds: f64,
) -> String {
    let now = rollcall_model::time::iso(rollcall_model::clock::Clock::System.now());
    let mut text = format!(
        "# Comparison\n\n\
         Generated by `{command}` on {} in {:.0} minutes. The results are ratios: services take turns in every round, and each is\n\
         divided by the ceiling's rate of the same round. The load generator and the services share the machine. The data sizes are\n\
         measured one after the other, each with its own services only. A service is stopped (SIGSTOP) while another one is measured,\n\
         and all data files are read every 30 seconds so that they stay in the page cache. After the comparison the peers end, and the\n\
         rest is measured with Rollcall alone. A round with more than 6 % steal time is repeated, within a total wait budget.\n\n\
         - **bare hyper** is the ceiling: a hyper server that sends recorded responses of Rollcall, with all headers and bodies,\n  \
           whatever the request.\n\
         - **Rollcall** checks an API key and its quota on every request, with default settings.\n\
         - **Fastify**, **FastAPI** and **Datasette** are the peers. They check no key. Their database has every index that helps\n  \
           (`benches/peers/sql/`). Before the run their responses are compared with Rollcall's. An empty cell means that a service\n  \
           does not take part. Datasette has no page numbers, so it gets requests for first pages. A service that needs more than\n  \
           50 ms for a single request has one round, with 4 connections.\n\
         - Fastify uses one worker per core, request and response schemas, and better-sqlite3. FastAPI uses one worker per core on\n  \
           uvloop and httptools, pydantic models for requests and responses, and Python's sqlite3. Neither caches responses.\n\
         - **hot**: the same URL in every request. **cold**: a different URL in every request, so that no cached response helps; only\n  \
           `mix` repeats some, as real traffic does.\n\
         - **time with ten times the data**: time per request at large relative to small. Each is first divided by the ceiling's time in\n  \
           the same rounds, so that a change in machine speed cancels out. The range is the widest that both ranges allow.\n\n",
        &now[..10],
        seconds / 60.0
    );
    let versions = crate::machine::describe(prepared.cluster.as_ref().map(crate::postgres::Cluster::version));
    table(&mut text, &["", ""], versions.into_iter().map(|(name, value)| vec![name, value]).collect());
    for line in &results.notes {
        let _ = writeln!(text, "- Note: {line}");
    }
    text.push('\n');
    text.push_str(&targets(evaluated));
    text.push_str(&tables(prepared, results));
    text.trim_end().to_owned() + "\n"
}
