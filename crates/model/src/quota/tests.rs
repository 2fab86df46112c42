//! Simulates a ledger and processes that request, stop and crash while the clock jumps.

use super::reservation::MIN_PREFETCH;
use super::*;
use crate::time::parse_iso;
use proptest::prelude::*;

const LIMITS: Limits = Limits { per_minute: 3, per_day: 5, per_month: 8 };

fn at(text: &str) -> i64 {
    parse_iso(text).unwrap()
}

/// A ledger and the processes that use it.
struct Simulation {
    ledger: LedgerEntry,
    processes: Vec<LocalQuota>,
}

impl Simulation {
    fn new(processes: usize) -> Self {
        Self { ledger: LedgerEntry::default(), processes: (0..processes).map(|_| LocalQuota::default()).collect() }
    }

    /// Whether the process has to ask again.
    fn settle(&mut self, process: usize, request: &ReservationRequest, now: i64) -> bool {
        let (entry, reservation) = request.settle(self.ledger, process as i64 + 1, now);
        self.ledger = entry;
        self.processes[process].apply(&reservation, now);
        reservation.must_wait
    }

    fn request(&mut self, process: usize, limits: Limits, now: i64) -> QuotaStatus {
        for settled in [false, true] {
            match self.processes[process].admit(limits, 1, settled, now) {
                Admission::Admitted { quota_status, .. } | Admission::Exhausted(quota_status) => return quota_status,
                Admission::NeedsReservation => self.reserve(process, limits, now),
            }
        }
        panic!("the ledger reserved nothing although no window is full");
    }

    /// Asks the ledger. If others hold requests, they return them while the process waits.
    fn reserve(&mut self, process: usize, limits: Limits, now: i64) {
        for round in [RecallRound::First, RecallRound::Waiting, RecallRound::Last] {
            let request = self.processes[process].request(1, limits, 1, round, now);
            if !self.settle(process, &request, now) {
                return;
            }
            assert!(self.ledger.is_recalled);
            (0..self.processes.len()).for_each(|other| self.release(other, now));
        }
        panic!("the last round is final");
    }

    fn release(&mut self, process: usize, now: i64) {
        if let Some(request) = self.processes[process].release(1, LIMITS) {
            self.settle(process, &request, now);
        }
    }

    /// The ledger settles a request and its answer is lost. The process asks again and gives nothing back a second time.
    fn lose_answer(&mut self, process: usize, limits: Limits, now: i64) {
        let request = self.processes[process].request(1, limits, 1, RecallRound::First, now);
        self.ledger = request.settle(self.ledger, process as i64 + 1, now).0;
        self.settle(process, &ReservationRequest { unused: Vec::new(), ..request }, now);
    }

    fn stop(&mut self, process: usize, now: i64) {
        self.release(process, now);
        self.crash(process);
    }

    fn crash(&mut self, process: usize) {
        self.processes[process] = LocalQuota::default();
    }
}

#[test]
fn each_window_refuses_with_its_own_retry_after() {
    let mut simulation = Simulation::new(1);
    let now = at("2026-12-31T23:58:59.001Z");
    for left in [2, 1, 0] {
        let quota_status = simulation.request(0, LIMITS, now);
        assert_eq!((quota_status.remaining_minute, quota_status.retry_after), (left, None));
    }
    assert_eq!(simulation.request(0, LIMITS, now).retry_after, Some(1));
    let next = at("2026-12-31T23:59:00.000Z");
    assert_eq!(simulation.request(0, LIMITS, next).remaining_day, 1);
    assert_eq!(simulation.request(0, LIMITS, next).remaining_day, 0);
    assert_eq!(simulation.request(0, LIMITS, next).retry_after, Some(60));
    let year = at("2027-01-01T00:00:00.000Z");
    assert_eq!(simulation.request(0, LIMITS, year).remaining_month, 7);
}

#[test]
fn a_slow_ledger_answer_is_final_for_its_request() {
    let (mut quota, now) = (LocalQuota::default(), at("2026-05-01T00:00:00.000Z"));
    let full = QuotaCounts { minute: QuotaWindow { start: now, used: 3 }, ..QuotaCounts::default() };
    let request = quota.request(1, LIMITS, 1, RecallRound::First, now);
    let entry = LedgerEntry { counts: full, ..LedgerEntry::default() };
    quota.apply(&request.settle(entry, 1, now).1, now + 5 * SECOND);
    assert_eq!(quota.admit(LIMITS, 1, false, now), Admission::NeedsReservation);
    assert!(matches!(quota.admit(LIMITS, 1, true, now), Admission::Exhausted(_)));
}

#[test]
fn a_window_is_full_only_when_no_process_holds_unused_requests() {
    let limits = Limits { per_minute: 40, per_day: 1000, per_month: 30_000 };
    let (mut simulation, now) = (Simulation::new(3), at("2026-05-01T00:00:31.000Z"));
    // Two processes reserve ahead and become idle; the third one gets all the rest.
    simulation.request(0, limits, now);
    simulation.request(1, limits, now);
    assert!(simulation.processes[0].unused() > 0 && simulation.processes[1].unused() > 0);
    for left in (0..38).rev() {
        assert_eq!(simulation.request(2, limits, now).retry_after, None, "{left} left");
    }
    for process in [2, 0, 1, 2] {
        assert_eq!(simulation.request(process, limits, now).retry_after, Some(29));
    }
    // A process that crashes with a reservation keeps no one waiting for ever.
    let next = now + MINUTE;
    simulation.request(0, limits, next);
    let lost = simulation.processes[0].unused();
    simulation.crash(0);
    for _ in 0..39 - lost {
        assert_eq!(simulation.request(1, limits, next).retry_after, None);
    }
    assert_eq!(simulation.request(1, limits, next).retry_after, Some(29));
}

