//! Stores a batch of polls in one transaction: samples and roll-ups, server status, outages, and who was online. A crash loses
//! the whole batch or nothing.

use std::borrow::Cow;

use super::availability::{AvailabilityState, AvailabilityUpdate, PollOutcome, apply_poll};
use super::completed_poll::CompletedPoll;
use super::player_count_check::{CheckedPoll, check_player_count};
use super::poll_events;
use super::schedule::PollSchedule;
use super::status_bounds::SanitizedStatus;
use rollcall_model::buckets::PingSample;
use rollcall_model::time::{MINUTE, start_of_hour};
use rollcall_model::trust::SourceTrust;
use rollcall_store::events::{self, NewEvent};
use rollcall_store::join_leave_events::{self, MissingPlayers, PlayerListUpdate};
use rollcall_store::pending_samples::PendingSamples;
use rollcall_store::presence::{self, PlayerSighting, Source};
use rollcall_store::servers::{self, ServerStatusUpdate};
use rollcall_store::tracking::{self, ClaimedPoll};
use rollcall_store::{Conn, Result, account_events, outages, revision, samples};

/// A player who is missing from an incomplete list for no longer than this counts as online all the time.
const PARTIAL_LIST_GRACE: i64 = 30 * MINUTE;
/// The same for a complete list, in pauses between two polls.
const COMPLETE_LIST_GRACE_PAUSES: i64 = 3;

/// What a stored poll changed, for the log and the quota.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersistedPoll {
    pub server_n: i64,
    pub new_players: usize,
    pub went_offline: bool,
    pub came_back: bool,
}

