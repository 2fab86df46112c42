//! Finds evidence that a server invents its player list. Evidence needs several players and two other independent sources, so
//! that one hostile server cannot discredit an honest one.

use std::collections::{HashMap, HashSet};

use super::latest_session::LatestSession;
use super::reported_names::{self, NameClaim, OtherReports, ReportedName};
use super::source::Source;
use super::{BATCH, MatchedPlayer, PlayerSighting};
use crate::values;
use crate::{Conn, Result, pad_values, placeholders};
use rollcall_model::time::DAY;
use rollcall_model::trust::SourceTrust;

/// Fewer players than this are no evidence.
const MIN_PLAYERS: usize = 3;
/// A session of this length is unusual; it is impossible if other servers saw the player join meanwhile.
const LONG_SESSION: i64 = DAY;
/// Independent servers that must have seen the player meanwhile.
const MIN_WITNESSES: usize = 2;

/// The players of a list, with what is known of them.
pub(super) struct Evidence<'a> {
    pub sighting: &'a PlayerSighting,
    pub present: &'a [MatchedPlayer<'a>],
    /// Those whom `others` is about.
    pub checked: &'a [MatchedPlayer<'a>],
    pub latest: &'a HashMap<i64, LatestSession>,
    pub names: &'a HashMap<i64, ReportedName>,
    pub others: &'a OtherReports,
}

impl Evidence<'_> {
    /// The evidence in words for the operator, if there is any.
    pub fn find(&self, conn: &mut Conn) -> Result<Option<String>> {
        if self.sighting.is_trust_set {
            return Ok(None);
        }
        let identified: Vec<MatchedPlayer> =
            self.present.iter().filter(|(listed, _)| listed.uuid.is_some()).copied().collect();
        let contradicted = self.count_contradicted(conn, &identified)?;
        if is_most(contradicted, identified.len()) {
            let listed = identified.len();
            return Ok(Some(format!("lists {contradicted} of {listed} ids under names that other servers contradict")));
        }
        let long: HashMap<i64, i64> = identified.iter().filter_map(|(_, player)| self.long_session(player.n)).collect();
        if !is_most(long.len(), identified.len()) {
            return Ok(None);
        }
        let impossible = count_seen_elsewhere(conn, self.sighting, &long)?;
        Ok(is_most(impossible, identified.len()).then(|| {
            let listed = identified.len();
            format!("lists {impossible} of {listed} ids for over a day without a break while they joined other servers")
        }))
    }

    /// Once one of the checked names is contradicted, all are compared: names become due for a check at different times.
    fn count_contradicted(&self, conn: &mut Conn, identified: &[MatchedPlayer]) -> Result<usize> {
        let of_checked = self.checked.iter().filter(|player| self.is_contradicted(player, self.others)).count();
        if of_checked == 0 || identified.len() < MIN_PLAYERS {
            return Ok(of_checked);
        }
        let checked: HashSet<i64> = self.checked.iter().map(|(_, player)| player.n).collect();
        let rest: Vec<MatchedPlayer> =
            identified.iter().filter(|(_, player)| !checked.contains(&player.n)).copied().collect();
        let others = OtherReports::load(conn, self.sighting, &rest)?;
        Ok(of_checked + rest.iter().filter(|player| self.is_contradicted(player, &others)).count())
    }

    fn is_contradicted(&self, (listed, player): &MatchedPlayer, others: &OtherReports) -> bool {
        let since = reported_names::since(self.names.get(&player.n), &listed.name, self.sighting.at);
        let (source, others) = (&self.sighting.source, others.about(player.n));
        NameClaim { source, name: &listed.name, since, others }.is_contradicted()
    }

    /// The player and the start of their session, if it is still open and long.
    fn long_session(&self, player_n: i64) -> Option<(i64, i64)> {
        let (session, at) = (self.latest.get(&player_n)?, self.sighting.at);
        let is_open = at - session.left_at <= self.sighting.grace;
        (is_open && at - session.joined_at > LONG_SESSION).then_some((player_n, session.joined_at))
    }
}

fn is_most(players: usize, of: usize) -> bool {
    players >= MIN_PLAYERS && 2 * players > of
}

/// How many of these players joined enough other servers after their session here began. `sessions` are starts by player.
fn count_seen_elsewhere(conn: &mut Conn, sighting: &PlayerSighting, sessions: &HashMap<i64, i64>) -> Result<usize> {
    let Some(&earliest) = sessions.values().min() else { return Ok(0) };
    let mut witnesses: HashMap<i64, Vec<Source>> = HashMap::new();
    for batch in sessions.keys().copied().collect::<Vec<_>>().chunks(BATCH) {
        let mut values = pad_values(batch);
        values.extend_from_slice(values![earliest, sighting.source.server_n]);
        let sql = format!(
            "select x.player_n, x.joined_at, s.n, s.ip, coalesce(t.address, ''), s.operator_trust, t.suspected_at
             from sessions x join servers s on s.n = x.server_n left join tracking t on t.server_n = x.server_n
             where x.player_n in ({}) and x.joined_at > ${} and x.server_n <> ${}",
            placeholders(batch.len()),
            values.len() - 1,
            values.len()
        );
        conn.for_each(&sql, &values, |row| {
            let (player_n, joined_at): (i64, i64) = (row.get(0), row.get(1));
            let operator = row.get::<Option<String>>(5);
            let trust =
                SourceTrust::effective(operator.as_deref().and_then(SourceTrust::parse), row.get(6), sighting.at);
            if sessions.get(&player_n).is_some_and(|began_at| joined_at > *began_at) && trust != SourceTrust::Suspicious
            {
                let source = Source { server_n: row.get(2), host: row.get(3), address: row.get(4), trust };
                witnesses.entry(player_n).or_default().push(source);
            }
        })?;
    }
    let is_seen = |sources: &&Vec<Source>| sighting.source.count_independent(sources.iter()) >= MIN_WITNESSES;
    Ok(witnesses.values().filter(is_seen).count())
}
