//! Stores a batch of polls in one transaction: samples and roll-ups, server status, outages, and who was online. A crash loses
//! the whole batch or nothing.

use super::availability::{AvailabilityState, AvailabilityUpdate, PollOutcome, apply_poll};
use super::pictures::RenderedPictures;
use super::sanitize::SanitizedStatus;
use super::schedule::PollSchedule;
use rollcall_model::buckets::{PingSample, SampleBucket};
use rollcall_model::time::{MINUTE, start_of_hour};
use rollcall_store::presence::{self, PlayerSighting};
use rollcall_store::servers::{self, ServerStatusUpdate};
use rollcall_store::tracking::{self, ClaimedPoll};
use rollcall_store::{Conn, Result, outages, revision, samples};

/// A player who is missing from an incomplete list for no longer than this counts as online all the time.
const PARTIAL_LIST_GRACE: i64 = 30 * MINUTE;
/// The same for a complete list, in pauses between two polls.
const COMPLETE_LIST_GRACE_PAUSES: i64 = 3;

/// A poll whose result is ready to store.
#[derive(Clone, Debug)]
pub struct CompletedPoll {
    pub claim: ClaimedPoll,
    pub at: i64,
    pub outcome: PollOutcome,
    pub info: ReportedInfo,
    /// New players that this server may still create today.
    pub new_player_limit: usize,
}

/// What a server reported besides its players.
#[derive(Clone, Debug, Default)]
pub struct ReportedInfo {
    /// Of the ping protocol that worked.
    pub protocol_name: Option<&'static str>,
    pub version: String,
    pub protocol: i64,
    pub motd_raw: String,
    pub pictures: RenderedPictures,
    pub country: Option<&'static str>,
}

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
    samples: Vec<(i64, PingSample)>,
    buckets: Vec<(i64, SampleBucket)>,
    status_updates: Vec<ServerStatusUpdate>,
    outages_began: Vec<(i64, i64, &'static str)>,
    outages_ended: Vec<(i64, i64)>,
    tracking: Vec<ClaimedPoll>,
    /// Servers whose next poll moves to an earlier time.
    rescheduled: Vec<(i64, i64)>,
    sightings: Vec<PlayerSighting>,
    /// Servers whose expired samples are deleted with this batch.
    expired: Vec<(i64, i64)>,
    persisted: Vec<PersistedPoll>,
}

/// Must run in a transaction. Idempotent: polls that were stored before, or that another process has claimed since, are
/// skipped.
pub fn persist_batch(conn: &mut Conn, batch: &[CompletedPoll], schedule: PollSchedule) -> Result<Vec<PersistedPoll>> {
    let rev = revision::bump(conn)?;
    let claimed = tracking::still_claimed(conn, &batch.iter().map(|poll| &poll.claim).collect::<Vec<_>>())?;
    let mut rows = BatchRows::default();
    let mut totals_poll = None;
    for poll in batch.iter().filter(|poll| claimed.contains(&poll.claim.server_n)) {
        if poll.claim.server.is_some() {
            rows.add(poll, &poll.outcome, schedule);
        } else {
            totals_poll = Some(poll);
        }
    }
    servers::update_status(conn, &rows.status_updates, rev)?;
    if let Some(poll) = totals_poll {
        // Summed after the status updates, so that the totals include this batch.
        if let Some((players, latency_ms)) = servers::network_totals(conn)? {
            let status = SanitizedStatus { players, ..SanitizedStatus::default() };
            rows.add(poll, &PollOutcome::Replied { status, latency_ms }, schedule);
        }
    }
    samples::insert(conn, &rows.samples)?;
    samples::add_to_rollups(conn, &rows.buckets)?;
    outages::begin(conn, &rows.outages_began)?;
    outages::end(conn, &rows.outages_ended)?;
    tracking::save(conn, &rows.tracking)?;
    tracking::set_due_at(conn, &rows.rescheduled)?;
    for (server_n, at) in &rows.expired {
        samples::delete_expired(conn, *server_n, *at)?;
    }
    let new_players = presence::record(conn, &rows.sightings, rev)?;
    for (sighting, new_players) in rows.sightings.iter().zip(new_players) {
        if let Some(persisted) = rows.persisted.iter_mut().find(|poll| poll.server_n == sighting.server_n) {
            persisted.new_players = new_players;
        }
    }
    Ok(rows.persisted)
}