/// Rows of a batch, collected first and written together.
#[derive(Default)]
struct BatchRows {
    /// Samples that have waited long enough.
    due: Vec<(i64, PendingSamples)>,
    status_updates: Vec<ServerStatusUpdate>,
    outages_began: Vec<(i64, i64, &'static str)>,
    outages_ended: Vec<(i64, i64)>,
    tracking: Vec<ClaimedPoll>,
    /// Servers whose next poll moves to an earlier time.
    rescheduled: Vec<(i64, i64)>,
    sightings: Vec<PlayerSighting>,
    /// Players on each server according to this batch; the players of sightings are added when they are recorded.
    player_lists: Vec<PlayerListUpdate>,
    events: Vec<NewEvent>,
    /// Those about unlisted servers, for the accounts that manage them.
    unlisted_events: Vec<NewEvent>,
    /// Servers whose expired samples are deleted with this batch.
    expired: Vec<(i64, i64)>,
    persisted: Vec<PersistedPoll>,
}

/// Must run in a transaction. Idempotent: polls that were stored before, or that another process has claimed since, are
/// skipped. `tells_players`: whether events tell who joined and left.
pub fn persist_batch(
    conn: &mut Conn,
    batch: &[CompletedPoll],
    schedule: PollSchedule,
    tells_players: bool,
) -> Result<Vec<PersistedPoll>> {
    let rev = revision::bump(conn)?;
    let mut pending = tracking::still_claimed(conn, &batch.iter().map(|poll| &poll.claim).collect::<Vec<_>>())?;
    let mut rows = BatchRows::default();
    let mut totals_poll = None;
    for poll in batch {
        let Some(waiting) = pending.remove(&(poll.claim.server_n, poll.claim.next_due)) else { continue };
        if poll.claim.server.is_some() {
            let checked = check_player_count(conn, poll)?;
            log_new_note(poll, &checked.outcome);
            let highest = match poll.claim.peak {
                Some(_) => 0,
                None => samples::daily_peaks(conn, poll.claim.server_n, 0)?.into_iter().max().unwrap_or(0),
            };
            rows.add(poll, &checked, waiting, schedule, highest);
        } else {
            totals_poll = Some((poll, waiting));
        }
    }
    servers::update_status(conn, &rows.status_updates, rev)?;
    if let Some((poll, waiting)) = totals_poll {
        // Summed after the status updates, so that the totals include this batch.
        if let Some((players, latency_ms)) = servers::network_totals(conn)? {
            let status = SanitizedStatus { players, ..SanitizedStatus::default() };
            let outcome = Cow::Owned(PollOutcome::Replied { status, latency_ms });
            rows.add(poll, &CheckedPoll::without_count(&poll.claim, outcome), waiting, schedule, 0);
        }
    }
    samples::insert_pending(conn, rows.due.iter().map(|(n, due)| (*n, due)))?;
    outages::begin(conn, &rows.outages_began)?;
    outages::end(conn, &rows.outages_ended)?;
    tracking::set_due_at(conn, &rows.rescheduled)?;
    for (server_n, at) in &rows.expired {
        samples::delete_expired(conn, *server_n, *at)?;
    }
    record_players(conn, &mut rows, rev)?;
    events::write(conn, &rows.events)?;
    account_events::write_to_managers(conn, &rows.unlisted_events)?;
    if tells_players {
        join_leave_events::record(conn, &rows.player_lists)?;
    }
    tracking::save(conn, rows.tracking)?;
    Ok(rows.persisted)
}

/// Stores who was online, and the evidence against servers that invent players.
fn record_players(conn: &mut Conn, rows: &mut BatchRows, rev: i64) -> Result<()> {
    let recorded = presence::record(conn, &rows.sightings, rev)?;
    for (sighting, recorded) in rows.sightings.iter().zip(recorded) {
        let server_n = sighting.source.server_n;
        if let Some(evidence) = recorded.suspicion {
            tracing::warn!(
                server = sighting.source.host,
                evidence,
                "server became suspicious; its players do not count"
            );
            tracking::suspect(conn, server_n, sighting.at, &evidence)?;
        }
        if let Some(persisted) = rows.persisted.iter_mut().find(|poll| poll.server_n == server_n) {
            persisted.new_players = recorded.new_players;
        }
        if let Some(tracking) = rows.tracking.iter_mut().find(|poll| poll.server_n == server_n) {
            tracking.present.clone_from(&recorded.present);
        }
        if let Some(update) = rows.player_lists.iter_mut().find(|update| update.server_n == server_n) {
            update.present = recorded.present;
        }
    }
    Ok(())
}

/// Logs a problem when it is new, not when a number in it has changed.
fn log_new_note(poll: &CompletedPoll, outcome: &PollOutcome) {
    if let (PollOutcome::Replied { status, .. }, Some(server)) = (outcome, &poll.claim.server)
        && !status.note.is_empty()
        && !is_same_problem(&status.note, &poll.claim.note)
    {
        tracing::warn!(server = server.slug, note = status.note, "reported status has problems");
    }
}

fn is_same_problem(a: &str, b: &str) -> bool {
    let words = |note| str::chars(note).filter(|c| !c.is_ascii_digit() && *c != '-');
    words(a).eq(words(b))
}

impl BatchRows {
    /// `highest` is the highest player count of the samples, for a server without a stored one.
    fn add(
        &mut self,
        poll: &CompletedPoll,
        checked: &CheckedPoll,
        mut pending: PendingSamples,
        schedule: PollSchedule,
        highest: i64,
    ) {
        let (claim, outcome) = (&poll.claim, checked.outcome.as_ref());
        let mut next_due = claim.next_due;
        let replied = matches!(outcome, PollOutcome::Replied { .. });
        if replied && claim.failing_since.is_some() {
            // The server is back: return from the backoff to the normal interval.
            next_due = next_due.min(schedule.next_due(claim.server_n, poll.at, schedule.pause(None, poll.at)));
            self.rescheduled.push((claim.server_n, next_due));
        }
        let pause = (next_due - poll.at).max(1);
        let Some(update) = apply_poll(&availability_state(claim, &pending), poll.at, pause, outcome) else { return };
        let n = claim.server_n;
        if update.samples.first().is_some_and(|first| is_cleanup_due(claim, first.at)) {
            self.expired.push((n, poll.at));
        }
        let tps = claim.server.as_ref().and_then(|server| server.current_tps(poll.at));
        pending.samples.extend(update.samples.iter().map(|sample| {
            let sample = PingSample { tps: tps.filter(|_| sample.online), ..*sample };
            (sample, checked.rejected_players)
        }));
        update.buckets.iter().for_each(|bucket| pending.add_bucket(bucket));
        let due = pending.take_due(n);
        if !due.is_empty() {
            self.due.push((n, due));
        }
        self.add_outages(poll, outcome, &update);
        if claim.server.is_some() {
            self.add_status(poll, outcome, &update);
        }
        let unconfirmed_polls = checked.unconfirmed_polls;
        let mut peak = poll_events::peak_after(poll, checked, highest);
        let events = poll_events::of_poll(poll, checked, &update, &mut peak);
        match claim.server.as_ref().is_some_and(|server| server.is_public()) {
            true => self.events.extend(events),
            false => self.unlisted_events.extend(events),
        }
        self.tracking.push(ClaimedPoll {
            unconfirmed_polls,
            peak,
            pending,
            ..tracking_row(poll, outcome, &update, next_due)
        });
        self.persisted.push(PersistedPoll {
            server_n: n,
            new_players: 0,
            went_offline: update.outage_began.is_some(),
            came_back: update.outage_ended,
        });
    }

