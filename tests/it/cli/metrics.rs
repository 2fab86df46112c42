//! `/metrics`: every metric has a help text and is documented, and every documented one exists.

use std::collections::{BTreeMap, BTreeSet};

use super::Program;
use crate::harness::{Engine, Store, fetch};
use crate::layers::source_files;

const LISTEN: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];

/// Type and labels of each metric in the table of `docs/OPERATIONS.md`.
fn documented() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let text = include_str!("../../../docs/OPERATIONS.md");
    let table = text.split("| metric | type | labels | meaning |").nth(1).expect("the table of metrics");
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let labels = cells[3].split(',').map(|label| label.trim().trim_matches('`').to_owned());
        (
            cells[1].trim_matches('`').to_owned(),
            (cells[2].to_owned(), labels.filter(|label| !label.is_empty()).collect()),
        )
    };
    rows.map(row).collect()
}

/// The names of metrics in files whose path ends so: in `counter!("…")` and its like, and in the table of help texts.
fn in_the_source(path_end: &str) -> BTreeSet<String> {
    let is_metric = |text: &str| {
        ["rollcall_", "process_"].iter().any(|prefix| text.starts_with(prefix))
            && [
                "_total", "_seconds", "_bytes", "_fds", "_threads", "_info", "_jobs", "_servers", "_slots", "_used",
                "_out", "_backlog",
            ]
            .iter()
            .any(|suffix| text.ends_with(suffix))
    };
    let files = source_files();
    let literals = files.iter().filter(|file| file.path.ends_with(path_end)).flat_map(|file| &file.literals);
    literals.filter(|literal| is_metric(&literal.text)).map(|literal| literal.text.clone()).collect()
}

#[test]
fn the_documentation_lists_the_metrics_of_the_program() {
    let all = in_the_source(".rs");
    assert_eq!(documented().into_keys().collect::<BTreeSet<_>>(), all);
    assert_eq!(in_the_source("src/server/metrics/families.rs"), all, "every metric has a help text");
}

async fn scrape(program: &Program) -> String {
    String::from_utf8(fetch(&program.metrics(), &[]).await.body).unwrap()
}

fn started(engine: Engine) -> (Store, Program) {
    let store = Store::new(engine);
    let program = start(&store);
    (store, program)
}

fn start(store: &Store) -> Program {
    let mut command = store.command(&LISTEN);
    command.env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
    Program::start(command)
}

#[tokio::test]
async fn every_metric_has_a_help_text_a_type_and_the_documented_labels() {
    for engine in Engine::BOTH {
        let (_store, program) = started(engine);
        program.get("/v1/servers", &[]).await;
        program.get("/readyz", &[]).await;
        let (text, documented) = (scrape(&program).await, documented());
        let mut described = BTreeSet::new();
        for line in text.lines().filter(|line| !line.is_empty()) {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').expect("a help text");
                assert!(help.ends_with('.') && described.insert(name.to_owned()), "{line}");
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').expect("a type");
                assert!(described.contains(name) && documented[name].0 == kind, "{line}");
            } else {
                let name = line.split(['{', ' ']).next().expect("a name");
                let family = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| {
                    name.strip_suffix(suffix)
                        .filter(|name| documented.get(*name).is_some_and(|(kind, _)| kind == "histogram"))
                });
                let family = family.unwrap_or(name);
                let labels = line.split_once('{').map_or("", |(_, rest)| rest.rsplit_once('}').expect("labels").0);
                let labels =
                    labels.split("\",").filter_map(|label| label.split_once('=')).map(|(name, _)| name.to_owned());
                let labels: BTreeSet<String> = labels.filter(|label| label != "le").collect();
                assert!(described.contains(family), "{line} has no help text");
                assert_eq!(labels, documented[family].1, "{line}");
            }
        }
        for name in
            ["process_resident_memory_bytes", "process_cpu_seconds_total", "process_open_fds", "rollcall_store_threads"]
        {
            assert!(text.lines().any(|line| line.starts_with(name)), "{name} in {text}");
        }
    }
}

#[tokio::test]
async fn responses_are_timed_by_route_method_and_status_class() {
    let store = Store::new(Engine::Sqlite);
    // Before the start: a running service needs a moment to know it.
    let key = String::from_utf8(store.rollcall(&["key", "create"]).stdout).unwrap().trim_end().to_owned();
    let program = start(&store);
    // The first is computed, the second cached.
    for _ in 0..2 {
        assert_eq!(program.get("/v1/servers?limit=1", &[("x-api-key", &key)]).await.status, 200);
    }
    program.get("/v1/servers/none/voters", &[]).await;
    program.get("/servers/none", &[]).await;
    program.get("/none/at/all", &[]).await;
    let text = scrape(&program).await;
    for (route, class, count) in [
        ("/v1/servers", "2xx", 2),
        ("/v1/servers/{slug}/voters", "4xx", 1),
        ("/servers/{slug}", "4xx", 1),
        ("unmatched", "4xx", 1),
    ] {
        let labels = format!("{{endpoint=\"{route}\",method=\"GET\",status_class=\"{class}\"");
        for line in [
            format!("rollcall_response_seconds_count{labels}}} {count}"),
            format!("rollcall_response_seconds_bucket{labels},le=\"60\"}} {count}"),
            format!("rollcall_response_seconds_bucket{labels},le=\"+Inf\"}} {count}"),
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }
    assert!(text.contains("rollcall_requests_total{endpoint=\"/v1/servers\"} 2\n"), "{text}");
    assert!(!text.contains("none"), "a path is not a label: {text}");
}
