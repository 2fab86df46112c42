//! A ledger, and processes that ask, stop and crash while the clock does as it likes.

use super::*;
use crate::time::parse_iso;
use proptest::prelude::*;

const LIMITS: Limits = Limits { per_minute: 3, per_day: 5, per_month: 8 };

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

/// A ledger and the processes that come to it.
struct World {
    kept: Counts,
    processes: Vec<Windows>,
}

impl World {
    fn new(processes: usize) -> Self {
        Self { kept: Counts::default(), processes: (0..processes).map(|_| Windows::default()).collect() }
    }

    fn settle(&mut self, process: usize, claim: &Claim, now: i64) {
        let grant = claim.settle(self.kept, now);
        self.kept = grant.counts;
        self.processes[process].granted(&grant, now);
    }

    fn ask(&mut self, process: usize, limits: Limits, now: i64) -> Standing {
        for asked in [false, true] {
            match self.processes[process].take(limits, asked, now) {
                Taken::In { standing, .. } | Taken::Full(standing) => return standing,
                Taken::Nothing => {
                    let claim = self.processes[process].claim(1, limits, 1, now);
                    self.settle(process, &claim, now);
                }
            }
        }
        panic!("the ledger gave nothing, and did not say that the windows are full");
    }

    fn stop(&mut self, process: usize, now: i64) {
        if let Some(claim) = self.processes[process].release(1, LIMITS) {
            self.settle(process, &claim, now);
        }
        self.crash(process);
    }

    fn crash(&mut self, process: usize) {
        self.processes[process] = Windows::default();
    }
}

#[test]
fn each_window_refuses_in_its_turn_and_says_how_long() {
    let mut world = World::new(1);
    let now = at("2026-12-31T23:58:59.001Z");
    for left in [2, 1, 0] {
        let standing = world.ask(0, LIMITS, now);
        assert_eq!((standing.remaining_minute, standing.retry_after), (left, None));
    }
    assert_eq!(world.ask(0, LIMITS, now).retry_after, Some(1));
    let next = at("2026-12-31T23:59:00.000Z");
    assert_eq!(world.ask(0, LIMITS, next).remaining_day, 1);
    assert_eq!(world.ask(0, LIMITS, next).remaining_day, 0);
    assert_eq!(world.ask(0, LIMITS, next).retry_after, Some(60));
    let year = at("2027-01-01T00:00:00.000Z");
    assert_eq!(world.ask(0, LIMITS, year).remaining_month, 7);
}

#[test]
fn a_ledger_that_took_long_to_answer_is_not_asked_again_and_again() {
    let (mut windows, now) = (Windows::default(), at("2026-05-01T00:00:00.000Z"));
    let full = Counts { minute: Window { start: now, used: 3 }, ..Counts::default() };
    let claim = windows.claim(1, LIMITS, 1, now);
    windows.granted(&claim.settle(full, now), now + 5 * SECOND);
    assert_eq!(windows.take(LIMITS, false, now), Taken::Nothing);
    assert!(matches!(windows.take(LIMITS, true, now), Taken::Full(_)));
}

#[test]
fn the_month_outlasts_the_day() {
    let mut world = World::new(1);
    let limits = Limits { per_minute: 10, per_day: 10, per_month: 1 };
    world.ask(0, limits, at("2028-02-28T12:00:00.000Z"));
    let standing = world.ask(0, limits, at("2028-02-28T12:00:00.000Z"));
    assert_eq!(standing.retry_after, Some((24 + 12) * 3600));
}

#[test]
fn a_clock_that_steps_back_gives_nothing_back() {
    let mut world = World::new(1);
    let now = at("2026-05-01T00:00:30.000Z");
    for _ in 0..3 {
        world.ask(0, LIMITS, now);
    }
    assert_eq!(world.ask(0, LIMITS, now - 90_000).retry_after, Some(120));
    // Neither does a start anew after the step.
    world.crash(0);
    assert_eq!(world.ask(0, LIMITS, now - 90_000).retry_after, Some(120));
}

