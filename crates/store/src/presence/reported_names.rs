//! The names under which servers report players. A server is trusted about a name only as far as other servers agree.

use std::collections::{HashMap, HashSet};

use super::source::Source;
use super::{BATCH, MatchedPlayer, PlayerSighting};
use crate::values;
use crate::{Conn, Result, Value, pad_values, placeholders};
use rollcall_minecraft::ListedPlayer;
use rollcall_model::time::{DAY, HOUR};
use rollcall_model::trust::SourceTrust;
use rollcall_search::fold;

/// Reports that are older say nothing about the current name. Longer than the 30 days after which a player may have another
/// name, so that a pause of the tracker does not leave the field to the server that is polled first.
const RECENT: i64 = 60 * DAY;
/// How often an unchanged report is written again.
const REWRITE_AFTER: i64 = HOUR;
/// Independent sources that must agree on a rename or on a contradiction.
const AGREEMENT: usize = 2;

/// Whether two names of one id are the same. Floodgate puts a prefix before the names of Bedrock players on some servers.
pub(super) fn is_same_name(a: &str, b: &str) -> bool {
    let bare = |name| str::strip_prefix(name, ['.', '*']).unwrap_or(name);
    bare(a) == bare(b)
}

/// The last report of one server about one player.
pub(super) struct ReportedName {
    nickname: String,
    /// When the server first reported this name.
    since: i64,
    seen_at: i64,
}

/// The last reports of a server, by player.
pub(super) fn of_server(conn: &mut Conn, server_n: i64, players: &[i64]) -> Result<HashMap<i64, ReportedName>> {
    let mut names = HashMap::with_capacity(players.len());
    for batch in players.chunks(BATCH) {
        let mut values = pad_values(batch);
        values.push(server_n.into());
        let sql = format!(
            "select player_n, nickname, since, seen_at from reported_names
             where player_n in ({}) and server_n = ${}",
            placeholders(batch.len()),
            values.len()
        );
        conn.for_each(&sql, &values, |row| {
            let name = ReportedName { nickname: row.get(1), since: row.get(2), seen_at: row.get(3) };
            names.insert(row.get(0), name);
        })?;
    }
    Ok(names)
}

/// Since when the server has reported this name.
pub(super) fn since(last: Option<&ReportedName>, name: &str, at: i64) -> i64 {
    last.filter(|last| last.nickname == name).map_or(at, |last| last.since)
}

/// Whether a report must be written. A name without an id was matched by that name, so it confirms nothing.
pub(super) fn is_outdated(last: Option<&ReportedName>, listed: &ListedPlayer, at: i64) -> bool {
    last.is_none_or(|last| {
        listed.uuid.is_some() && (last.nickname != listed.name || at - last.seen_at >= REWRITE_AFTER)
    })
}

/// Writes what a server reports now.
pub(super) fn save(
    conn: &mut Conn,
    sighting: &PlayerSighting,
    outdated: &[MatchedPlayer],
    names: &HashMap<i64, ReportedName>,
) -> Result<()> {
    let (server_n, at) = (sighting.source.server_n, sighting.at);
    let changes: Vec<Vec<Value>> = outdated
        .iter()
        .map(|(listed, player)| {
            let since = since(names.get(&player.n), &listed.name, at);
            values![server_n, player.n, &listed.name, fold(&listed.name), since, at].to_vec()
        })
        .collect();
    conn.execute_many(
        "insert into reported_names (server_n, player_n, nickname, nickname_key, since, seen_at) values {rows}
         on conflict (server_n, player_n) do update set nickname = excluded.nickname,
             nickname_key = excluded.nickname_key, since = excluded.since, seen_at = excluded.seen_at",
        &["bigint", "bigint", "text", "text", "bigint", "bigint"],
        &changes,
    )
}

/// A recent report of another server.
pub(super) struct OtherReport {
    source: Source,
    nickname: String,
    seen_at: i64,
}

/// Recent reports of other servers, except suspicious ones, about players.
#[derive(Default)]
pub(super) struct OtherReports {
    by_player: HashMap<i64, Vec<OtherReport>>,
    /// Players whose current name was reported by a server that is suspicious now.
    named_by_suspicious: HashSet<i64>,
}

impl OtherReports {
    pub fn load(conn: &mut Conn, sighting: &PlayerSighting, players: &[MatchedPlayer]) -> Result<Self> {
        let mut reports = Self::default();
        let players: Vec<i64> = players.iter().map(|(_, player)| player.n).collect();
        for batch in players.chunks(BATCH) {
            reports.add(conn, sighting, batch)?;
        }
        Ok(reports)
    }

