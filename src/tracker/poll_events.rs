//! The events that a poll causes: the server comes and goes, its version changes, it has more players than ever.

use super::availability::{AvailabilityUpdate, PollOutcome};
use super::completed_poll::CompletedPoll;
use super::player_count_check::CheckedPoll;
use rollcall_model::event::{EventFacts, EventKind};
use rollcall_model::time::HOUR;
use rollcall_model::visibility::Visibility;
use rollcall_store::events::NewEvent;
use rollcall_store::tracking::PlayerPeak;

/// A growing server breaks its record with every poll; events tell it this often.
const PEAK_PAUSE: i64 = HOUR;

/// Events that a poll causes for its server, in this order. Of an unlisted server only whether it comes and goes, for those who manage
/// it; none of a hidden one.
pub fn of_poll(
    poll: &CompletedPoll,
    checked: &CheckedPoll,
    update: &AvailabilityUpdate,
    peak: &mut Option<PlayerPeak>,
) -> Vec<NewEvent> {
    let server = poll.claim.server.as_ref().filter(|server| server.visibility != Visibility::Hidden);
    let Some(server) = server else { return Vec::new() };
    let event = |kind, facts| NewEvent { facts, ..NewEvent::of_server(kind, poll.at, poll.claim.server_n) };
    let mut events = Vec::new();
    match checked.outcome.as_ref() {
        PollOutcome::Failed { reason } => {
            if let Some(since) = update.outage_began.filter(|_| server.is_online) {
                let facts =
                    EventFacts { since: Some(since), reason: Some((*reason).to_owned()), ..EventFacts::default() };
                events.push(event(EventKind::ServerOffline, facts));
            }
        }
        PollOutcome::Replied { .. } => {
            if !server.is_online {
                let facts = EventFacts { since: poll.claim.failing_since, ..EventFacts::default() };
                events.push(event(EventKind::ServerOnline, facts));
            }
            if !server.is_public() {
                return events;
            }
            let version = &poll.info.version;
            if poll.claim.peak.is_some() && !version.is_empty() && *version != server.version {
                let facts = EventFacts {
                    text: Some(version.clone()),
                    previous_text: Some(server.version.clone()),
                    ..EventFacts::default()
                };
                events.push(event(EventKind::ServerVersion, facts));
            }
            if let Some(previous) = peak.as_mut().and_then(|peak| take_record(peak, poll.at)) {
                let facts = EventFacts {
                    players: peak.map(|peak| peak.players),
                    previous_players: Some(previous),
                    ..EventFacts::default()
                };
                events.push(event(EventKind::ServerPeak, facts));
            }
        }
    }
    events
}

/// The record after a poll. `highest` is that of the samples, for a server without a stored one.
pub fn peak_after(poll: &CompletedPoll, checked: &CheckedPoll, highest: i64) -> Option<PlayerPeak> {
    let before = poll.claim.peak;
    let PollOutcome::Replied { status, .. } = checked.outcome.as_ref() else { return before };
    if checked.rejected_players.is_some() {
        return before;
    }
    Some(match before {
        Some(peak) => PlayerPeak { players: peak.players.max(status.players), ..peak },
        None => {
            let players = highest.max(status.players);
            PlayerPeak { players, told: players, told_at: poll.at }
        }
    })
}

/// The previous record, if the new one is published now.
fn take_record(peak: &mut PlayerPeak, at: i64) -> Option<i64> {
    if peak.players <= peak.told || at - peak.told_at < PEAK_PAUSE {
        return None;
    }
    let previous = peak.told;
    (peak.told, peak.told_at) = (peak.players, at);
    Some(previous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_within_an_hour_are_told_as_one() {
        let mut peak = PlayerPeak { players: 10, told: 10, told_at: 0 };
        assert_eq!(take_record(&mut peak, 2 * HOUR), None, "no record");
        peak.players = 12;
        assert_eq!(take_record(&mut peak, HOUR - 1), None, "too soon");
        peak.players = 15;
        assert_eq!(take_record(&mut peak, HOUR), Some(10));
        assert_eq!(peak, PlayerPeak { players: 15, told: 15, told_at: HOUR });
    }
}