    fn add_outages(&mut self, poll: &CompletedPoll, outcome: &PollOutcome, update: &AvailabilityUpdate) {
        let n = poll.claim.server_n;
        match (outcome, update.outage_began) {
            (PollOutcome::Failed { reason }, Some(since)) => self.outages_began.push((n, since, reason)),
            (PollOutcome::Failed { .. }, None) => {}
            (PollOutcome::Replied { .. }, _) => {
                // An imported server may have an open outage that this tracker has not seen begin.
                let was_offline = poll.claim.server.as_ref().is_some_and(|server| !server.is_online);
                if update.outage_ended || was_offline {
                    self.outages_ended.push((n, poll.at));
                }
            }
        }
    }

    fn add_status(&mut self, poll: &CompletedPoll, outcome: &PollOutcome, update: &AvailabilityUpdate) {
        let Some(is_online) = update.online else { return };
        let n = poll.claim.server_n;
        let server = poll.claim.server.as_ref();
        let mut row = ServerStatusUpdate {
            n,
            is_online,
            last_ping: poll.at,
            keeps_tps: server.is_some_and(|server| server.current_tps(poll.at).is_some()),
            ..ServerStatusUpdate::default()
        };
        let mut seen = None;
        if let PollOutcome::Replied { status, latency_ms } = outcome {
            let info = &poll.info;
            row.players = status.players;
            row.max_players = Some(status.max_players);
            row.latency = Some(*latency_ms);
            row.version = Some(info.version.clone()).filter(|version| !version.is_empty());
            row.protocol = Some(info.protocol);
            row.motd_raw = Some(info.motd_raw.clone());
            row.icon.clone_from(&info.pictures.icon);
            row.motd_image.clone_from(&info.pictures.motd_image);
            row.country = info.country.map(str::to_owned);
            let is_reported = server.is_some_and(|server| server.reports_players(poll.at));
            if !is_reported && poll.claim.trust(poll.at) != SourceTrust::Suspicious {
                seen = Some(status);
            }
        }
        // An empty list, too: it ends running sessions.
        let sighting = sighting(poll, seen, update);
        if !sighting.players.is_empty() || !sighting.before.is_empty() {
            self.sightings.push(sighting);
        }
        self.player_lists.extend(player_list_update(poll, outcome, update));
        self.status_updates.push(row);
    }
}

/// Evidence of a poll about missing players; none while the server itself reports who plays.
fn player_list_update(
    poll: &CompletedPoll,
    outcome: &PollOutcome,
    update: &AvailabilityUpdate,
) -> Option<PlayerListUpdate> {
    let server = poll.claim.server.as_ref()?;
    let missing = match outcome {
        PollOutcome::Failed { .. } => MissingPlayers::Left,
        PollOutcome::Replied { .. } if server.reports_players(poll.at) => return None,
        PollOutcome::Replied { status, .. } => MissingPlayers::LeftAfter(grace(status, update)),
    };
    let (server_n, at, is_public) = (poll.claim.server_n, poll.at, server.is_public());
    Some(PlayerListUpdate { server_n, at, is_public, present: Vec::new(), left: Vec::new(), missing })
}

/// A player last seen at most this long ago has stayed.
fn grace(status: &SanitizedStatus, update: &AvailabilityUpdate) -> i64 {
    let grace = COMPLETE_LIST_GRACE_PAUSES * update.state.last_sample.map_or(0, |(_, pause)| pause);
    if status.list_is_complete || status.players == 0 { grace } else { PARTIAL_LIST_GRACE.max(grace) }
}

/// The players that a reply lists; none if it does not count for players.
fn sighting(poll: &CompletedPoll, status: Option<&SanitizedStatus>, update: &AvailabilityUpdate) -> PlayerSighting {
    let server = poll.claim.server.as_ref();
    PlayerSighting {
        source: Source {
            server_n: poll.claim.server_n,
            host: server.map_or_else(String::new, |server| server.host.clone()),
            address: poll.info.address.map_or_else(String::new, |address| address.to_string()),
            trust: poll.claim.trust(poll.at),
        },
        is_trust_set: server.is_some_and(|server| server.operator_trust.is_some()),
        is_public: server.is_some_and(|server| server.is_public()),
        at: poll.at,
        grace: status.map_or(0, |status| grace(status, update)),
        players: status.map_or_else(Vec::new, |status| status.listed.clone()),
        is_complete: status.is_some_and(|status| status.list_is_complete),
        before: poll.claim.present.clone(),
        max_new_players: poll.new_player_limit,
    }
}

/// Whether expired samples are deleted with a sample at this time: once an hour, at a different minute for each server.
fn is_cleanup_due(claim: &ClaimedPoll, at: i64) -> bool {
    let own_hour = |at: i64| start_of_hour(at + claim.server_n.rem_euclid(60) * MINUTE);
    claim.sample_at.is_some_and(|previous_at| own_hour(previous_at) != own_hour(at))
}

/// The newest sample always waits, unless an earlier version stored it: then its latency is unknown and counts as 0.
fn availability_state(claim: &ClaimedPoll, pending: &PendingSamples) -> AvailabilityState {
    let sample = claim.sample_at.map(|at| {
        let waiting = pending.samples.last().map(|(sample, _)| *sample).filter(|sample| sample.at == at);
        PingSample {
            at,
            online: claim.sample_online,
            players: claim.sample_players,
            latency_ms: waiting.map_or(0, |sample| sample.latency_ms),
            tps: waiting.and_then(|sample| sample.tps),
        }
    });
    AvailabilityState {
        last_sample: sample.map(|sample| (sample, claim.sample_pause)),
        failures: claim.failures,
        failing_since: claim.failing_since,
    }
}

/// The tracking row after the poll.
fn tracking_row(
    poll: &CompletedPoll,
    outcome: &PollOutcome,
    update: &AvailabilityUpdate,
    next_due: i64,
) -> ClaimedPoll {
    let AvailabilityState { last_sample, failures, failing_since } = update.state;
    let mut row = ClaimedPoll { next_due, failures, failing_since, ..poll.claim.clone() };
    if update.online.is_some() {
        // Filled when the players are recorded. A first failure says nothing about them.
        row.present.clear();
    }
    if let Some((sample, pause)) = last_sample {
        row.sample_at = Some(sample.at);
        row.sample_online = sample.online;
        row.sample_players = sample.players;
        row.sample_pause = pause;
    }
    if let PollOutcome::Replied { status, .. } = outcome {
        let info = &poll.info;
        row.note = status.note.clone();
        row.form = info.protocol_name.unwrap_or_default().to_owned();
        row.address = info.address.map_or_else(String::new, |address| address.to_string());
        if let Some(hash) = &info.pictures.icon_hash {
            row.icon_hash.clone_from(hash);
        }
        if let Some(hash) = &info.pictures.motd_hash {
            row.motd_hash.clone_from(hash);
        }
        if info.pictures.is_drawn {
            row.pictured_at = poll.at;
        }
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_with_other_numbers_is_no_new_problem() {
        let note = |players: i64, reason: &str| format!("reports {players} players, not counted: {reason}");
        assert!(is_same_problem(&note(900, "far above its slots"), &note(1_001, "far above its slots")));
        assert!(!is_same_problem(&note(900, "far above its slots"), &note(900, "far above its history")));
        assert!(!is_same_problem(&note(900, "far above its slots"), ""));
    }
}
