//! A year of rounds with gaps, crashes and replays: every figure against a plain account, and what it takes on disk.

use crate::harness::Engine;

#[path = "../it/tracker/lived.rs"]
mod lived;

const DAY: i64 = 86_400_000;
const MINUTE: i64 = 60_000;
/// What README promises for a server that is asked every minute, after a year.
const PROMISED: i64 = 600_000;

#[test]
fn a_year_is_what_was_seen_in_it_and_keeps_its_size() {
    let bytes = lived::live_through(Engine::Sqlite, 366 * DAY, 15 * MINUTE, 3 * DAY).expect("SQLite has a size");
    println!("a year of a server: {} KB", bytes / 1000);
    assert!(bytes < PROMISED, "{bytes}");
}
