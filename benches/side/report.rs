//! What was measured, as tables in Markdown: for people at a terminal, and for `benches/RESULTS.md`.

use std::fmt::Write;

use crate::arena::{Heat, Round};
use crate::bars::Bar;
use crate::compare::{Row, Spread};
use crate::contenders::Kind;
use crate::data::Size;
use crate::drive::CONNECTIONS;
use crate::prepare::Prepared;
use crate::results::Results;

const ALL: [Kind; 6] = [Kind::Ceiling, Kind::Sqlite, Kind::Postgres, Kind::Fastify, Kind::Fastapi, Kind::Datasette];
const MIB: f64 = 1024.0 * 1024.0;

pub fn bars(bars: &[Bar]) -> String {
    let met = bars.iter().filter(|bar| bar.met).count();
    let mut text = format!("## The bars: {met} of {} met\n\n", bars.len());
    let rows = bars.iter().map(|bar| {
        vec![
            (if bar.met { "met" } else { "**missed**" }).to_owned(),
            bar.what.clone(),
            bar.wanted.clone(),
            bar.figure.clone(),
        ]
    });
    table(&mut text, &["", "what", "wanted", "found"], rows.collect());
    text
}

pub fn tables(prepared: &Prepared, results: &Results) -> String {
    let mut text = String::new();
    for &size in prepared.sizes.iter().rev() {
        for heat in [Heat::Hot, Heat::Cold] {
            let rows: Vec<&Row> = results.rows.iter().filter(|row| row.heat == heat).collect();
            if !rows.is_empty() {
                let _ = writeln!(text, "## {}, {}: {}\n", capital(size.name()), heat.name(), size.about());
                compared(&mut text, &rows, size);
            }
        }
    }
    half_load(&mut text, results);
    memory(&mut text, results);
    text
}

fn compared(text: &mut String, rows: &[&Row], size: Size) {
    let kinds: Vec<Kind> =
        ALL.into_iter().filter(|kind| rows.iter().any(|row| row.cell(size, *kind).is_some())).collect();
    let mut part = |title: &str, more: &str, cell: &dyn Fn(&Row, Kind) -> Option<String>| {
        let _ = writeln!(text, "{title}\n");
        let head: Vec<&str> = ["work", more]
            .into_iter()
            .filter(|name| !name.is_empty())
            .chain(kinds.iter().map(|kind| kind.title()))
            .collect();
        let lines = rows.iter().map(|row| {
            let mut line = vec![row.work.to_owned()];
            if !more.is_empty() {
                line.push(row.bytes.get(&size).map(usize::to_string).unwrap_or_default());
            }
            line.extend(kinds.iter().map(|kind| cell(row, *kind).unwrap_or_default()));
            line
        });
        table(text, &head, lines.collect());
    };
    part("Rate against the ceiling, median [least to most] of the rounds:", "bytes", &|row, kind| {
        row.ratio(size, kind, Kind::Ceiling).map(|ratio| small(&ratio))
    });
    part("Requests a second, median:", "", &|row, kind| row.rate(size, kind).map(count));
    part(&format!("p50 / p99 in ms, {CONNECTIONS} connections in a closed loop:"), "", &|row, kind| {
        let cell = row.cell(size, kind)?;
        Some(format!("{} / {}", median(cell, |round| round.p50)?, median(cell, |round| round.p99)?))
    });
    part("Processor, µs of a core a request (with PostgreSQL: ours + its server):", "", &|row, kind| {
        let cell = row.cell(size, kind)?;
        let own = Spread::of(&cell.iter().map(|round| round.own).collect::<Vec<_>>())?.median;
        let beside = Spread::of(&cell.iter().map(|round| round.beside).collect::<Vec<_>>())?.median;
        Some(if kind == Kind::Postgres { format!("{own:.0} + {beside:.0}") } else { format!("{own:.0}") })
    });
}

fn half_load(text: &mut String, results: &Results) {
    if results.halves.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "## Waiting at half load\n\nRequests at fixed moments, half as many as in the closed loop; a wait begins when a request is due.\n\
         Bare hyper is asked as often: its p99 is what one waits for the machine alone, on which those who ask run, too. Rounds in\n\
         which that is more than two milliseconds are made again, as long as there are few of them. The middle round counts: of\n\
         seven where a bar is set (but for `--quick`), else of three.\n"
    );
    let rows = results.halves.iter().map(|half| {
        vec![
            format!("{}, {}", half.work, half.heat.name()),
            half.kind.title().to_owned(),
            count(half.rate),
            format!("{:.2}", half.p50),
            format!("{:.2}", half.p99),
            format!("{:.2}", half.floor),
        ]
    });
    table(text, &["work", "", "a second", "p50 ms", "p99 ms", "p99 ms of bare hyper"], rows.collect());
}

