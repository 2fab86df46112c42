//! What a round means: which samples it makes, how long those before it held, and whether the server is out. Pure: the
//! state before and the round give the state after.

use super::sanitize::Believed;
use super::schedule::holds;
use rollcall_model::buckets::{Bucket, FIVE_MINUTES, Sample, spread};

/// Rounds that must fail one after the other before a server counts as offline.
pub const ROUNDS_UNTIL_OUT: i64 = 2;

/// What is known of a server between two rounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The newest sample, and how long after it the next was to come.
    pub sample: Option<(Sample, i64)>,
    pub failures: i64,
    pub failing_since: Option<i64>,
}

/// How a round went.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Answered { believed: Believed, latency_ms: i64 },
    Failed { reason: &'static str },
}

/// What follows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    pub state: State,
    /// New samples, in the order of time.
    pub samples: Vec<Sample>,
    /// What the samples until now held, in pieces of five minutes.
    pub pieces: Vec<Bucket>,
    /// `Some` once it is known whether the server is there; a first failure says nothing yet.
    pub online: Option<bool>,
    /// An outage that is known of from now on: when it began.
    pub outage_began: Option<i64>,
    pub outage_ended: bool,
}

/// `None` when the round is no newer than what is known: a clock was set back, or the round is an old one.
pub fn judge(state: &State, at: i64, pause: i64, outcome: &Outcome) -> Option<Verdict> {
    let newest = state.sample.map(|(sample, _)| sample.at).max(state.failing_since);
    if newest.is_some_and(|newest| at <= newest) {
        return None;
    }
    let mut verdict = Verdict { state: state.clone(), ..Verdict::default() };
    match outcome {
        Outcome::Answered { believed, latency_ms } => {
            let sample = Sample { at, online: true, players: believed.players, latency_ms: *latency_ms, tps: None };
            verdict.take(sample, pause);
            verdict.outage_ended = state.failures >= ROUNDS_UNTIL_OUT;
            verdict.state.failures = 0;
            verdict.state.failing_since = None;
            verdict.online = Some(true);
        }
        Outcome::Failed { .. } => {
            let since = *verdict.state.failing_since.get_or_insert(at);
            verdict.state.failures += 1;
            if verdict.state.failures < ROUNDS_UNTIL_OUT {
                return Some(verdict);
            }
            let out = |at| Sample { at, online: false, players: 0, latency_ms: 0, tps: None };
            if verdict.state.failures == ROUNDS_UNTIL_OUT {
                // It was out when it first failed, only nobody knew.
                verdict.take(out(since), pause);
                verdict.outage_began = Some(since);
            }
            verdict.take(out(at), pause);
            verdict.online = Some(false);
        }
    }
    Some(verdict)
}

impl Verdict {
    /// A sample ends the time of the one before it.
    fn take(&mut self, sample: Sample, pause: i64) {
        if let Some((before, pause)) = self.state.sample {
            self.pieces.extend(spread(&before, sample.at, holds(pause), FIVE_MINUTES));
        }
        self.state.sample = Some((sample, pause));
        self.samples.push(sample);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rollcall_model::time::MINUTE;

    const T: i64 = 1_780_495_200_000;

    fn answered(players: i64) -> Outcome {
        Outcome::Answered { believed: Believed { players, ..Believed::default() }, latency_ms: 9 }
    }

    const FAILED: Outcome = Outcome::Failed { reason: "refused" };

    /// Plays rounds a minute apart and gives the verdicts.
    fn play(outcomes: &[Outcome]) -> Vec<Verdict> {
        let mut state = State::default();
        let mut verdicts = Vec::new();
        for (outcome, minute) in outcomes.iter().zip(0..) {
            let verdict = judge(&state, T + minute * MINUTE, MINUTE, outcome).unwrap();
            state = verdict.state.clone();
            verdicts.push(verdict);
        }
        verdicts
    }

    fn sums(verdicts: &[Verdict]) -> (i64, i64, i64) {
        let pieces = verdicts.iter().flat_map(|verdict| &verdict.pieces);
        pieces.fold((0, 0, 0), |sum, b| (sum.0 + b.watched_ms, sum.1 + b.online_ms, sum.2 + b.player_ms))
    }

    #[test]
    fn one_failed_round_is_no_outage() {
        let played = play(&[answered(10), FAILED, answered(20)]);
        assert_eq!(played[1].online, None);
        assert!(played.iter().all(|verdict| verdict.outage_began.is_none() && !verdict.outage_ended));
        assert_eq!(sums(&played), (2 * MINUTE, 2 * MINUTE, 20 * MINUTE));
    }

    #[test]
    fn an_outage_began_when_it_first_failed() {
        let played = play(&[answered(10), FAILED, FAILED, FAILED, answered(5)]);
        assert_eq!(played[2].outage_began, Some(T + MINUTE));
        assert_eq!(played[2].samples.len(), 2);
        assert_eq!((played[3].online, played[3].outage_began), (Some(false), None));
        assert!(played[4].outage_ended);
        assert_eq!(sums(&played), (4 * MINUTE, MINUTE, 10 * MINUTE));
    }

    #[test]
    fn our_own_absence_is_a_gap() {
        let first = judge(&State::default(), T, MINUTE, &answered(10)).unwrap();
        let later = judge(&first.state, T + 600 * MINUTE, MINUTE, &answered(10)).unwrap();
        assert_eq!(sums(&[later]).0, MINUTE * 5 / 2, "what was seen holds for a while, and no longer");
        let failed = judge(&first.state, T + MINUTE, MINUTE, &FAILED).unwrap();
        let out = judge(&failed.state, T + 600 * MINUTE, MINUTE, &FAILED).unwrap();
        assert_eq!(sums(&[out]), (MINUTE + MINUTE * 5 / 2, MINUTE, 10 * MINUTE));
    }

    #[test]
    fn what_is_old_says_nothing() {
        let first = judge(&State::default(), T, MINUTE, &answered(10)).unwrap();
        assert_eq!(judge(&first.state, T, MINUTE, &answered(10)), None);
        assert_eq!(judge(&first.state, T - 1, MINUTE, &FAILED), None);
    }
}
