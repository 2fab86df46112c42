//! When a server is asked next. Pure; the time is an argument.

use crate::model::time::{DAY, HOUR};

/// Each round comes a little earlier or later, at most by this share of the interval: those we ask shall not all hear from
/// us on the same beat.
const JITTER: f64 = 0.04;
/// A round is never sooner after the one before than this share of the pause.
const SOONEST: f64 = 0.9;
/// Successive multiples of it, without their whole parts, fall evenly however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// A sample holds until the next, but for no more than so many pauses: what is longer is a gap of our own.
const HOLDS: f64 = 2.5;

/// How long a sample that was to be followed after `pause` counts at most.
pub fn holds(pause: i64) -> i64 {
    (pause as f64 * HOLDS) as i64
}

/// How long to wait between two rounds of a server that has not answered since `failing_since`. Whoever has been dead for long
/// will not be back this minute.
pub fn pause(interval: i64, failing_since: Option<i64>, now: i64) -> i64 {
    let dead_for = failing_since.map_or(0, |since| now - since);
    let factor = match dead_for {
        ..HOUR => 1,
        HOUR..DAY => 5,
        _ if dead_for < 7 * DAY => 15,
        _ => 60,
    };
    (interval * factor).min(HOUR.max(interval))
}

/// When the round after the one that is taken now is due. Each server has a moment of the interval that is its own, so
/// that all of them are spread evenly, and comes back to it after any delay. `dice` is between 0 and 1.
pub fn next_due(server_n: i64, now: i64, interval: i64, pause: i64, dice: f64) -> i64 {
    let own = own_moment(server_n, interval);
    let earliest = now + (pause as f64 * SOONEST) as i64;
    let rounds = (earliest - own).div_euclid(interval) + i64::from((earliest - own).rem_euclid(interval) > 0);
    let jitter = (interval as f64 * JITTER * (dice - 0.5) * 2.0) as i64;
    (rounds * interval + own + jitter).max(earliest)
}

/// The first round of one of many that came at once; one alone is asked right away.
pub fn first_due(server_n: i64, now: i64, interval: i64) -> i64 {
    let own = own_moment(server_n, interval);
    now + (own - now).rem_euclid(interval)
}

fn own_moment(server_n: i64, interval: i64) -> i64 {
    ((server_n as f64 * GOLDEN).fract() * interval as f64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::{MINUTE, SECOND};
    use proptest::prelude::*;

    const NOW: i64 = 1_780_495_200_000;

    #[test]
    fn the_dead_are_asked_less_and_less() {
        let after = |dead_for: i64| pause(MINUTE, Some(NOW - dead_for), NOW) / MINUTE;
        assert_eq!(pause(MINUTE, None, NOW), MINUTE);
        assert_eq!(
            [0, 59, 60, 23 * 60, 24 * 60, 6 * 1440, 7 * 1440, 9999 * 1440].map(|m| after(m * MINUTE)),
            [1, 1, 5, 5, 15, 15, 60, 60]
        );
        assert_eq!(pause(HOUR, Some(NOW - 9 * DAY), NOW), HOUR, "never longer than an hour");
    }

    #[test]
    fn all_are_spread_evenly() {
        for servers in [10, 250, 100_000] {
            let mut seconds = [0; 60];
            for n in 1..=servers {
                let due = first_due(n, NOW, MINUTE);
                assert!((NOW..NOW + MINUTE).contains(&due));
                seconds[((due - NOW) / SECOND) as usize] += 1;
            }
            let (least, most) = (seconds.iter().min().unwrap(), seconds.iter().max().unwrap());
            assert!(most - least <= 6, "{servers}: {least} to {most}");
        }
    }

    proptest! {
        #[test]
        fn never_too_soon_and_always_soon(
            n in 1..1_000_000i64, late in 0..10 * MINUTE, dice in 0.0..1.0f64, factor in prop::sample::select(vec![1, 5, 15, 60]),
        ) {
            let now = NOW + late;
            let pause = factor * MINUTE;
            let due = next_due(n, now, MINUTE, pause, dice);
            prop_assert!(due - now >= pause * 9 / 10);
            prop_assert!(due - now <= pause + MINUTE + 3 * SECOND);
        }

        #[test]
        fn rounds_that_are_on_time_stay_an_interval_apart(n in 1..1_000_000i64, dice in prop::collection::vec(0.0..1.0f64, 20)) {
            let mut due = first_due(n, NOW, MINUTE);
            for dice in dice {
                let next = next_due(n, due + SECOND / 4, MINUTE, MINUTE, dice);
                prop_assert!((next - due - MINUTE).abs() <= 5 * SECOND, "{}", next - due);
                due = next;
            }
        }
    }
}
