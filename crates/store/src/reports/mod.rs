//! Reports that game servers send about themselves: ticks per second, who plays, counters of players. A report is
//! accepted only for its own server, within the limits of the last ping.

mod counters;
mod last_report;
mod links;
mod sightings;

use std::collections::HashMap;

use super::{Conn, Result, Value, revision, server_tokens};
use crate::values;
use rollcall_minecraft::ListedPlayer;
use rollcall_model::time::{MINUTE, SECOND};

pub use counters::PlayerCounters;
use last_report::SenderState;
pub use last_report::{LastReport, of_server, record_refusal};
pub use links::LinkClaim;

/// Pause between two reports of a server.
pub const MIN_INTERVAL: i64 = 10 * SECOND;
/// Joins and leaves may have happened this long before the report.
pub const MAX_MOVE_AGE: i64 = 15 * MINUTE;

/// A report whose values have been checked, except against what is stored.
#[derive(Clone, Debug)]
pub struct Report {
    pub server_n: i64,
    /// The hash of the token with which it was sent. It may have been revoked since it was looked up.
    pub token_hash: String,
    pub at: i64,
    /// Chosen by the sender; the same id again is the same report.
    pub id: Option<String>,
    /// How it was sent: `report` or `azlink`.
    pub format: &'static str,
    /// The software of the server and its plugin.
    pub software: String,
    pub tps: Option<f64>,
    /// Milliseconds per tick.
    pub mspt: Option<f64>,
    /// Everyone who plays now; `None` if the report does not say.
    pub players: Option<Vec<ListedPlayer>>,
    /// Joins and leaves since the last report, in order of time.
    pub moves: Vec<PlayerMove>,
    pub counters: Vec<PlayerCounters>,
    /// Players who entered a code to link their account.
    pub links: Vec<LinkClaim>,
    /// How many listed players may become new players.
    pub max_new_players: usize,
    /// Whether events tell who joined and left.
    pub tells_players: bool,
    /// Entries that were left out when it was parsed.
    pub notes: Vec<String>,
}

impl Report {
    /// Whether it may change what read models contain. They leave out the ticks per second: those are read from the store.
    fn tells_of_players(&self) -> bool {
        self.players.is_some() || !(self.moves.is_empty() && self.counters.is_empty() && self.links.is_empty())
    }
}

#[derive(Clone, Debug)]
pub struct PlayerMove {
    pub player: ListedPlayer,
    pub at: i64,
    pub kind: MoveKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    Join,
    Leave,
}

/// Result of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportOutcome {
    Accepted(AcceptedReport),
    /// It was accepted before.
    Duplicate,
    /// The last report was accepted too short a time ago.
    TooSoon {
        next_at: i64,
    },
    /// The token was revoked meanwhile, or the server deleted.
    UnknownToken,
    /// The server was archived meanwhile.
    Archived,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AcceptedReport {
    /// Players of the list who were counted.
    pub players: usize,
    pub new_players: usize,
    /// Values that were not counted, and why.
    pub notes: Vec<String>,
}

/// Writes a batch of reports; call it in a transaction.
pub fn record(conn: &mut Conn, reports: &[Report]) -> Result<Vec<ReportOutcome>> {
    // Two nodes must not both accept a report.
    revision::lock(conn)?;
    let mut senders = last_report::load(conn, reports.iter().map(|report| report.server_n))?;
    let tokens = valid_tokens(conn, reports)?;
    let mut outcomes: Vec<ReportOutcome> = reports
        .iter()
        .map(|report| match tokens.get(&report.token_hash) {
            Some(server_n) if *server_n == report.server_n => admit(&mut senders, report),
            _ => ReportOutcome::UnknownToken,
        })
        .collect();
    let mut accepted: Vec<(&Report, &mut AcceptedReport)> = reports
        .iter()
        .zip(&mut outcomes)
        .filter_map(|(report, outcome)| match outcome {
            ReportOutcome::Accepted(accepted) => Some((report, accepted)),
            _ => None,
        })
        .collect();
    write_tps(conn, accepted.iter().map(|(report, _)| *report), &mut senders)?;
    if accepted.iter().any(|(report, _)| report.tells_of_players()) {
        record_players(conn, &mut accepted, &mut senders)?;
    }
    for (report, accepted) in &accepted {
        if let Some(sender) = senders.get_mut(&report.server_n) {
            sender.last.notes = accepted.notes.join("; ");
        }
    }
    last_report::save(conn, senders.values().filter(|sender| sender.is_changed))?;
    Ok(outcomes)
}

/// Writes who played, with their counters and links.
fn record_players(
    conn: &mut Conn,
    accepted: &mut [(&Report, &mut AcceptedReport)],
    senders: &mut HashMap<i64, SenderState>,
) -> Result<()> {
    let rev = revision::bump(conn)?;
    sightings::record(conn, accepted, senders, rev)?;
    for (report, accepted) in accepted {
        let sender = &senders[&report.server_n];
        counters::record(conn, report, sender.is_public, rev, &mut accepted.notes)?;
        links::record(conn, report, sender, accepted)?;
    }
    Ok(())
}

/// The servers of the tokens that are still valid.
fn valid_tokens(conn: &mut Conn, reports: &[Report]) -> Result<HashMap<String, i64>> {
    let Some(at) = reports.iter().map(|report| report.at).max() else { return Ok(HashMap::new()) };
    let hashes: Vec<&str> = reports.iter().map(|report| report.token_hash.as_str()).collect();
    server_tokens::servers_of(conn, &hashes, at)
}

fn admit(senders: &mut HashMap<i64, SenderState>, report: &Report) -> ReportOutcome {
    let Some(sender) = senders.get_mut(&report.server_n) else { return ReportOutcome::UnknownToken };
    if sender.is_archived {
        return ReportOutcome::Archived;
    }
    if report.id.as_deref().is_some_and(|id| sender.knows(id)) {
        return ReportOutcome::Duplicate;
    }
    let next_at = sender.last.received_at + MIN_INTERVAL;
    if report.at < next_at {
        return ReportOutcome::TooSoon { next_at };
    }
    sender.accept(report);
    ReportOutcome::Accepted(AcceptedReport { notes: report.notes.clone(), ..AcceptedReport::default() })
}

/// Stores the ticks per second of servers that are online; a server that does not answer pings has none. Without a revision:
/// no read model contains them, and 2,000 servers a second would be loaded again.
fn write_tps<'r>(
    conn: &mut Conn,
    reports: impl Iterator<Item = &'r Report>,
    senders: &mut HashMap<i64, SenderState>,
) -> Result<()> {
    let mut changed: Vec<Vec<Value>> = Vec::new();
    for report in reports {
        let Some(sender) = senders.get_mut(&report.server_n) else { continue };
        if let Some(tps) = report.tps.filter(|tps| sender.is_online && sender.tps != Some(*tps)) {
            sender.tps = Some(tps);
            changed.push(values![report.server_n, tps].to_vec());
        }
    }
    conn.execute_many(
        "update servers set tps = v.column2 from (values {rows}) v where servers.n = v.column1",
        &["bigint", "double precision"],
        &changed,
    )
}