    fn add(&mut self, conn: &mut Conn, sighting: &PlayerSighting, batch: &[i64]) -> Result<()> {
        let of_players = placeholders(batch.len());
        let trust = |operator: Option<String>, suspected_at| {
            SourceTrust::effective(operator.as_deref().and_then(SourceTrust::parse), suspected_at, sighting.at)
        };
        let mut values = pad_values(batch);
        let sql = format!(
            "select p.n, s.operator_trust, t.suspected_at
             from players p join servers s on s.n = p.nickname_server_n left join tracking t on t.server_n = s.n
             where p.n in ({of_players})"
        );
        conn.for_each(&sql, &values, |row| {
            if trust(row.get(1), row.get(2)) == SourceTrust::Suspicious {
                self.named_by_suspicious.insert(row.get(0));
            }
        })?;
        values.extend_from_slice(values![sighting.source.server_n, sighting.at - RECENT]);
        let sql = format!(
            "select r.player_n, r.nickname, r.seen_at, s.operator_trust, t.suspected_at, s.n, s.ip, coalesce(t.address, '')
             from reported_names r join servers s on s.n = r.server_n left join tracking t on t.server_n = r.server_n
             where r.player_n in ({of_players}) and r.server_n <> ${} and r.seen_at >= ${}",
            values.len() - 1,
            values.len()
        );
        conn.for_each(&sql, &values, |row| {
            let trust = trust(row.get(3), row.get(4));
            if trust != SourceTrust::Suspicious {
                let source = Source { server_n: row.get(5), host: row.get(6), address: row.get(7), trust };
                let report = OtherReport { source, nickname: row.get(1), seen_at: row.get(2) };
                self.by_player.entry(row.get(0)).or_default().push(report);
            }
        })
    }

    pub fn about(&self, player_n: i64) -> &[OtherReport] {
        self.by_player.get(&player_n).map_or(&[], Vec::as_slice)
    }

    pub fn is_named_by_suspicious(&self, player_n: i64) -> bool {
        self.named_by_suspicious.contains(&player_n)
    }
}

/// A name under which a server lists a player, against what other servers say.
pub(super) struct NameClaim<'a> {
    pub source: &'a Source,
    pub name: &'a str,
    /// Since when the server has reported this name.
    pub since: i64,
    pub others: &'a [OtherReport],
}

impl NameClaim<'_> {
    /// A verified source is always accepted. Any other one needs a second independent source, and more sources for the
    /// name than against it; or no other recent source at all that uses another name.
    pub fn is_accepted(&self) -> bool {
        if self.source.trust == SourceTrust::Verified {
            return true;
        }
        if self.contradicting().any(|report| report.source.trust == SourceTrust::Verified) {
            return false;
        }
        let (supporters, opponents) = (self.supporters(), self.opponents());
        self.contradicting().next().is_none() || (supporters >= AGREEMENT && supporters > opponents)
    }

    /// Whether a verified source, or two independent ones and more than use this name, used another name after this one was
    /// first reported. A verified source that uses this name outweighs all.
    pub fn is_contradicted(&self) -> bool {
        let is_verified = |report: &OtherReport| report.source.trust == SourceTrust::Verified;
        if self.agreeing().any(is_verified) {
            return false;
        }
        let opponents = self.opponents();
        self.contradicted_since().any(is_verified) || (opponents >= AGREEMENT && opponents > self.supporters())
    }

    /// The independent sources that use this name, with its own.
    fn supporters(&self) -> usize {
        1 + self.source.count_independent(self.agreeing().map(|report| &report.source))
    }

    fn opponents(&self) -> usize {
        self.source.count_independent(self.contradicted_since().map(|report| &report.source))
    }

    fn agreeing(&self) -> impl Iterator<Item = &OtherReport> {
        self.others.iter().filter(|report| is_same_name(&report.nickname, self.name))
    }

    fn contradicting(&self) -> impl Iterator<Item = &OtherReport> {
        self.others.iter().filter(|report| !is_same_name(&report.nickname, self.name))
    }

    /// Reports before the name first appeared do not contradict it: the player may have been renamed since.
    fn contradicted_since(&self) -> impl Iterator<Item = &OtherReport> {
        self.contradicting().filter(|report| report.seen_at > self.since)
    }
}
