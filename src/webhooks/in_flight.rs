//! Messages that this process is sending. Slow and failing endpoints share half of the slots, so that they never delay
//! others.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::time::Duration;

use rollcall_store::webhooks::deliveries::PER_ENDPOINT;

/// An answer that takes longer is slow.
const SLOW: Duration = Duration::from_secs(2);
const UNPOISONED: &str = "nothing panics under this lock";

pub struct InFlight {
    max: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// By endpoint, with whether it counts as slow.
    sending: HashMap<i64, Sending>,
    /// Endpoints whose last answer took long, or did not come.
    slow: HashSet<i64>,
}

#[derive(Default)]
struct Sending {
    count: usize,
    /// Of these, those in the places of slow endpoints.
    slow: usize,
}

/// Messages that may be claimed now.
pub struct Room {
    pub places: usize,
    /// Endpoints that get nothing.
    pub busy: Vec<i64>,
    /// Whether failing endpoints get something.
    pub with_failing: bool,
}

impl InFlight {
    pub fn new(max: usize) -> Self {
        Self { max, state: Mutex::default() }
    }

    pub fn room(&self) -> Room {
        let state = self.state.lock().expect(UNPOISONED);
        let total: usize = state.sending.values().map(|sending| sending.count).sum();
        let slow: usize = state.sending.values().map(|sending| sending.slow).sum();
        let with_failing = slow < self.max.div_ceil(2);
        let full = state.sending.iter().filter(|(_, sending)| sending.count >= PER_ENDPOINT as usize);
        let mut busy: Vec<i64> = full.map(|(n, _)| *n).collect();
        if !with_failing {
            busy.extend(state.slow.iter().filter(|n| !busy.contains(n)).collect::<Vec<_>>());
        }
        Room { places: self.max - total.min(self.max), busy, with_failing }
    }

    /// Takes a place.
    pub fn begin(&self, webhook_n: i64, is_failing: bool) -> bool {
        let mut state = self.state.lock().expect(UNPOISONED);
        let is_slow = is_failing || state.slow.contains(&webhook_n);
        let sending = state.sending.entry(webhook_n).or_default();
        sending.count += 1;
        sending.slow += usize::from(is_slow);
        is_slow
    }

    /// Gives a place back; `was_slow` is what [`InFlight::begin`] returned.
    pub fn end(&self, webhook_n: i64, was_slow: bool, took: Duration) {
        let mut state = self.state.lock().expect(UNPOISONED);
        match took > SLOW {
            true => state.slow.insert(webhook_n),
            false => state.slow.remove(&webhook_n),
        };
        if let Some(sending) = state.sending.get_mut(&webhook_n) {
            sending.count -= 1;
            sending.slow -= usize::from(was_slow);
            if sending.count == 0 {
                state.sending.remove(&webhook_n);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_endpoints_share_half_of_the_places() {
        let in_flight = InFlight::new(8);
        for _ in 0..2 {
            let was_slow = in_flight.begin(1, false);
            in_flight.end(1, was_slow, SLOW * 2);
        }
        assert!(in_flight.begin(1, false), "it was slow");
        for n in 2..5 {
            assert!(in_flight.begin(n, true));
        }
        let room = in_flight.room();
        assert_eq!((room.places, room.with_failing, room.busy), (4, false, vec![1]));
        for _ in 0..4 {
            assert!(!in_flight.begin(9, false));
        }
        assert_eq!(in_flight.room().places, 0);
        in_flight.end(4, true, Duration::ZERO);
        let room = in_flight.room();
        assert_eq!((room.places, room.with_failing, room.busy), (1, true, vec![9]));
    }
}
