//! Leaderboards of every metric and period, counted in the background and walked in memory.

use std::sync::{Arc, Mutex};

use super::leaderboard::{Board, Moved};
use xxhash_rust::xxh3::Xxh3Default;

use super::on_all_cores;
use rollcall_model::period::Period;
use rollcall_model::score::{self, RankInput};

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

/// What stands at a moment. Each is exchanged for itself, and shared with those of the moment before until then.
#[derive(Clone, Default)]
pub struct Boards {
    pub(super) as_of: AsOf,
    boards: [Arc<Board>; COUNT],
    generated_at: [i64; COUNT],
}

/// What all boards know of the store.
#[derive(Clone, Default)]
pub(super) struct AsOf {
    /// What entered or left a period up to then is counted in.
    pub at: i64,
    /// Changes of players up to this one are counted in.
    pub rev: i64,
    /// The servers that do not count, rising.
    pub hidden: Vec<i64>,
}

/// Which board, by its index.
pub(super) const BOARDS: std::ops::Range<usize> = 0..COUNT;

impl Boards {
    /// A board, and when it was brought up to date.
    pub fn get(&self, metric: Metric, period: Period) -> (&Board, i64) {
        let i = index(metric, period);
        (&self.boards[i], self.generated_at[i])
    }

    /// Everybody's, made on all cores.
    pub(super) fn build(everybody: &Moved, points: Points, as_of: AsOf) -> Self {
        // Let go of one by one: for a million players, all of them are as large as the boards.
        let left = Mutex::new(BOARDS.zip(points.0).collect::<Vec<_>>());
        let make = || {
            let mut made = Vec::new();
            let next = || left.lock().expect("nothing panics under this lock").pop();
            while let Some((i, points)) = next() {
                made.push((i, Arc::new(Board::default().after(everybody, &points, unit(i)))));
            }
            made
        };
        let mut boards = Self::default();
        for (i, board) in on_all_cores(make).into_iter().flatten() {
            boards.boards[i] = board;
        }
        boards.as_of(as_of)
    }

    /// With one board of a later moment, after some players moved.
    pub(super) fn with(&self, board: usize, moved: &Moved, points: &[u32], at: i64) -> Self {
        let mut boards = self.clone();
        boards.boards[board] = Arc::new(self.boards[board].after(moved, points, unit(board)));
        boards.generated_at[board] = at;
        boards
    }

    /// What everybody has on one board, by their places.
    pub(super) fn points(&self, board: usize, players: usize) -> Vec<u32> {
        let mut points = vec![0; players];
        self.boards[board].each(|place, its| {
            if let Some(point) = points.get_mut(place as usize) {
                *point = its;
            }
        });
        points
    }

    /// When all of them are of that moment.
    pub(super) fn as_of(&self, as_of: AsOf) -> Self {
        Self { generated_at: [as_of.at; COUNT], as_of, boards: self.boards.clone() }
    }
}

/// Another number when points are reckoned by other rules, so that those of before are not gone on from.
pub(super) fn reckoning() -> i64 {
    let some = |i: i64| RankInput {
        play_time_s: 12_345 * i,
        sessions: i,
        servers: i * i,
        kills: 7 * i,
        wins: 3 * i,
        tier_points: 11 * i,
    };
    let mut hasher = Xxh3Default::new();
    for input in (0..16).map(some) {
        Metric::ALL.iter().for_each(|metric| hasher.update(&metric.points(&input).to_le_bytes()));
    }
    let spans = Period::ALL.map(|period| period.since(0));
    spans.iter().for_each(|since| hasher.update(&since.to_le_bytes()));
    hasher.digest().cast_signed()
}

/// In the order of their indices.
fn all() -> impl Iterator<Item = (Metric, Period)> {
    Metric::ALL.into_iter().flat_map(|metric| Period::ALL.map(|period| (metric, period)))
}

fn unit(board: usize) -> u32 {
    Metric::ALL[board / PERIODS].unit()
}

/// The points of some players on every board.
#[derive(Default)]
pub(super) struct Points([Vec<u32>; COUNT]);

impl Points {
    pub fn for_players(count: usize) -> Self {
        Self(std::array::from_fn(|_| Vec::with_capacity(count)))
    }

    /// As if nobody had any, to be put in.
    pub fn of_nobody(count: usize) -> Self {
        Self(std::array::from_fn(|_| vec![0; count]))
    }

    /// One list for each board.
    pub fn of_boards(lists: Vec<Vec<u32>>) -> Option<Self> {
        lists.try_into().ok().map(Self)
    }

    /// Each taken from where it stood, or none.
    pub fn rearranged(mut self, from: &[Option<u32>]) -> Self {
        let stays = |(i, from): (u32, &Option<u32>)| *from == Some(i);
        if self.0.iter().all(|points| points.len() == from.len()) && (0u32..).zip(from).all(stays) {
            return self;
        }
        for points in &mut self.0 {
            *points = from.iter().map(|from| from.map_or(0, |from| points[from as usize])).collect();
        }
        self
    }

    /// Puts in those of some players, each at their index.
    pub fn put(&mut self, indices: &[u32], some: &Self) {
        for (all, some) in self.0.iter_mut().zip(&some.0) {
            indices.iter().zip(some).for_each(|(&i, &points)| all[i as usize] = points);
        }
    }

    /// Those of one board, which are gone from here then.
    pub fn take(&mut self, board: usize) -> Vec<u32> {
        std::mem::take(&mut self.0[board])
    }

    /// One more player, with what he did in each period, from the shortest to all time.
    pub fn push(&mut self, inputs: &[Option<RankInput>; PERIODS]) {
        for (metric, period) in all() {
            self.0[index(metric, period)].push(inputs[period as usize].map_or(0, |input| metric.points(&input)));
        }
    }
}