#[test]
fn a_clock_that_was_wrong_by_years_locks_nobody_out() {
    let mut world = World::new(1);
    for _ in 0..8 {
        world.ask(0, LIMITS, at("2062-05-01T00:00:30.000Z"));
    }
    assert_eq!(world.ask(0, LIMITS, at("2026-05-01T00:00:30.000Z")).remaining_month, 7);
}

#[test]
fn what_was_reserved_and_not_used_costs_no_later_window() {
    let limits = Limits { per_minute: 60, per_day: 100, per_month: 1000 };
    let mut world = World::new(1);
    let mut now = at("2026-05-01T00:00:00.000Z");
    for used in 1..=100 {
        assert_eq!(world.ask(0, limits, now).remaining_day, 100 - used);
        now += MINUTE;
    }
    assert_eq!(world.ask(0, limits, now).remaining_day, 0);
}

#[test]
fn a_stop_costs_nothing_and_a_crash_a_few() {
    let limits = Limits { per_minute: 60, per_day: 1000, per_month: 30_000 };
    let mut world = World::new(1);
    let now = at("2026-05-01T00:00:00.000Z");
    for used in 1..=20 {
        assert_eq!(world.ask(0, limits, now).remaining_minute, 60 - used);
        world.stop(0, now);
    }
    let mut left = world.ask(0, limits, now).remaining_minute;
    for _ in 0..8 {
        world.crash(0);
        let now_left = world.ask(0, limits, now).remaining_minute;
        assert!((1..=FEW + 1).contains(&(left - now_left)), "{left} {now_left}");
        left = now_left;
    }
}

/// What may happen to a service of three processes.
#[derive(Clone, Debug)]
enum Event {
    Ask(usize),
    Stop(usize),
    Crash(usize),
    Pass(i64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0usize..3).prop_map(Event::Ask),
        1 => (0usize..3).prop_map(Event::Stop),
        1 => (0usize..3).prop_map(Event::Crash),
        2 => (-90_000i64..200_000).prop_map(Event::Pass),
    ]
}

proptest! {
    #[test]
    fn waiting_as_told_always_gets_in(steps in proptest::collection::vec(0i64..200_000_000, 1..60), minute in 1u32..5, day in 1u32..9, month in 1u32..20) {
        let limits = Limits { per_minute: minute, per_day: day, per_month: month };
        let (mut world, mut now) = (World::new(1), at("2026-01-30T00:00:00.000Z"));
        for step in steps {
            now += step / 1000;
            if let Some(wait) = world.ask(0, limits, now).retry_after {
                now += wait * SECOND;
                prop_assert_eq!(world.ask(0, limits, now).retry_after, None);
            }
        }
    }

    /// However processes stop, crash and come back, and whichever way the clock steps, no window admits more than
    /// its limit: counted by the windows in which the ledger booked the requests.
    #[test]
    fn no_window_ever_admits_more_than_its_limit(events in proptest::collection::vec(event(), 1..400), minute in 1u32..40, day in 1u32..60) {
        let limits = Limits { per_minute: minute, per_day: day, per_month: 80 };
        let (mut world, mut now) = (World::new(3), at("2028-02-28T23:50:00.000Z"));
        let mut admitted = std::collections::HashMap::<(&str, i64), u32>::new();
        for event in events {
            match event {
                Event::Ask(process) => {
                    if world.ask(process, limits, now).retry_after.is_none() {
                        let booked = world.processes[process].reserved;
                        for (window, start, limit) in [
                            ("minute", booked.minute.start, minute),
                            ("day", booked.day.start, day),
                            ("month", booked.month.start, 80),
                        ] {
                            let count = admitted.entry((window, start)).or_default();
                            *count += 1;
                            prop_assert!(*count <= limit, "{} of {} in a {}", count, limit, window);
                        }
                    }
                }
                Event::Stop(process) => world.stop(process, now),
                Event::Crash(process) => world.crash(process),
                Event::Pass(ms) => now += ms,
            }
        }
    }
}
