use super::lived::live_through;
use crate::harness::Engine;

const HOUR: i64 = 3_600_000;

/// A whole year is lived through among the faults.
#[test]
fn weeks_are_what_was_seen_in_them() {
    for engine in Engine::BOTH {
        live_through(engine, 17 * 24 * HOUR, HOUR / 2, 3 * HOUR);
    }
}
