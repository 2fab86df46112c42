//! Keeps the leaderboards: who moved is added up again from his rows, everybody else stays.
//!
//! A player moves when his row changed (a session that begins or goes on changes its player's totals, and every change
//! stamps its row), when something he did enters or leaves a window, and when a server he played on is shown or hidden.

use std::sync::Arc;

use super::leaderboard::Moved;
use super::leaderboards::{AsOf, BOARDS, Boards, Points};
use super::period_totals::{Tally, Windows};
use super::row_ids::Numbers;
use rollcall_model::score::RankInput;
use rollcall_search::Bits;
use rollcall_store::{Conn, Result, players, servers, sessions, stats};

/// Players whose rows are read at once.
const AT_ONCE: usize = 2048;
/// When more servers than this were shown or hidden, everybody is looked at instead of those who played there.
const FEW_SERVERS: usize = 64;

/// What players are ranked by of all time, asked for by their places or by their numbers, which are in the same order.
pub trait AllTime: Fn(&mut Conn, &[u32], &[i64]) -> Result<Vec<RankInput>> {}
impl<T: Fn(&mut Conn, &[u32], &[i64]) -> Result<Vec<RankInput>>> AllTime for T {}

/// The boards of everybody, from their points in the order of their numbers. `rev` is what those know of.
pub fn build(numbers: &Numbers, points: Points, hidden: &[i64], rev: i64, now: i64) -> Boards {
    let moved = Moved { numbers, places: &numbers.rising(), set: &Bits::all(numbers.len()) };
    Boards::build(&moved, points, AsOf { at: now, rev, hidden: hidden.to_vec() })
}

/// What brings boards up to now. To be called in one snapshot, so that who moved and what he did fit together.
pub fn moves(conn: &mut Conn, was: &Boards, numbers: Arc<Numbers>, rev: i64, now: i64) -> Result<Moves> {
    let hidden = servers::hidden(conn)?;
    let set = moved(conn, &was.as_of, &numbers, &hidden, now)?;
    let mut places: Vec<u32> = set.iter().collect();
    places.sort_unstable_by_key(|&place| numbers.number(place));
    let all_time = |conn: &mut Conn, _: &[u32], who: &[i64]| players::rank_inputs(conn, who);
    let points = count(conn, &numbers, &places, &hidden, &all_time, now)?;
    Ok(Moves { numbers, places, set, points, as_of: AsOf { at: now, rev, hidden } })
}

/// Players who moved, and what they have now.
pub struct Moves {
    numbers: Arc<Numbers>,
    places: Vec<u32>,
    set: Bits,
    points: Points,
    as_of: AsOf,
}

impl Moves {
    /// The boards with one more of them brought up to now each time. All boards of a million players weigh a lot: whoever
    /// puts each of these in the place of the one before never holds two of everything.
    pub fn steps(mut self, was: Arc<Boards>) -> impl Iterator<Item = Arc<Boards>> {
        let (mut boards, mut left) = (was, BOARDS);
        let mut is_done = false;
        std::iter::from_fn(move || {
            if is_done {
                return None;
            }
            boards = Arc::new(match left.next().filter(|_| !self.places.is_empty()) {
                Some(board) => {
                    let moved = Moved { numbers: &self.numbers, places: &self.places, set: &self.set };
                    boards.with(board, &moved, &self.points.take(board), self.as_of.at)
                }
                None => {
                    is_done = true;
                    boards.as_of(std::mem::take(&mut self.as_of))
                }
            });
            Some(boards.clone())
        })
    }
}

/// The places of players whose points may not be what they were.
pub fn moved(conn: &mut Conn, was: &AsOf, numbers: &Numbers, hidden: &[i64], now: i64) -> Result<Bits> {
    let (windows, then) = (Windows::at(now), Windows::at(was.at));
    let since = windows.longest().min(then.longest());
    let turned = either(hidden, &was.hidden);
    if turned.len() > FEW_SERVERS {
        return Ok(Bits::all(numbers.len()));
    }
    let mut who = players::changed_numbers(conn, was.rev)?;
    for (from, to) in windows.crossed(&then) {
        who.extend(sessions::players_between(conn, from, to)?);
        who.extend(stats::players_between(conn, from, to)?);
    }
    if !turned.is_empty() {
        who.extend(sessions::players_on(conn, &turned, since)?);
        who.extend(stats::players_on(conn, &turned, since)?);
    }
    // Whoever is not in the directory yet has a newer rev than it, and moves again next time.
    let mut set = Bits::none(numbers.len());
    who.iter().filter_map(|&n| numbers.place(n)).for_each(|place| set.set(place, true));
    Ok(set)
}

/// What is in one of two rising lists but not in both.
fn either(a: &[i64], b: &[i64]) -> Vec<i64> {
    let lacks = |list: &[i64], n: &i64| list.binary_search(n).is_err();
    let of_a = a.iter().filter(|n| lacks(b, n));
    of_a.chain(b.iter().filter(|n| lacks(a, n))).copied().collect()
}

/// The points of `places`, which are in the order of their numbers.
pub fn count(
    conn: &mut Conn,
    numbers: &Numbers,
    places: &[u32],
    hidden: &[i64],
    all_time: &impl AllTime,
    now: i64,
) -> Result<Points> {
    let windows = Windows::at(now);
    let mut points = Points::for_players(places.len());
    for places in places.chunks(AT_ONCE) {
        let who: Vec<i64> = places.iter().map(|&place| numbers.number(place)).collect();
        let mut tally = Tally::new(windows, &who, hidden);
        sessions::of_players(conn, &who, windows.longest(), |visit| tally.visit(&visit))?;
        stats::of_players(conn, &who, windows.longest(), |gain| tally.gain(&gain))?;
        for (sums, all_time) in tally.finish().into_iter().zip(all_time(conn, places, &who)?) {
            // A tier is of no period; but nobody is on a board for his tier alone.
            let with_tier = |sum: RankInput| RankInput { tier_points: all_time.tier_points, ..sum };
            let [day, week, month, quarter] = sums.map(|sum| sum.map(with_tier));
            points.push(&[day, week, month, quarter, Some(all_time)]);
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests;
