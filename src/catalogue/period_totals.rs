//! Adds up what some players did in each period that ends now, from their rows.

use rollcall_model::period::Period;
use rollcall_model::score::RankInput;
use rollcall_store::sessions::Visit;
use rollcall_store::stats::Gain;

/// Periods that end: all but the last, all time.
pub const WINDOWS: usize = Period::ALL.len() - 1;

/// When each period that ends at some moment began, the shortest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows([i64; WINDOWS]);

impl Windows {
    pub fn at(now: i64) -> Self {
        Self(std::array::from_fn(|i| Period::ALL[i].since(now)))
    }

    pub fn longest(&self) -> i64 {
        self.0[WINDOWS - 1]
    }

    /// The shortest that a moment is in; the longer ones hold it, too.
    fn shortest(&self, at: i64) -> Option<usize> {
        self.0.iter().position(|since| at >= *since)
    }

    /// Spans of time that are in a window now and were not then, or the other way round.
    pub fn crossed(&self, then: &Self) -> impl Iterator<Item = (i64, i64)> {
        std::iter::zip(self.0, then.0).filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)))
    }
}

pub struct Tally<'a> {
    windows: Windows,
    /// Whose rows are added up, rising.
    numbers: &'a [i64],
    /// Servers that do not count, rising.
    hidden: &'a [i64],
    /// What happened in each window and in no shorter one; nothing where there is no row.
    sums: Vec<[Option<RankInput>; WINDOWS]>,
    /// Where the last row belonged.
    last: usize,
    /// Who visited last, and where he was, in which shortest window.
    visitor: usize,
    seen: Vec<(i64, usize)>,
}

impl<'a> Tally<'a> {
    pub fn new(windows: Windows, numbers: &'a [i64], hidden: &'a [i64]) -> Self {
        let sums = vec![[None; WINDOWS]; numbers.len()];
        Self { windows, numbers, hidden, sums, last: 0, visitor: 0, seen: Vec::new() }
    }

    /// Visits of one player come one after the other.
    pub fn visit(&mut self, visit: &Visit) {
        if let Some((who, window)) = self.counts(visit.player_n, visit.server_n, visit.joined_at) {
            let sum = self.sums[who][window].get_or_insert_default();
            sum.play_time_s = sum.play_time_s.saturating_add(visit.play_time);
            sum.sessions += 1;
            if self.visitor != who {
                self.count_servers();
                self.visitor = who;
            }
            self.seen.push((visit.server_n, window));
        }
    }

    pub fn gain(&mut self, gain: &Gain) {
        if let Some((who, window)) = self.counts(gain.player_n, gain.server_n, gain.at) {
            let sum = self.sums[who][window].get_or_insert_default();
            sum.kills = sum.kills.saturating_add(gain.kills);
            sum.wins = sum.wins.saturating_add(gain.wins);
        }
    }

    /// Whose row it is, and in which window, if it counts at all.
    fn counts(&mut self, player_n: i64, server_n: i64, at: i64) -> Option<(usize, usize)> {
        if self.numbers.get(self.last) != Some(&player_n) {
            self.last = self.numbers.binary_search(&player_n).ok()?;
        }
        if self.hidden.binary_search(&server_n).is_ok() {
            return None;
        }
        Some((self.last, self.windows.shortest(at)?))
    }

    fn count_servers(&mut self) {
        // Of each server the shortest window is the first, and the one that it is new in.
        self.seen.sort_unstable();
        self.seen.dedup_by_key(|&mut (server, _)| server);
        for (_, window) in self.seen.drain(..) {
            self.sums[self.visitor][window].get_or_insert_default().servers += 1;
        }
    }

    /// The sums of every window, in the order of the numbers.
    pub fn finish(mut self) -> Vec<[Option<RankInput>; WINDOWS]> {
        self.count_servers();
        for sums in &mut self.sums {
            for window in 1..WINDOWS {
                let Some(shorter) = sums[window - 1] else { continue };
                let sum = sums[window].get_or_insert_default();
                sum.play_time_s = sum.play_time_s.saturating_add(shorter.play_time_s);
                sum.sessions += shorter.sessions;
                sum.servers += shorter.servers;
                sum.kills = sum.kills.saturating_add(shorter.kills);
                sum.wins = sum.wins.saturating_add(shorter.wins);
            }
        }
        self.sums
    }
}
