//! Updates the leaderboards incrementally: computes the points of changed players again and keeps all others.
//!
//! A player changes when their row changes (a session also changes the totals of its player, and every change raises the
//! row's `rev`), when a session or stat gain enters or leaves a period, and when a server they played on is shown or hidden.

use std::sync::Arc;

use super::leaderboard::ChangedPlayers;
use super::leaderboards::{ALL_INDEXES, LeaderboardPoints, LeaderboardVersion, Leaderboards};
use super::period_totals::{PeriodStarts, PeriodTotals};
use super::row_ids::RowIds;
use rollcall_model::score::RankInput;
use rollcall_search::BitSet;
use rollcall_store::{Conn, Result, player_sessions, player_stats, players, servers};

/// Players whose sessions and stats are read at once.
const BATCH_SIZE: usize = 2048;
/// If more servers than this were shown or hidden, all players count as changed.
const MAX_TOGGLED_SERVERS: usize = 64;

/// Returns the all-time totals of players, given by their rows and by their database keys in the same order.
pub trait AllTimeTotals: Fn(&mut Conn, &[u32], &[i64]) -> Result<Vec<RankInput>> {}
impl<T: Fn(&mut Conn, &[u32], &[i64]) -> Result<Vec<RankInput>>> AllTimeTotals for T {}

/// Builds the leaderboards from the points of all players, sorted by `n`. The points contain changes up to `rev`.
pub fn build(row_ids: &RowIds, points: LeaderboardPoints, hidden: &[i64], rev: i64, now: i64) -> Leaderboards {
    let all = ChangedPlayers { row_ids, rows: &row_ids.rows_by_n(), set: &BitSet::full(row_ids.len()) };
    Leaderboards::build(&all, points, LeaderboardVersion { at: now, rev, hidden_servers: hidden.to_vec() })
}

/// Prepares an update of `current` to now. Must run in one database snapshot, so that the changed players and their points
/// are consistent.
pub fn prepare(
    conn: &mut Conn,
    current: &Leaderboards,
    row_ids: Arc<RowIds>,
    rev: i64,
    now: i64,
) -> Result<LeaderboardUpdate> {
    let hidden_servers = servers::hidden(conn)?;
    let set = changed_players(conn, &current.version, &row_ids, &hidden_servers, now)?;
    let mut rows: Vec<u32> = set.iter().collect();
    rows.sort_unstable_by_key(|&row| row_ids.n_of(row));
    let all_time = |conn: &mut Conn, _: &[u32], keys: &[i64]| players::rank_inputs(conn, keys);
    let points = compute_points(conn, &row_ids, &rows, &hidden_servers, &all_time, now)?;
    Ok(LeaderboardUpdate { row_ids, rows, set, points, version: LeaderboardVersion { at: now, rev, hidden_servers } })
}

/// The changed players with their new points.
pub struct LeaderboardUpdate {
    row_ids: Arc<RowIds>,
    /// Sorted by `n`.
    rows: Vec<u32>,
    set: BitSet,
    points: LeaderboardPoints,
    version: LeaderboardVersion,
}

impl LeaderboardUpdate {
    /// Yields the leaderboards with one more of them updated each time. A caller that installs each step never holds two
    /// versions of all leaderboards, which are large for a million players.
    pub fn steps(mut self, current: Arc<Leaderboards>) -> impl Iterator<Item = Arc<Leaderboards>> {
        let (mut leaderboards, mut remaining) = (current, ALL_INDEXES);
        let mut is_done = false;
        std::iter::from_fn(move || {
            if is_done {
                return None;
            }
            leaderboards = Arc::new(match remaining.next().filter(|_| !self.rows.is_empty()) {
                Some(index) => {
                    let changed = ChangedPlayers { row_ids: &self.row_ids, rows: &self.rows, set: &self.set };
                    leaderboards.with_updated(index, &changed, &self.points.take(index), self.version.at)
                }
                None => {
                    is_done = true;
                    leaderboards.with_version(std::mem::take(&mut self.version))
                }
            });
            Some(leaderboards.clone())
        })
    }
}

/// The rows of players whose points may differ from those of `version`.
pub fn changed_players(
    conn: &mut Conn,
    version: &LeaderboardVersion,
    row_ids: &RowIds,
    hidden_servers: &[i64],
    now: i64,
) -> Result<BitSet> {
    let (starts, old_starts) = (PeriodStarts::at(now), PeriodStarts::at(version.at));
    let since = starts.earliest().min(old_starts.earliest());
    let toggled = symmetric_difference(hidden_servers, &version.hidden_servers);
    if toggled.len() > MAX_TOGGLED_SERVERS {
        return Ok(BitSet::full(row_ids.len()));
    }
    let mut keys = players::changed_numbers(conn, version.rev)?;
    for (from, to) in starts.crossed_since(&old_starts) {
        keys.extend(player_sessions::players_between(conn, from, to)?);
        keys.extend(player_stats::players_between(conn, from, to)?);
    }
    if !toggled.is_empty() {
        keys.extend(player_sessions::players_on(conn, &toggled, since)?);
        keys.extend(player_stats::players_on(conn, &toggled, since)?);
    }
    // A player that is not in the directory yet has a newer `rev`, and is part of the next update.
    let mut set = BitSet::empty(row_ids.len());
    keys.iter().filter_map(|&n| row_ids.row_of(n)).for_each(|row| set.set(row, true));
    Ok(set)
}

/// The elements in exactly one of two ascending lists.
fn symmetric_difference(a: &[i64], b: &[i64]) -> Vec<i64> {
    let is_missing = |list: &[i64], n: &i64| list.binary_search(n).is_err();
    let only_a = a.iter().filter(|n| is_missing(b, n));
    only_a.chain(b.iter().filter(|n| is_missing(a, n))).copied().collect()
}

/// The points of `rows`, which must be sorted by `n`.
pub fn compute_points(
    conn: &mut Conn,
    row_ids: &RowIds,
    rows: &[u32],
    hidden_servers: &[i64],
    all_time: &impl AllTimeTotals,
    now: i64,
) -> Result<LeaderboardPoints> {
    let starts = PeriodStarts::at(now);
    let mut points = LeaderboardPoints::with_capacity(rows.len());
    for rows in rows.chunks(BATCH_SIZE) {
        let keys: Vec<i64> = rows.iter().map(|&row| row_ids.n_of(row)).collect();
        let mut totals = PeriodTotals::new(starts, &keys, hidden_servers);
        player_sessions::of_players(conn, &keys, starts.earliest(), |session| totals.add_session(&session))?;
        player_stats::of_players(conn, &keys, starts.earliest(), |gain| totals.add_stat_gain(&gain))?;
        for (totals, all_time) in totals.finish().into_iter().zip(all_time(conn, rows, &keys)?) {
            // A tier belongs to no period. It counts only for players with activity in the period.
            let with_tier = |total: RankInput| RankInput { tier_points: all_time.tier_points, ..total };
            let [day, week, month, quarter] = totals.map(|total| total.map(with_tier));
            points.push(&[day, week, month, quarter, Some(all_time)]);
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests;
