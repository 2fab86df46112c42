//! How often the pictures of one server are drawn. A MOTD with a counter in it would be a new picture with every poll.

use std::collections::HashMap;
use std::sync::Mutex;

use rollcall_model::time::{DAY, HOUR, MINUTE};

/// After that a server may be drawn again: 24 times a day. The time of the last drawing is in the store, so all nodes count as one.
const INTERVAL: i64 = HOUR;
/// Earlier drawings that this node allows a server on one UTC day, so that the first changes show at once.
const EARLY_DRAWINGS: u32 = 6;
/// Not even those are closer together.
const MIN_INTERVAL: i64 = MINUTE;

#[derive(Default)]
pub struct DrawLimit {
    /// The UTC day and the early drawings on it, by server.
    early: Mutex<HashMap<i64, (i64, u32)>>,
}

impl DrawLimit {
    /// Whether the server may be drawn now; then it counts.
    pub fn take(&self, server_n: i64, drawn_at: i64, now: i64) -> bool {
        if now - drawn_at >= INTERVAL {
            return true;
        }
        if now - drawn_at < MIN_INTERVAL {
            return false;
        }
        let today = now.div_euclid(DAY);
        let mut early = self.early.lock().expect("no panic while this lock is held");
        let (day, count) = early.entry(server_n).or_insert((today, 0));
        if *day != today {
            (*day, *count) = (today, 0);
        }
        let is_allowed = *count < EARLY_DRAWINGS;
        *count += u32::from(is_allowed);
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Drawings of a server that changes with every poll for a whole day.
    fn drawings(limits: &[DrawLimit], day: i64) -> usize {
        let (mut drawn_at, mut count) = (day * DAY - 1, 0);
        for minute in 0..DAY / MINUTE {
            let now = day * DAY + minute * MINUTE;
            // The polls of a server are spread over all nodes.
            if limits[minute as usize % limits.len()].take(1, drawn_at, now) {
                (drawn_at, count) = (now, count + 1);
            }
        }
        count
    }

    #[test]
    fn a_server_that_always_changes_is_drawn_about_once_an_hour() {
        let one = [DrawLimit::default()];
        assert_eq!(drawings(&one, 20_000), 29);
        assert_eq!(drawings(&one, 20_001), 29, "each day anew");
        let three: [DrawLimit; 3] = Default::default();
        assert!((24..=24 + 3 * 6).contains(&drawings(&three, 20_000)));
    }

    #[test]
    fn servers_do_not_count_for_each_other_and_a_rare_change_shows_at_once() {
        let limit = DrawLimit::default();
        let now = 20_000 * DAY + 12 * HOUR;
        for server_n in 0..100 {
            assert!(limit.take(server_n, now - 5 * MINUTE, now));
        }
        assert!(!limit.take(1, now - MINUTE + 1, now), "a minute apart");
        assert!(limit.take(1, 0, now));
    }
}
