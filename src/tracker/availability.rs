//! What a poll means for a server: the samples it adds, the time that earlier samples cover, whether the server is online, and
//! when an outage starts and ends. Pure: state and poll in, new state out.

use super::schedule::max_sample_age;
use super::status_bounds::SanitizedStatus;
use rollcall_model::buckets::{FIVE_MINUTES, PingSample, SampleBucket, split_into_buckets};

/// Consecutive failed polls after which a server is offline.
pub const FAILURES_UNTIL_OFFLINE: i64 = 2;

/// State of a server between two polls.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AvailabilityState {
    /// The newest sample, and the pause that was planned after it.
    pub last_sample: Option<(PingSample, i64)>,
    pub failures: i64,
    pub failing_since: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PollOutcome {
    Replied { status: SanitizedStatus, latency_ms: i64 },
    Failed { reason: &'static str },
}

/// The result of one poll.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AvailabilityUpdate {
    pub state: AvailabilityState,
    /// New samples, oldest first.
    pub samples: Vec<PingSample>,
    /// The time that the samples before the newest one covered, in five-minute buckets.
    pub buckets: Vec<SampleBucket>,
    /// `None` after a first failure: it does not decide anything yet.
    pub online: Option<bool>,
    /// Set if this poll confirms an outage: when it began.
    pub outage_began: Option<i64>,
    pub outage_ended: bool,
}

/// Applies a poll at `at`, after which the next one is planned in `pause` ms. Returns `None` if the poll is not newer than the
/// state: the clock was set back, or the poll was delayed.
pub fn apply_poll(state: &AvailabilityState, at: i64, pause: i64, outcome: &PollOutcome) -> Option<AvailabilityUpdate> {
    let newest = state.last_sample.map(|(sample, _)| sample.at).max(state.failing_since);
    if newest.is_some_and(|newest| at <= newest) {
        return None;
    }
    let mut update = AvailabilityUpdate { state: state.clone(), ..AvailabilityUpdate::default() };
    match outcome {
        PollOutcome::Replied { status, latency_ms } => {
            let sample = PingSample { at, online: true, players: status.players, latency_ms: *latency_ms, tps: None };
            update.add_sample(sample, pause);
            update.outage_ended = state.failures >= FAILURES_UNTIL_OFFLINE;
            update.state.failures = 0;
            update.state.failing_since = None;
            update.online = Some(true);
        }
        PollOutcome::Failed { .. } => {
            let since = *update.state.failing_since.get_or_insert(at);
            update.state.failures += 1;
            if update.state.failures < FAILURES_UNTIL_OFFLINE {
                return Some(update);
            }
            let offline = |at| PingSample { at, online: false, players: 0, latency_ms: 0, tps: None };
            if update.state.failures == FAILURES_UNTIL_OFFLINE {
                // The outage began with the first failure, which added no sample at the time.
                update.add_sample(offline(since), pause);
                update.outage_began = Some(since);
            }
            update.add_sample(offline(at), pause);
            update.online = Some(false);
        }
    }
    Some(update)
}

impl AvailabilityUpdate {
    /// Adds a sample. It ends the time that the previous one covers.
    fn add_sample(&mut self, sample: PingSample, pause: i64) {
        if let Some((previous, planned_pause)) = self.state.last_sample {
            let max_gap = max_sample_age(planned_pause);
            self.buckets.extend(split_into_buckets(&previous, sample.at, max_gap, FIVE_MINUTES));
        }
        self.state.last_sample = Some((sample, pause));
        self.samples.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::time::MINUTE;

    const T: i64 = 1_780_495_200_000;

    fn replied(players: i64) -> PollOutcome {
        PollOutcome::Replied { status: SanitizedStatus { players, ..SanitizedStatus::default() }, latency_ms: 9 }
    }

    const FAILED: PollOutcome = PollOutcome::Failed { reason: "refused" };

    /// Applies polls one minute apart.
    fn apply_all(outcomes: &[PollOutcome]) -> Vec<AvailabilityUpdate> {
        let mut state = AvailabilityState::default();
        let mut updates = Vec::new();
        for (outcome, minute) in outcomes.iter().zip(0..) {
            let update = apply_poll(&state, T + minute * MINUTE, MINUTE, outcome).unwrap();
            state = update.state.clone();
            updates.push(update);
        }
        updates
    }

    /// Milliseconds watched, milliseconds online, and players times milliseconds.
    fn sums(updates: &[AvailabilityUpdate]) -> (i64, i64, i64) {
        let buckets = updates.iter().flat_map(|update| &update.buckets);
        buckets.fold((0, 0, 0), |sum, b| (sum.0 + b.watched_ms, sum.1 + b.online_ms, sum.2 + b.player_ms))
    }

    #[test]
    fn one_failed_poll_is_not_an_outage() {
        let updates = apply_all(&[replied(10), FAILED, replied(20)]);
        assert_eq!(updates[1].online, None);
        assert!(updates.iter().all(|update| update.outage_began.is_none() && !update.outage_ended));
        assert_eq!(sums(&updates), (2 * MINUTE, 2 * MINUTE, 20 * MINUTE));
    }

    #[test]
    fn an_outage_begins_with_the_first_failed_poll() {
        let updates = apply_all(&[replied(10), FAILED, FAILED, FAILED, replied(5)]);
        assert_eq!(updates[2].outage_began, Some(T + MINUTE));
        assert_eq!(updates[2].samples.len(), 2);
        assert_eq!((updates[3].online, updates[3].outage_began), (Some(false), None));
        assert!(updates[4].outage_ended);
        assert_eq!(sums(&updates), (4 * MINUTE, MINUTE, 10 * MINUTE));
    }

    #[test]
    fn tracker_downtime_is_a_gap() {
        let first = apply_poll(&AvailabilityState::default(), T, MINUTE, &replied(10)).unwrap();
        let later = apply_poll(&first.state, T + 600 * MINUTE, MINUTE, &replied(10)).unwrap();
        assert_eq!(sums(&[later]).0, MINUTE * 5 / 2, "a sample covers 2.5 pauses at most");
        let failed = apply_poll(&first.state, T + MINUTE, MINUTE, &FAILED).unwrap();
        let offline = apply_poll(&failed.state, T + 600 * MINUTE, MINUTE, &FAILED).unwrap();
        assert_eq!(sums(&[offline]), (MINUTE + MINUTE * 5 / 2, MINUTE, 10 * MINUTE));
    }

    #[test]
    fn polls_that_are_not_newer_are_ignored() {
        let first = apply_poll(&AvailabilityState::default(), T, MINUTE, &replied(10)).unwrap();
        assert_eq!(apply_poll(&first.state, T, MINUTE, &replied(10)), None);
        assert_eq!(apply_poll(&first.state, T - 1, MINUTE, &FAILED), None);
    }
}
