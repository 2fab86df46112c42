//! Checks the player count of a poll before it is stored. The server's history is read only for unusual counts.

use std::borrow::Cow;

use super::availability::PollOutcome;
use super::completed_poll::CompletedPoll;
use super::plausibility::CountCheck;
use super::status_bounds::SanitizedStatus;
use rollcall_model::time::{DAY, start_of_day};
use rollcall_store::tracking::ClaimedPoll;
use rollcall_store::{Conn, Result, samples};

/// How far back the history of a server is considered.
const HISTORY: i64 = 30 * DAY;

/// The outcome of a poll with an accepted player count.
pub struct CheckedPoll<'a> {
    pub outcome: Cow<'a, PollOutcome>,
    /// The reported count, if it is not accepted.
    pub rejected_players: Option<i64>,
    pub unconfirmed_polls: i64,
}

impl<'a> CheckedPoll<'a> {
    /// An outcome without a count to check.
    pub fn without_count(claim: &ClaimedPoll, outcome: Cow<'a, PollOutcome>) -> Self {
        Self { outcome, rejected_players: None, unconfirmed_polls: claim.unconfirmed_polls }
    }
}

pub fn check_player_count<'a>(conn: &mut Conn, poll: &'a CompletedPoll) -> Result<CheckedPoll<'a>> {
    let claim = &poll.claim;
    let PollOutcome::Replied { status, latency_ms } = &poll.outcome else {
        return Ok(CheckedPoll::without_count(claim, Cow::Borrowed(&poll.outcome)));
    };
    let daily_peaks;
    let mut count = CountCheck {
        reported: status.players,
        slots: status.max_players,
        trust: claim.trust(poll.at),
        is_confirmed: claim.server.as_ref().is_some_and(|server| server.operator_trust.is_some()),
        last_accepted: claim.sample_online.then_some(claim.sample_players),
        unconfirmed_polls: claim.unconfirmed_polls,
        daily_peaks: &[],
    };
    if count.needs_history() {
        daily_peaks = samples::daily_peaks(conn, claim.server_n, start_of_day(poll.at - HISTORY))?;
        count.daily_peaks = &daily_peaks;
    }
    let verdict = count.verdict();
    let Some(rejected) = &verdict.rejected else {
        let outcome = Cow::Borrowed(&poll.outcome);
        return Ok(CheckedPoll { outcome, rejected_players: None, unconfirmed_polls: 0 });
    };
    let mut status = SanitizedStatus { players: verdict.players, ..status.clone() };
    status.add_note(&format!("reports {} players, not counted: {}", rejected.reported, rejected.reason));
    Ok(CheckedPoll {
        outcome: Cow::Owned(PollOutcome::Replied { status, latency_ms: *latency_ms }),
        rejected_players: Some(rejected.reported),
        unconfirmed_polls: verdict.unconfirmed_polls,
    })
}
