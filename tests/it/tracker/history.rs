//! Stored history over weeks.

use super::history_simulation::simulate;
use crate::harness::Engine;

const HOUR: i64 = 3_600_000;

/// `tests/faults/history_year.rs` does the same for a year.
#[test]
#[ignore = "slow, ./test runs it"]
fn weeks_of_history_match_a_plain_recount_on_sqlite() {
    simulate(Engine::Sqlite, 34 * 24 * HOUR, HOUR, 3 * HOUR);
}

#[test]
#[ignore = "slow, ./test runs it"]
fn weeks_of_history_match_a_plain_recount_on_postgresql() {
    simulate(Engine::Postgres, 34 * 24 * HOUR, HOUR, 3 * HOUR);
}
