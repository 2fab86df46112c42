//! Codes that players entered on a game server with `/link`: the server vouches for their identity.

use super::last_report::SenderState;
use super::{AcceptedReport, Report};
use crate::{Conn, Result, player_links, values};

/// A player who entered a code.
#[derive(Clone, Debug)]
pub struct LinkClaim {
    /// Of the code.
    pub hash: String,
    /// In its canonical form.
    pub uuid: String,
}

/// Links accounts with players. A server vouches only for players whom it lists in the same report, and whose presence
/// is accepted.
pub(super) fn record(
    conn: &mut Conn,
    report: &Report,
    sender: &SenderState,
    accepted: &mut AcceptedReport,
) -> Result<()> {
    for (number, claim) in (1..).zip(&report.links) {
        let is_listed = |uuid: &str| {
            let listed = report.players.as_deref().unwrap_or_default();
            listed.iter().any(|player| player.uuid.as_deref() == Some(uuid))
        };
        let sql = "select n from players where game_uuid = $1";
        let player_n: Option<i64> = match is_listed(&claim.uuid) {
            true => conn.query_optional(sql, values![&claim.uuid], |row| row.get(0))?,
            false => None,
        };
        let outcome = match player_n.filter(|n| sender.present.contains(n)) {
            Some(player_n) => player_links::link_by_report(conn, &claim.hash, player_n, report.server_n, report.at)?,
            None => Err("the player is not among the counted players of this report"),
        };
        // Without the name: notes are stored, and the player may opt out.
        accepted.notes.push(match outcome {
            Ok(()) => format!("link {number}: the player is linked"),
            Err(reason) => format!("link {number}: {reason}"),
        });
    }
    Ok(())
}
