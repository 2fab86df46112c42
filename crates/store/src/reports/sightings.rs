//! Turns the lists, joins and leaves of reports into sightings, from which sessions follow.

use std::collections::HashMap;

use super::last_report::SenderState;
use super::{AcceptedReport, MAX_MOVE_AGE, MoveKind, Report};
use crate::join_leave_events::{self, MissingPlayers, PlayerListUpdate};
use crate::presence::{self, PlayerSighting, Source};
use crate::report_validity::LIST_LASTS;
use crate::{Conn, Result, tracking};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::trust::SourceTrust;

/// A report may list more players than the last ping saw, which is up to a minute old.
const MIN_SURPLUS: i64 = 10;

/// Writes who played where. Reports of one batch are written together, step by step in order of time: a player may join and
/// leave within one report.
pub(super) fn record(
    conn: &mut Conn,
    accepted: &mut [(&Report, &mut AcceptedReport)],
    senders: &mut HashMap<i64, SenderState>,
    rev: i64,
) -> Result<()> {
    let mut queues: Vec<Vec<Step>> = Vec::with_capacity(accepted.len());
    for (report, accepted) in accepted.iter_mut() {
        queues.push(steps(report, &senders[&report.server_n], accepted));
    }
    let rounds = queues.iter().map(Vec::len).max().unwrap_or(0);
    for round in 0..rounds {
        let senders_of_round: Vec<usize> = (0..queues.len()).filter(|i| queues[*i].len() > round).collect();
        let sightings: Vec<PlayerSighting> =
            senders_of_round.iter().map(|i| queues[*i][round].sighting.clone()).collect();
        let mut updates = Vec::new();
        for (i, recorded) in senders_of_round.into_iter().zip(presence::record(conn, &sightings, rev)?) {
            let (report, accepted) = &mut accepted[i];
            let is_list = round + 1 == queues[i].len() && report.players.is_some();
            accepted.new_players += recorded.new_players;
            if let Some(evidence) = recorded.suspicion {
                accepted.notes.push(format!("players are not counted: {evidence}"));
                tracking::suspect(conn, report.server_n, report.at, &evidence)?;
                queues[i].truncate(round + 1);
                continue;
            }
            if report.tells_players {
                updates.push(queues[i][round].player_list_update(recorded.present.clone()));
            }
            if is_list {
                accepted.players = recorded.present.len();
                if let Some(sender) = senders.get_mut(&report.server_n) {
                    sender.present = recorded.present;
                }
            }
        }
        join_leave_events::record(conn, &updates)?;
    }
    Ok(())
}

/// A join, a leave or the list of a report.
struct Step {
    sighting: PlayerSighting,
    /// `None` for the list.
    kind: Option<MoveKind>,
    /// Whether the list holds everyone.
    is_complete: bool,
}

impl Step {
    fn player_list_update(&self, players: Vec<i64>) -> PlayerListUpdate {
        let (present, left) = match self.kind {
            Some(MoveKind::Leave) => (Vec::new(), players),
            _ => (players, Vec::new()),
        };
        let missing = match self.kind {
            Some(_) => MissingPlayers::Unknown,
            None if self.is_complete => MissingPlayers::Left,
            None => MissingPlayers::LeftAfter(LIST_LASTS),
        };
        let (server_n, at, is_public) = (self.sighting.source.server_n, self.sighting.at, self.sighting.is_public);
        PlayerListUpdate { server_n, at, is_public, present, left, missing }
    }
}

/// The sightings of one report in order of time: each join and leave, then the list.
fn steps(report: &Report, sender: &SenderState, accepted: &mut AcceptedReport) -> Vec<Step> {
    if report.players.is_none() && report.moves.is_empty() {
        return Vec::new();
    }
    let is_any_named = !report.moves.is_empty() || report.players.as_ref().is_some_and(|players| !players.is_empty());
    if !is_any_named && (!sender.is_online || sender.trust(report.at) == SourceTrust::Suspicious) {
        return Vec::new();
    }
    if !sender.is_online {
        accepted.notes.push("players are not counted: the last ping did not reach the server".into());
        return Vec::new();
    }
    if sender.trust(report.at) == SourceTrust::Suspicious {
        accepted.notes.push("players are not counted: the server listed players who were not there".into());
        return Vec::new();
    }
    let sighting = |at: i64, grace: i64, players: Vec<ListedPlayer>| PlayerSighting {
        source: Source {
            server_n: sender.n,
            host: sender.host.clone(),
            address: sender.address.clone(),
            trust: sender.trust(report.at),
        },
        is_trust_set: sender.operator_trust.is_some(),
        is_public: sender.is_public,
        at,
        grace,
        players,
        is_complete: false,
        before: Vec::new(),
        max_new_players: report.max_new_players,
    };
    let mut steps: Vec<Step> = report
        .moves
        .iter()
        .map(|step| {
            // A join begins a session, and a leave ends one.
            let grace = match step.kind {
                MoveKind::Join => 0,
                MoveKind::Leave => MAX_MOVE_AGE,
            };
            let sighting = sighting(step.at, grace, vec![step.player.clone()]);
            Step { sighting, kind: Some(step.kind), is_complete: false }
        })
        .collect();
    if let Some(players) = &report.players {
        let plausible = plausible_players(players, sender.players, &mut accepted.notes);
        let is_complete = plausible.len() == players.len();
        steps.push(Step { sighting: sighting(report.at, LIST_LASTS, plausible), kind: None, is_complete });
    }
    steps
}

/// The players of a list, as many as the last ping makes plausible.
fn plausible_players(listed: &[ListedPlayer], pinged: i64, notes: &mut Vec<String>) -> Vec<ListedPlayer> {
    let limit = usize::try_from(pinged + MIN_SURPLUS.max(pinged / 2)).unwrap_or(0);
    if listed.len() > limit {
        notes.push(format!(
            "{} of {} listed players are counted: the last ping saw {pinged} online",
            limit,
            listed.len()
        ));
    }
    listed.iter().take(limit).cloned().collect()
}
