//! Leaderboards of every metric and period, counted in the background and walked in memory.

use std::sync::{Arc, Mutex};

use super::board::{Board, Moved};
use super::on_all_cores;
use crate::model::period::Period;
use crate::model::score::{self, RankInput};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Metric {
    Best,
    Sessions,
    Servers,
}

/// Scores have two decimals.
const SCORE_UNIT: u32 = 100;

impl Metric {
    pub const ALL: [Metric; 3] = [Self::Best, Self::Sessions, Self::Servers];

    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Sessions => "sessions",
            Self::Servers => "servers",
        }
    }

    /// Points of one whole unit.
    fn unit(self) -> u32 {
        match self {
            Self::Best => SCORE_UNIT,
            Self::Sessions | Self::Servers => 1,
        }
    }

    /// What is ranked, as a whole number. A score of 40 million, beyond which all are the same, is no player's.
    fn points(self, input: &RankInput) -> u32 {
        match self {
            Self::Best => (score::rank_score(input) * f64::from(SCORE_UNIT)).round() as u32,
            Self::Sessions => input.sessions.clamp(0, u32::MAX.into()) as u32,
            Self::Servers => input.servers.clamp(0, u32::MAX.into()) as u32,
        }
    }
}

const PERIODS: usize = Period::ALL.len();
const COUNT: usize = Metric::ALL.len() * PERIODS;

fn index(metric: Metric, period: Period) -> usize {
    metric as usize * PERIODS + period as usize
}

/// What stands at a moment. Boards on which nobody moved are shared with those of the moment before.
#[derive(Clone, Default)]
pub struct Boards {
    pub generated_at: i64,
    pub(super) as_of: AsOf,
    boards: [Arc<Board>; COUNT],
}

/// What the boards know of the store.
#[derive(Clone, Default)]
pub(super) struct AsOf {
    /// Changes of players up to this one are counted in.
    pub rev: i64,
    /// The servers that do not count, rising.
    pub hidden: Vec<i64>,
}

impl Boards {
    pub fn get(&self, metric: Metric, period: Period) -> Option<&Board> {
        self.boards.get(index(metric, period)).map(|board| &**board)
    }

    /// The boards of a later moment, after some players moved; made on all cores, since everybody may have.
    pub(super) fn after(&self, moved: &Moved, points: Points, as_of: AsOf, now: i64) -> Self {
        let mut boards = Self { generated_at: now, as_of, boards: self.boards.clone() };
        if moved.places.is_empty() {
            return boards;
        }
        // Let go of one by one: for a million players, all of them are as large as the boards.
        let left = Mutex::new(all().zip(points.0).collect::<Vec<_>>());
        let make = || {
            let mut made = Vec::new();
            let next = || left.lock().expect("nothing panics under this lock").pop();
            while let Some(((metric, period), points)) = next() {
                let i = index(metric, period);
                made.push((i, Arc::new(self.boards[i].after(moved, &points, metric.unit()))));
            }
            made
        };
        for (i, board) in on_all_cores(make).into_iter().flatten() {
            boards.boards[i] = board;
        }
        boards
    }
}

fn all() -> impl Iterator<Item = (Metric, Period)> {
    Metric::ALL.into_iter().flat_map(|metric| Period::ALL.map(|period| (metric, period)))
}

/// The points of some players on every board.
#[derive(Default)]
pub(super) struct Points([Vec<u32>; COUNT]);

impl Points {
    pub fn for_players(count: usize) -> Self {
        Self(std::array::from_fn(|_| Vec::with_capacity(count)))
    }

    /// More players, who come after these.
    pub fn append(&mut self, mut more: Self) {
        for (points, more) in self.0.iter_mut().zip(&mut more.0) {
            points.append(more);
        }
    }

    /// One more player, with what he did in each period, from the shortest to all time.
    pub fn push(&mut self, inputs: &[Option<RankInput>; PERIODS]) {
        for (metric, period) in all() {
            self.0[index(metric, period)].push(inputs[period as usize].map_or(0, |input| metric.points(&input)));
        }
    }
}
