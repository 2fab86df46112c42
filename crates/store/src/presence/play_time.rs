//! Counts each moment of a player once while sessions grow. The totals equal those of `totals/session_overlaps.rs`.

use std::collections::HashMap;

use super::known_players::KnownPlayer;
use super::latest_session::{LatestSession, Span, seconds};
use super::{BATCH, PlayerSighting};
use crate::values;
use crate::{Conn, Result, pad_values, placeholders};
use rollcall_model::time::SECOND;

/// Time that counts already, by player, with the session that it belongs to.
#[derive(Default)]
pub(super) struct CountedTime {
    by_player: HashMap<i64, Vec<(i64, Span)>>,
}

impl CountedTime {
    /// The time that other public servers have reported since each of these sessions was last seen. Few players need the
    /// query: those whom another server has seen since.
    pub fn load(conn: &mut Conn, growing: &[(&KnownPlayer, &LatestSession)], at: i64) -> Result<Self> {
        let mut counted = Self::default();
        let shared: Vec<_> = growing.iter().filter(|(player, session)| is_shared(player, session)).collect();
        for batch in shared.chunks(BATCH) {
            let players: Vec<i64> = batch.iter().map(|(player, _)| player.n).collect();
            let earliest = batch.iter().map(|(_, session)| session.counted_until()).min().unwrap_or(at);
            let mut values = pad_values(&players);
            values.extend_from_slice(values![at, earliest]);
            let sql = format!(
                "select x.player_n, x.n, x.joined_at, coalesce(x.full_time, x.play_time)
                 from sessions x join servers s on s.n = x.server_n
                 where x.player_n in ({}) and x.joined_at < ${} and x.left_at > ${} and s.visibility = 'PUBLIC'",
                placeholders(players.len()),
                values.len() - 1,
                values.len()
            );
            conn.for_each(&sql, &values, |row| {
                let joined_at: i64 = row.get(2);
                counted.add(
                    row.get(0),
                    row.get(1),
                    (joined_at, joined_at.saturating_add(row.get::<i64>(3).saturating_mul(SECOND))),
                );
            })?;
        }
        Ok(counted)
    }

    pub fn add(&mut self, player_n: i64, session_n: i64, span: Span) {
        self.by_player.entry(player_n).or_default().push((session_n, span));
    }

    /// The spans of the player's other sessions.
    pub fn besides(&self, player_n: i64, session_n: i64) -> impl Iterator<Item = Span> {
        let spans = self.by_player.get(&player_n).map_or(&[][..], Vec::as_slice);
        spans.iter().filter(move |(of, _)| *of != session_n).map(|(_, span)| *span)
    }
}

impl LatestSession {
    /// Counts the time since the player was last seen here, except what another public server has reported already: a moment
    /// counts once, for the server that reports it first.
    pub fn extend(&self, sighting: &PlayerSighting, player: &mut KnownPlayer, counted: [&CountedTime; 2]) -> Self {
        let at = sighting.at;
        let gain = seconds(self.joined_at, at) - seconds(self.joined_at, self.left_at);
        let mut counted_gain = gain;
        if sighting.is_public {
            let start = self.counted_until();
            let others = counted.iter().flat_map(|counted| counted.besides(player.n, self.n)).collect();
            counted_gain = uncovered_seconds((start, start + gain * SECOND), others);
            player.totals.play_time_s += counted_gain;
            player.played_until = player.played_until.max(at);
        }
        let full_time = self.full_time.unwrap_or(self.play_time) + gain;
        let play_time = self.play_time + counted_gain;
        let full_time = (full_time != play_time).then_some(full_time);
        Self { left_at: at, play_time, full_time, waiting: 0, ..self.clone() }
    }
}

/// Whether another server may have reported time after this session was last seen.
pub(super) fn is_shared(player: &KnownPlayer, session: &LatestSession) -> bool {
    let seen_until = player.played_until.max(player.last_seen_at);
    // An imported session may have less time than it lasted.
    seen_until > session.left_at || session.left_at - session.counted_until() >= SECOND
}

/// The seconds of a span that none of the others covers. Rounded by the clock, so that adjacent spans lose nothing between them.
pub(super) fn uncovered_seconds((start, end): Span, mut others: Vec<Span>) -> i64 {
    others.sort_unstable();
    let seconds = |from: i64, to: i64| (to.div_euclid(SECOND) - from.div_euclid(SECOND)).max(0);
    let (mut covered_until, mut total) = (start, 0);
    for (from, to) in others {
        total += seconds(covered_until, from.min(end));
        covered_until = covered_until.max(to);
    }
    total + seconds(covered_until, end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_that_no_other_span_covers_counts() {
        let s = |from: i64, to: i64| (from * SECOND, to * SECOND);
        for (others, expected) in [
            (vec![], 100),
            (vec![s(20, 50)], 70),
            (vec![s(60, 80), s(20, 50), s(30, 40)], 50),
            (vec![s(0, 10), s(100, 130), s(-50, 0)], 90),
            (vec![s(-10, 200), s(20, 50)], 0),
            (vec![s(90, 300), s(200, 250)], 90),
        ] {
            assert_eq!(uncovered_seconds(s(0, 100), others.clone()), expected, "{others:?}");
        }
    }

    #[test]
    fn alternating_servers_lose_no_parts_of_seconds() {
        let half = 30_500;
        let total: i64 =
            (0..100).map(|i| uncovered_seconds((i * half, (i + 2) * half), vec![(0, (i + 1) * half)])).sum();
        assert_eq!(total, 101 * half / SECOND - half / SECOND);
    }
}
