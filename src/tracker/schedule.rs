//! When each server is polled next. Pure; the time is an argument.

use rollcall_model::hash::{splitmix64, unit_interval};
use rollcall_model::time::{DAY, HOUR};

/// Each poll is earlier or later by up to this fraction of the interval, so that polls do not synchronize.
const JITTER: f64 = 0.04;
/// The shortest time between two polls, as a fraction of the pause.
const MIN_PAUSE: f64 = 0.9;
/// Fractional parts of multiples of the golden ratio are evenly distributed for any number of servers.
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;
/// From this many servers on, those with adjacent numbers are polled together: their rows are neighbours in the store, so one
/// page write covers several. With fewer servers that would only cause bursts.
const GROUPING_THRESHOLD: i64 = 16_384;
const GROUP_SIZE: i64 = 64;
/// The fraction of the interval over which a group is spread.
const GROUP_SPREAD: f64 = 1.0 / 64.0;
/// A sample is valid until the next one, but for no more than this many pauses. A longer time is a gap in our tracking.
const MAX_SAMPLE_PAUSES: f64 = 2.5;

/// The longest time a sample is valid if the next one was planned after `pause`.
pub fn max_sample_age(pause: i64) -> i64 {
    (pause as f64 * MAX_SAMPLE_PAUSES) as i64
}

/// Spreads the polls of all servers over the interval.
#[derive(Clone, Copy, Debug)]
pub struct PollSchedule {
    interval: i64,
    /// How many servers with adjacent numbers are polled together.
    group_size: i64,
}

impl PollSchedule {
    pub fn new(interval: i64, tracked: i64) -> Self {
        Self { interval, group_size: if tracked < GROUPING_THRESHOLD { 1 } else { GROUP_SIZE } }
    }

    /// The time between two polls of a server that is unreachable since `failing_since`: it backs off, to one hour at most.
    pub fn pause(self, failing_since: Option<i64>, now: i64) -> i64 {
        let failing_for = failing_since.map_or(0, |since| now - since);
        let factor = match failing_for {
            ..HOUR => 1,
            HOUR..DAY => 5,
            _ if failing_for < 7 * DAY => 15,
            _ => 60,
        };
        (self.interval * factor).min(HOUR.max(self.interval))
    }

    /// When the poll after the current one is due. Each server has its own offset within the interval and returns to it after
    /// any delay, so that all servers stay evenly spread.
    pub fn next_due(self, server_n: i64, now: i64, pause: i64) -> i64 {
        let (offset, interval) = (self.offset(server_n), self.interval);
        let earliest = now + (pause as f64 * MIN_PAUSE) as i64;
        let cycle = (earliest - offset).div_euclid(interval) + i64::from((earliest - offset).rem_euclid(interval) > 0);
        let position = jitter_position(server_n / self.group_size, cycle);
        let jitter = (interval as f64 * JITTER * (position - 0.5) * 2.0) as i64;
        (cycle * interval + offset + jitter).max(earliest)
    }

    /// The first poll of a server that was added together with many others.
    pub fn first_due(self, server_n: i64, now: i64) -> i64 {
        now + (self.offset(server_n) - now).rem_euclid(self.interval)
    }

    /// The server's position within the interval, in milliseconds.
    fn offset(self, server_n: i64) -> i64 {
        let (group, member) = (server_n / self.group_size, server_n % self.group_size);
        let position = (group as f64 * GOLDEN_RATIO).fract() + member as f64 / self.group_size as f64 * GROUP_SPREAD;
        (position.fract() * self.interval as f64) as i64
    }
}

/// Between 0 and 1. The same for all servers of a group in one cycle, so that they stay together.
fn jitter_position(group: i64, cycle: i64) -> f64 {
    unit_interval(splitmix64(splitmix64(group.cast_unsigned()) ^ cycle.cast_unsigned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rollcall_model::time::{MINUTE, SECOND};

    const NOW: i64 = 1_780_495_200_000;

    #[test]
    fn unreachable_servers_back_off() {
        let schedule = PollSchedule::new(MINUTE, 10);
        let after = |failing_for: i64| schedule.pause(Some(NOW - failing_for), NOW) / MINUTE;
        assert_eq!(schedule.pause(None, NOW), MINUTE);
        assert_eq!(
            [0, 59, 60, 23 * 60, 24 * 60, 6 * 1440, 7 * 1440, 9999 * 1440].map(|m| after(m * MINUTE)),
            [1, 1, 5, 5, 15, 15, 60, 60]
        );
        assert_eq!(PollSchedule::new(HOUR, 10).pause(Some(NOW - 9 * DAY), NOW), HOUR, "never longer than an hour");
    }

    #[test]
    fn polls_are_spread_evenly() {
        for (servers, uneven) in [(10, 6), (250, 6), (16_000, 6), (100_000, 64)] {
            let mut seconds = [0; 60];
            for n in 1..=servers {
                let due = PollSchedule::new(MINUTE, servers).first_due(n, NOW);
                assert!((NOW..NOW + MINUTE).contains(&due));
                seconds[((due - NOW) / SECOND) as usize] += 1;
            }
            let (least, most) = (seconds.iter().min().unwrap(), seconds.iter().max().unwrap());
            assert!(most - least <= uneven, "{servers}: {least} to {most}");
        }
    }

    #[test]
    fn groups_are_polled_together() {
        let schedule = PollSchedule::new(MINUTE, 100_000);
        let group: Vec<i64> = (640..704).map(|n| schedule.next_due(n, schedule.first_due(n, NOW), MINUTE)).collect();
        let (first, last) = (group.iter().min().unwrap(), group.iter().max().unwrap());
        assert!(last - first < SECOND, "{}", last - first);
    }

    proptest! {
        #[test]
        fn next_poll_is_within_bounds(
            n in 1..1_000_000i64, late in 0..10 * MINUTE, tracked in prop::sample::select(vec![1, 1_000_000]),
            factor in prop::sample::select(vec![1, 5, 15, 60]),
        ) {
            let now = NOW + late;
            let pause = factor * MINUTE;
            let due = PollSchedule::new(MINUTE, tracked).next_due(n, now, pause);
            prop_assert!(due - now >= pause * 9 / 10);
            prop_assert!(due - now <= pause + MINUTE + 3 * SECOND);
        }

        #[test]
        fn punctual_polls_stay_one_interval_apart(
            n in 1..1_000_000i64, tracked in prop::sample::select(vec![1, 1_000_000]),
        ) {
            let schedule = PollSchedule::new(MINUTE, tracked);
            let mut due = schedule.first_due(n, NOW);
            let mut pauses = std::collections::BTreeSet::new();
            for _ in 0..20 {
                let next = schedule.next_due(n, due + SECOND / 4, MINUTE);
                prop_assert!((next - due - MINUTE).abs() <= 5 * SECOND, "{}", next - due);
                pauses.insert(next - due);
                due = next;
            }
            prop_assert!(pauses.len() > 10, "jitter varies the pauses: {pauses:?}");
        }
    }
}
