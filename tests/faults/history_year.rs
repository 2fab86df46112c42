//! A year of polls with gaps, crashes and replays: stored history against a plain recount, and its size on disk.

use crate::harness::Engine;

#[path = "../it/tracker/history_simulation.rs"]
mod history_simulation;

const DAY: i64 = 86_400_000;
const MINUTE: i64 = 60_000;
/// Bytes per server that is polled every minute, after a year; docs/OPERATIONS.md documents 0.80 MB.
const MAX_BYTES: i64 = 900_000;

#[test]
fn a_year_of_history_matches_a_plain_recount_and_stays_small() {
    let bytes =
        history_simulation::simulate(Engine::Sqlite, 366 * DAY, 15 * MINUTE, 3 * DAY).expect("SQLite has a size");
    println!("a year of a server: {} KB", bytes / 1000);
    assert!(bytes < MAX_BYTES, "{bytes}");
}