fn memory(text: &mut String, results: &Results) {
    let _ = writeln!(
        text,
        "## Memory and start\n\nOf all processes of a contender, PostgreSQL's own left out; pages that they share count for each.\n\
         Ours keeps what its leaderboards know in the store, once an hour. \"At first\" is a start over a store whose set is older\n\
         than an hour, or that has none: with none, or when many have moved since, all sessions are added up. \"Again\" is the next\n\
         one, which adds up who moved.\n"
    );
    let mib = |bytes: u64| format!("{:.0}", bytes as f64 / MIB);
    let rows = results.kept.iter().map(|((kind, size), kept)| {
        vec![
            kind.title().to_owned(),
            size.name().to_owned(),
            mib(kept.memory.resident),
            mib(kept.memory.files),
            mib(kept.memory.most),
            kept.first_started_in.map(|time| format!("{:.1}", time.as_secs_f64())).unwrap_or_default(),
            format!("{:.1}", kept.started_in.as_secs_f64()),
        ]
    });
    let head = [
        "contender",
        "data",
        "MiB resident",
        "of it mapped files",
        "at most",
        "s to ready at first",
        "s to ready again",
    ];
    table(text, &head, rows.collect());
}

fn small(ratio: &Spread) -> String {
    let digits = if ratio.median < 0.1 { 4 } else { 2 };
    format!("{:.digits$} [{:.digits$} to {:.digits$}]", ratio.median, ratio.least, ratio.most)
}

fn median(cell: &[Round], figure: impl Fn(&Round) -> f64) -> Option<String> {
    let spread = Spread::of(&cell.iter().map(figure).collect::<Vec<_>>())?;
    Some(if spread.median < 10.0 { format!("{:.2}", spread.median) } else { format!("{:.0}", spread.median) })
}

fn count(rate: f64) -> String {
    if rate < 100.0 { format!("{rate:.1}") } else { rollcall_model::score::format_count(rate as i64) }
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// Columns as wide as what is in them, so that the text can be read as it is.
pub fn table(text: &mut String, head: &[&str], rows: Vec<Vec<String>>) {
    let wide = |place: usize| {
        let cells = rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(head[place].chars().count())
    };
    let widths: Vec<usize> = (0..head.len()).map(wide).collect();
    let mut line = |cells: Vec<String>| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    };
    line(head.iter().map(|name| (*name).to_owned()).collect());
    line(widths.iter().map(|width| "-".repeat((*width).max(3))).collect());
    rows.into_iter().for_each(line);
    text.push('\n');
}

/// The whole of `benches/RESULTS.md`.
pub fn whole(prepared: &Prepared, results: &Results, judged: &[Bar], command: &str, took: f64) -> String {
    let now = rollcall_model::time::iso(rollcall_model::clock::Clock::System.now());
    let mut text = format!(
        "# Side by side\n\nMade by `{command}` on {} in {:.0} minutes. What counts are ratios: rounds take turns, and each is set against the\n\
         ceiling's of the same turn. Load and contenders share the machine. One size is measured after the other, each with only its own\n\
         contenders; whoever is not asked is stopped meanwhile, and all files are read every half minute, so that none is waited for. After the comparison the peers end,\n\
         and the rest is measured with ours alone. A round in which the host gave more than 6 % of the processor to others is made again,\n\
         whoever's it is, as long as patience lasts.\n\n\
         - **bare hyper** is the ceiling: it gives our recorded answers, all headers and bodies, whatever it is asked.\n\
         - **Rollcall** checks a key and its limits with every request, with its default settings.\n\
         - **Fastify**, **FastAPI** and **Datasette** ask for no key, and serve a database with the best indexes that could be found\n  \
           (`benches/peers/sql/`). Their answers were compared with ours before. Where they do not take part a cell is empty;\n  \
           Datasette has no pages by number, so it is asked for first ones. Whoever takes more than 50 ms\n  \
           for one answer alone has one round, with 4 connections.\n\
         - Fastify has a worker for each core, schemas of what is asked and answered, and better-sqlite3; FastAPI has a worker for each\n  \
           core on uvloop and httptools, pydantic models of what is asked and answered, and Python's own sqlite3. Neither keeps answers.\n\
         - **hot**: one address over and over. **cold**: every request has an address of its own, so that no kept answer\n  \
           helps; in the mix alone some come again, as they do from visitors.\n\
         - **time with ten times the data**: a request's time at large against small, each as a multiple of the ceiling's in the same\n  \
           rounds, so that a machine that is faster in one half changes nothing; least and most are what both halves' extremes allow.\n\n",
        &now[..10],
        took / 60.0
    );
    let versions = crate::machine::describe(prepared.cluster.as_ref().map(crate::postgres::Cluster::version));
    table(&mut text, &["", ""], versions.into_iter().map(|(name, value)| vec![name, value]).collect());
    for line in &results.minds {
        let _ = writeln!(text, "- Mind: {line}");
    }
    text.push('\n');
    text.push_str(&bars(judged));
    text.push_str(&tables(prepared, results));
    text.trim_end().to_owned() + "\n"
}
