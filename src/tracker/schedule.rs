//! When a server is asked next. Pure; the time is an argument.

use rollcall_model::time::{DAY, HOUR};

/// Each round comes a little earlier or later, at most by this share of the interval: those we ask shall not all hear from
/// us on the same beat.
const JITTER: f64 = 0.04;
/// A round is never sooner after the one before than this share of the pause.
const SOONEST: f64 = 0.9;
/// Successive multiples of it, without their whole parts, fall evenly however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// From so many on, servers with adjacent numbers are asked within a short time: their rows lie side by side in the store, and a
/// page is then written once for several of them. With few, it would only be a burst for whoever runs several.
const MANY: i64 = 16_384;
const GROUP: i64 = 64;
/// The share of the interval over which a group is spread.
const GROUP_TAKES: f64 = 1.0 / 64.0;
/// A sample holds until the next, but for no more than so many pauses: what is longer is a gap of our own.
const HOLDS: f64 = 2.5;

/// How long a sample that was to be followed after `pause` counts at most.
pub fn holds(pause: i64) -> i64 {
    (pause as f64 * HOLDS) as i64
}

/// How often servers are asked, and how their moments are spread over that time.
#[derive(Clone, Copy, Debug)]
pub struct Beat {
    interval: i64,
    /// Servers with adjacent numbers whose moments are close to each other.
    group: i64,
}

impl Beat {
    pub fn new(interval: i64, tracked: i64) -> Self {
        Self { interval, group: if tracked < MANY { 1 } else { GROUP } }
    }

    /// How long to wait between two rounds of a server that has not answered since `failing_since`. Whoever has been dead for
    /// long will not be back this minute.
    pub fn pause(self, failing_since: Option<i64>, now: i64) -> i64 {
        let dead_for = failing_since.map_or(0, |since| now - since);
        let factor = match dead_for {
            ..HOUR => 1,
            HOUR..DAY => 5,
            _ if dead_for < 7 * DAY => 15,
            _ => 60,
        };
        (self.interval * factor).min(HOUR.max(self.interval))
    }

    /// When the round after the one that is taken now is due. Each server has a moment of the interval that is its own, so
    /// that all of them are spread evenly, and comes back to it after any delay.
    pub fn next_due(self, server_n: i64, now: i64, pause: i64) -> i64 {
        let (own, interval) = (self.own_moment(server_n), self.interval);
        let earliest = now + (pause as f64 * SOONEST) as i64;
        let rounds = (earliest - own).div_euclid(interval) + i64::from((earliest - own).rem_euclid(interval) > 0);
        let dice = dice(server_n / self.group, rounds);
        let jitter = (interval as f64 * JITTER * (dice - 0.5) * 2.0) as i64;
        (rounds * interval + own + jitter).max(earliest)
    }

    /// The first round of one of many that came at once; one alone is asked right away.
    pub fn first_due(self, server_n: i64, now: i64) -> i64 {
        now + (self.own_moment(server_n) - now).rem_euclid(self.interval)
    }

    fn own_moment(self, server_n: i64) -> i64 {
        let (group, member) = (server_n / self.group, server_n % self.group);
        let moment = (group as f64 * GOLDEN).fract() + member as f64 / self.group as f64 * GROUP_TAKES;
        (moment.fract() * self.interval as f64) as i64
    }
}

/// Between 0 and 1, and the same for all of a group in one round: they stay together.
fn dice(group: i64, round: i64) -> f64 {
    let mut bits = group.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ round.cast_unsigned();
    for shift in [30, 27] {
        bits = (bits ^ (bits >> shift)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rollcall_model::time::{MINUTE, SECOND};

    const NOW: i64 = 1_780_495_200_000;

    #[test]
    fn the_dead_are_asked_less_and_less() {
        let beat = Beat::new(MINUTE, 10);
        let after = |dead_for: i64| beat.pause(Some(NOW - dead_for), NOW) / MINUTE;
        assert_eq!(beat.pause(None, NOW), MINUTE);
        assert_eq!(
            [0, 59, 60, 23 * 60, 24 * 60, 6 * 1440, 7 * 1440, 9999 * 1440].map(|m| after(m * MINUTE)),
            [1, 1, 5, 5, 15, 15, 60, 60]
        );
        assert_eq!(Beat::new(HOUR, 10).pause(Some(NOW - 9 * DAY), NOW), HOUR, "never longer than an hour");
    }

    #[test]
    fn all_are_spread_evenly() {
        for (servers, uneven) in [(10, 6), (250, 6), (16_000, 6), (100_000, 64)] {
            let mut seconds = [0; 60];
            for n in 1..=servers {
                let due = Beat::new(MINUTE, servers).first_due(n, NOW);
                assert!((NOW..NOW + MINUTE).contains(&due));
                seconds[((due - NOW) / SECOND) as usize] += 1;
            }
            let (least, most) = (seconds.iter().min().unwrap(), seconds.iter().max().unwrap());
            assert!(most - least <= uneven, "{servers}: {least} to {most}");
        }
    }

    #[test]
    fn of_many_the_neighbours_stay_together() {
        let beat = Beat::new(MINUTE, 100_000);
        let group: Vec<i64> = (640..704).map(|n| beat.next_due(n, beat.first_due(n, NOW), MINUTE)).collect();
        let (first, last) = (group.iter().min().unwrap(), group.iter().max().unwrap());
        assert!(last - first < SECOND, "{}", last - first);
    }

    proptest! {
        #[test]
        fn never_too_soon_and_always_soon(
            n in 1..1_000_000i64, late in 0..10 * MINUTE, tracked in prop::sample::select(vec![1, 1_000_000]),
            factor in prop::sample::select(vec![1, 5, 15, 60]),
        ) {
            let now = NOW + late;
            let pause = factor * MINUTE;
            let due = Beat::new(MINUTE, tracked).next_due(n, now, pause);
            prop_assert!(due - now >= pause * 9 / 10);
            prop_assert!(due - now <= pause + MINUTE + 3 * SECOND);
        }

        #[test]
        fn rounds_that_are_on_time_stay_an_interval_apart(
            n in 1..1_000_000i64, tracked in prop::sample::select(vec![1, 1_000_000]),
        ) {
            let beat = Beat::new(MINUTE, tracked);
            let mut due = beat.first_due(n, NOW);
            let mut pauses = std::collections::BTreeSet::new();
            for _ in 0..20 {
                let next = beat.next_due(n, due + SECOND / 4, MINUTE);
                prop_assert!((next - due - MINUTE).abs() <= 5 * SECOND, "{}", next - due);
                pauses.insert(next - due);
                due = next;
            }
            prop_assert!(pauses.len() > 10, "it is no beat that others could hear: {pauses:?}");
        }
    }
}