#[test]
fn a_recall_ends_with_its_minute() {
    let (limits, now) = (Limits { per_minute: 60, per_day: 1000, per_month: 30_000 }, at("2026-05-01T00:00:00.000Z"));
    let mut simulation = Simulation::new(1);
    simulation.ledger = LedgerEntry { holders: Holders::Several, is_recalled: true, ..LedgerEntry::default() };
    simulation.ledger.counts = simulation.ledger.counts.at(now);
    // The process that asked has stopped: until the minute ends no one reserves ahead, and then everyone does.
    simulation.request(0, limits, now);
    assert_eq!(simulation.processes[0].unused(), 0);
    simulation.request(0, limits, now + MINUTE);
    assert!(simulation.processes[0].unused() > 0 && !simulation.ledger.is_recalled);
}

#[test]
fn a_full_month_outlasts_a_full_day() {
    let mut simulation = Simulation::new(1);
    let limits = Limits { per_minute: 10, per_day: 10, per_month: 1 };
    simulation.request(0, limits, at("2028-02-28T12:00:00.000Z"));
    let quota_status = simulation.request(0, limits, at("2028-02-28T12:00:00.000Z"));
    assert_eq!(quota_status.retry_after, Some((24 + 12) * 3600));
}

#[test]
fn a_clock_step_back_gives_no_quota_back() {
    let mut simulation = Simulation::new(1);
    let now = at("2026-05-01T00:00:30.000Z");
    for _ in 0..3 {
        simulation.request(0, LIMITS, now);
    }
    assert_eq!(simulation.request(0, LIMITS, now - 90_000).retry_after, Some(120));
    // Nor does a restart after the step.
    simulation.crash(0);
    assert_eq!(simulation.request(0, LIMITS, now - 90_000).retry_after, Some(120));
}

#[test]
fn a_clock_that_was_years_ahead_does_not_lock_a_key_out() {
    let mut simulation = Simulation::new(1);
    for _ in 0..8 {
        simulation.request(0, LIMITS, at("2062-05-01T00:00:30.000Z"));
    }
    assert_eq!(simulation.request(0, LIMITS, at("2026-05-01T00:00:30.000Z")).remaining_month, 7);
}

#[test]
fn unused_reservations_do_not_count_in_later_windows() {
    let limits = Limits { per_minute: 60, per_day: 100, per_month: 1000 };
    let mut simulation = Simulation::new(1);
    let mut now = at("2026-05-01T00:00:00.000Z");
    for used in 1..=100 {
        assert_eq!(simulation.request(0, limits, now).remaining_day, 100 - used);
        now += MINUTE;
    }
    assert_eq!(simulation.request(0, limits, now).remaining_day, 0);
}

#[test]
fn a_stop_loses_no_quota_and_a_crash_loses_the_prefetch() {
    let limits = Limits { per_minute: 60, per_day: 1000, per_month: 30_000 };
    let mut simulation = Simulation::new(1);
    let now = at("2026-05-01T00:00:00.000Z");
    for used in 1..=20 {
        assert_eq!(simulation.request(0, limits, now).remaining_minute, 60 - used);
        simulation.stop(0, now);
    }
    let mut left = simulation.request(0, limits, now).remaining_minute;
    for _ in 0..8 {
        simulation.crash(0);
        let now_left = simulation.request(0, limits, now).remaining_minute;
        assert!((1..=MIN_PREFETCH + 1).contains(&(left - now_left)), "{left} {now_left}");
        left = now_left;
    }
}

/// An event in a service of three processes.
#[derive(Clone, Debug)]
enum Event {
    Request(usize),
    Stop(usize),
    Crash(usize),
    AnswerIsLost(usize),
    ClockMoves(i64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0usize..3).prop_map(Event::Request),
        1 => (0usize..3).prop_map(Event::Stop),
        1 => (0usize..3).prop_map(Event::Crash),
        1 => (0usize..3).prop_map(Event::AnswerIsLost),
        2 => (-90_000i64..200_000).prop_map(Event::ClockMoves),
    ]
}

proptest! {
    #[test]
    fn a_request_after_retry_after_is_admitted(steps in proptest::collection::vec(0i64..200_000_000, 1..60), minute in 1u32..5, day in 1u32..9, month in 1u32..20) {
        let limits = Limits { per_minute: minute, per_day: day, per_month: month };
        let (mut simulation, mut now) = (Simulation::new(1), at("2026-01-30T00:00:00.000Z"));
        for step in steps {
            now += step / 1000;
            if let Some(wait) = simulation.request(0, limits, now).retry_after {
                now += wait * SECOND;
                prop_assert_eq!(simulation.request(0, limits, now).retry_after, None);
            }
        }
    }

    /// Stops, crashes, lost answers and clock steps must never make a window admit more than its limit. Requests are counted in the
    /// window the ledger booked them in.
    #[test]
    fn no_window_admits_more_than_its_limit(events in proptest::collection::vec(event(), 1..400), minute in 1u32..40, day in 1u32..60) {
        let limits = Limits { per_minute: minute, per_day: day, per_month: 80 };
        let (mut simulation, mut now) = (Simulation::new(3), at("2028-02-28T23:50:00.000Z"));
        let mut admitted = std::collections::HashMap::<(&str, i64), u32>::new();
        for event in events {
            match event {
                Event::Request(process) => {
                    if simulation.request(process, limits, now).retry_after.is_none() {
                        let booked = simulation.processes[process].reserved;
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
                Event::Stop(process) => simulation.stop(process, now),
                Event::Crash(process) => simulation.crash(process),
                Event::AnswerIsLost(process) => simulation.lose_answer(process, limits, now),
                Event::ClockMoves(ms) => now += ms,
            }
        }
    }
}
