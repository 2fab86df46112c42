//! Sums up sessions and stat gains of some players for each period that ends now.

use rollcall_model::period::Period;
use rollcall_model::score::RankInput;
use rollcall_store::player_sessions::CountedSession;
use rollcall_store::player_stats::StatGain;

/// The periods with a start: all but the last, all time.
const BOUNDED_PERIODS: usize = Period::ALL.len() - 1;

/// The start of each bounded period that ends at some time, shortest period first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeriodStarts([i64; BOUNDED_PERIODS]);

impl PeriodStarts {
    pub fn at(now: i64) -> Self {
        Self(std::array::from_fn(|i| Period::ALL[i].since(now)))
    }

    /// The start of the longest period.
    pub fn earliest(&self) -> i64 {
        self.0[BOUNDED_PERIODS - 1]
    }

    /// The shortest period that contains a time. All longer periods contain it, too.
    fn shortest_period(&self, at: i64) -> Option<usize> {
        self.0.iter().position(|since| at >= *since)
    }

    /// Time spans that are inside a period for one of the two starts and outside for the other.
    pub fn crossed_since(&self, earlier: &Self) -> impl Iterator<Item = (i64, i64)> {
        std::iter::zip(self.0, earlier.0).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)))
    }
}

pub struct PeriodTotals<'a> {
    starts: PeriodStarts,
    /// The database keys of the players, ascending.
    players: &'a [i64],
    /// The database keys of servers that do not count, ascending.
    hidden_servers: &'a [i64],
    /// For each player: totals of what is in a period but in no shorter one. `None` without any row.
    totals: Vec<[Option<RankInput>; BOUNDED_PERIODS]>,
    /// The player of the last row: rows of a player usually follow each other.
    last_player: usize,
    /// The player of the last session, and the servers of their sessions so far with the shortest period of each.
    session_player: usize,
    visited: Vec<(i64, usize)>,
}

impl<'a> PeriodTotals<'a> {
    pub fn new(starts: PeriodStarts, players: &'a [i64], hidden_servers: &'a [i64]) -> Self {
        let totals = vec![[None; BOUNDED_PERIODS]; players.len()];
        Self { starts, players, hidden_servers, totals, last_player: 0, session_player: 0, visited: Vec::new() }
    }

    /// All sessions of a player must arrive one after the other.
    pub fn add_session(&mut self, session: &CountedSession) {
        if let Some((player, period)) = self.locate(session.player_n, session.server_n, session.joined_at) {
            let total = self.totals[player][period].get_or_insert_default();
            total.play_time_s = total.play_time_s.saturating_add(session.play_time);
            total.sessions += 1;
            if self.session_player != player {
                self.count_servers();
                self.session_player = player;
            }
            self.visited.push((session.server_n, period));
        }
    }

    pub fn add_stat_gain(&mut self, gain: &StatGain) {
        if let Some((player, period)) = self.locate(gain.player_n, gain.server_n, gain.at) {
            let total = self.totals[player][period].get_or_insert_default();
            total.kills = total.kills.saturating_add(gain.kills);
            total.wins = total.wins.saturating_add(gain.wins);
        }
    }

    /// The player and the shortest period of a row, or `None` if it does not count.
    fn locate(&mut self, player_n: i64, server_n: i64, at: i64) -> Option<(usize, usize)> {
        if self.players.get(self.last_player) != Some(&player_n) {
            self.last_player = self.players.binary_search(&player_n).ok()?;
        }
        if self.hidden_servers.binary_search(&server_n).is_ok() {
            return None;
        }
        Some((self.last_player, self.starts.shortest_period(at)?))
    }

    /// Counts each visited server once, in the shortest period of its visits.
    fn count_servers(&mut self) {
        self.visited.sort_unstable();
        self.visited.dedup_by_key(|&mut (server, _)| server);
        for (_, period) in self.visited.drain(..) {
            self.totals[self.session_player][period].get_or_insert_default().servers += 1;
        }
    }

    /// The totals of every period for each player, in the order of `players`.
    pub fn finish(mut self) -> Vec<[Option<RankInput>; BOUNDED_PERIODS]> {
        self.count_servers();
        for totals in &mut self.totals {
            for period in 1..BOUNDED_PERIODS {
                let Some(shorter) = totals[period - 1] else { continue };
                let total = totals[period].get_or_insert_default();
                total.play_time_s = total.play_time_s.saturating_add(shorter.play_time_s);
                total.sessions += shorter.sessions;
                total.servers += shorter.servers;
                total.kills = total.kills.saturating_add(shorter.kills);
                total.wins = total.wins.saturating_add(shorter.wins);
            }
        }
        self.totals
    }
}