impl BatchRows {
    fn add(&mut self, poll: &CompletedPoll, outcome: &PollOutcome, schedule: PollSchedule) {
        let claim = &poll.claim;
        let mut next_due = claim.next_due;
        let replied = matches!(outcome, PollOutcome::Replied { .. });
        if replied && claim.failing_since.is_some() {
            // The server is back: return from the backoff to the normal interval.
            next_due = next_due.min(schedule.next_due(claim.server_n, poll.at, schedule.pause(None, poll.at)));
            self.rescheduled.push((claim.server_n, next_due));
        }
        let pause = (next_due - poll.at).max(1);
        let Some(update) = apply_poll(&availability_state(claim), poll.at, pause, outcome) else { return };
        let n = claim.server_n;
        // Expired samples are deleted once an hour, at a different minute for each server.
        let own_hour = |at: i64| start_of_hour(at + n.rem_euclid(60) * MINUTE);
        if let (Some(first), Some(previous_at)) = (update.samples.first(), claim.sample_at)
            && own_hour(previous_at) != own_hour(first.at)
        {
            self.expired.push((n, poll.at));
        }
        self.samples.extend(update.samples.iter().map(|sample| (n, *sample)));
        self.buckets.extend(update.buckets.iter().map(|bucket| (n, *bucket)));
        if let (Some(since), PollOutcome::Failed { reason }) = (update.outage_began, outcome) {
            self.outages_began.push((n, since, reason));
        }
        // An imported server may have an open outage that this tracker has not seen begin.
        if replied && (update.outage_ended || claim.server.as_ref().is_some_and(|server| !server.is_online)) {
            self.outages_ended.push((n, poll.at));
        }
        if claim.server.is_some() {
            self.add_status(poll, outcome, &update);
        }
        self.tracking.push(tracking_row(poll, outcome, &update, next_due));
        self.persisted.push(PersistedPoll {
            server_n: n,
            new_players: 0,
            went_offline: update.outage_began.is_some(),
            came_back: update.outage_ended,
        });
    }

    fn add_status(&mut self, poll: &CompletedPoll, outcome: &PollOutcome, update: &AvailabilityUpdate) {
        let Some(is_online) = update.online else { return };
        let n = poll.claim.server_n;
        let mut row =
            ServerStatusUpdate { n, is_online, players: 0, last_ping: poll.at, ..ServerStatusUpdate::default() };
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
            if !status.listed.is_empty() {
                self.sightings.push(sighting(poll, status, update));
            }
        }
        self.status_updates.push(row);
    }
}

fn sighting(poll: &CompletedPoll, status: &SanitizedStatus, update: &AvailabilityUpdate) -> PlayerSighting {
    let pause = update.state.last_sample.map_or(0, |(_, pause)| pause);
    let grace = COMPLETE_LIST_GRACE_PAUSES * pause;
    PlayerSighting {
        server_n: poll.claim.server_n,
        is_public: poll.claim.server.as_ref().is_some_and(|server| server.is_public),
        at: poll.at,
        grace: if status.list_is_complete { grace } else { PARTIAL_LIST_GRACE.max(grace) },
        players: status.listed.clone(),
        max_new_players: poll.new_player_limit,
    }
}

fn availability_state(claim: &ClaimedPoll) -> AvailabilityState {
    let sample = claim.sample_at.map(|at| PingSample {
        at,
        online: claim.sample_online,
        players: claim.sample_players,
        latency_ms: 0,
        tps: None,
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
        if let Some(hash) = &info.pictures.icon_hash {
            row.icon_hash.clone_from(hash);
        }
        if let Some(hash) = &info.pictures.motd_hash {
            row.motd_hash.clone_from(hash);
        }
        if info.pictures.icon_hash.is_some() || info.pictures.motd_hash.is_some() {
            row.pictured_at = poll.at;
        }
    }
    row
}
