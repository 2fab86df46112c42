//! The leaderboards of every metric and period.

use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use super::leaderboard::{ChangedPlayers, RankedPlayers};
use super::on_all_cores;
use rollcall_model::period::Period;
use rollcall_model::score::{self, RankInput};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum LeaderboardMetric {
    Best,
    Sessions,
    Servers,
}

/// Scores have two decimals.
const POINTS_PER_SCORE: u32 = 100;

impl LeaderboardMetric {
    pub const ALL: [LeaderboardMetric; 3] = [Self::Best, Self::Sessions, Self::Servers];

    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Sessions => "sessions",
            Self::Servers => "servers",
        }
    }

    /// Points for a displayed value of 1.
    fn points_per_unit(self) -> u32 {
        match self {
            Self::Best => POINTS_PER_SCORE,
            Self::Sessions | Self::Servers => 1,
        }
    }

    /// The ranked value as an integer. Saturates at a score of 40 million, which no player reaches.
    fn points(self, input: &RankInput) -> u32 {
        match self {
            Self::Best => (score::rank_score(input) * f64::from(POINTS_PER_SCORE)).round() as u32,
            Self::Sessions => input.sessions.clamp(0, u32::MAX.into()) as u32,
            Self::Servers => input.servers.clamp(0, u32::MAX.into()) as u32,
        }
    }
}

const PERIODS: usize = Period::ALL.len();
const COUNT: usize = LeaderboardMetric::ALL.len() * PERIODS;

/// The indexes of all leaderboards.
pub(super) const ALL_INDEXES: std::ops::Range<usize> = 0..COUNT;

fn index_of(metric: LeaderboardMetric, period: Period) -> usize {
    metric as usize * PERIODS + period as usize
}

/// All leaderboards at one time. An update replaces one after the other; the rest is shared with the version before.
#[derive(Clone, Default)]
pub struct Leaderboards {
    pub(super) version: LeaderboardVersion,
    boards: [Arc<RankedPlayers>; COUNT],
    generated_at: [i64; COUNT],
}

/// The state of the store that all leaderboards contain.
#[derive(Clone, Default)]
pub(super) struct LeaderboardVersion {
    /// The time at which the periods end.
    pub at: i64,
    /// Changes of players up to this `rev` are contained.
    pub rev: i64,
    /// Database keys of the servers that do not count, ascending.
    pub hidden_servers: Vec<i64>,
}

impl Leaderboards {
    /// A leaderboard, and the time of its last update.
    pub fn get(&self, metric: LeaderboardMetric, period: Period) -> (&RankedPlayers, i64) {
        let i = index_of(metric, period);
        (&self.boards[i], self.generated_at[i])
    }

    /// Builds all leaderboards from scratch, on all cores.
    pub(super) fn build(all_players: &ChangedPlayers, points: LeaderboardPoints, version: LeaderboardVersion) -> Self {
        // Each board's points are freed after use: for a million players, they are as large as the leaderboards.
        let remaining = Mutex::new(ALL_INDEXES.zip(points.0).collect::<Vec<_>>());
        let build_boards = || {
            let mut built = Vec::new();
            let next = || remaining.lock().expect("no thread panics while it holds this lock").pop();
            while let Some((i, points)) = next() {
                let board = RankedPlayers::default().updated(all_players, &points, points_per_unit(i));
                built.push((i, Arc::new(board)));
            }
            built
        };
        let mut leaderboards = Self::default();
        for (i, board) in on_all_cores(build_boards).into_iter().flatten() {
            leaderboards.boards[i] = board;
        }
        leaderboards.with_version(version)
    }

    /// A copy in which one leaderboard is updated.
    pub(super) fn with_updated(&self, index: usize, changed: &ChangedPlayers, points: &[u32], at: i64) -> Self {
        let mut leaderboards = self.clone();
        leaderboards.boards[index] = Arc::new(self.boards[index].updated(changed, points, points_per_unit(index)));
        leaderboards.generated_at[index] = at;
        leaderboards
    }

    /// A copy that is marked as this version. Every leaderboard must be updated to it.
    pub(super) fn with_version(&self, version: LeaderboardVersion) -> Self {
        Self { generated_at: [version.at; COUNT], version, boards: self.boards.clone() }
    }

    /// The points of all players on one leaderboard, by row.
    pub(super) fn points(&self, index: usize, player_count: usize) -> Vec<u32> {
        let mut all_points = vec![0; player_count];
        self.boards[index].for_each(|row, points| {
            if let Some(slot) = all_points.get_mut(row as usize) {
                *slot = points;
            }
        });
        all_points
    }
}

/// A hash that changes with the scoring rules, so that points from older rules are not used.
pub(super) fn scoring_version() -> i64 {
    let sample_input = |i: i64| RankInput {
        play_time_s: 12_345 * i,
        sessions: i,
        servers: i * i,
        kills: 7 * i,
        wins: 3 * i,
        tier_points: 11 * i,
    };
    let mut hasher = Xxh3Default::new();
    for input in (0..16).map(sample_input) {
        LeaderboardMetric::ALL.iter().for_each(|metric| hasher.update(&metric.points(&input).to_le_bytes()));
    }
    let starts = Period::ALL.map(|period| period.since(0));
    starts.iter().for_each(|since| hasher.update(&since.to_le_bytes()));
    hasher.digest().cast_signed()
}

/// In the order of their indexes.
fn all_boards() -> impl Iterator<Item = (LeaderboardMetric, Period)> {
    LeaderboardMetric::ALL.into_iter().flat_map(|metric| Period::ALL.map(|period| (metric, period)))
}

fn points_per_unit(index: usize) -> u32 {
    LeaderboardMetric::ALL[index / PERIODS].points_per_unit()
}

/// The points of some players: one list for each leaderboard.
#[derive(Default)]
pub(super) struct LeaderboardPoints([Vec<u32>; COUNT]);

impl LeaderboardPoints {
    pub fn with_capacity(players: usize) -> Self {
        Self(std::array::from_fn(|_| Vec::with_capacity(players)))
    }

    pub fn zeros(players: usize) -> Self {
        Self(std::array::from_fn(|_| vec![0; players]))
    }

    /// `None` if the number of lists is wrong.
    pub fn from_lists(lists: Vec<Vec<u32>>) -> Option<Self> {
        lists.try_into().ok().map(Self)
    }

    /// Reorders the players: the new element `i` is the old element `from[i]`, or 0 for `None`.
    pub fn reordered(mut self, from: &[Option<u32>]) -> Self {
        let is_unmoved = |(i, from): (u32, &Option<u32>)| *from == Some(i);
        if self.0.iter().all(|points| points.len() == from.len()) && (0u32..).zip(from).all(is_unmoved) {
            return self;
        }
        for points in &mut self.0 {
            *points = from.iter().map(|from| from.map_or(0, |from| points[from as usize])).collect();
        }
        self
    }

    /// Overwrites the points of the players at these indexes.
    pub fn overwrite(&mut self, indexes: &[u32], new: &Self) {
        for (all, new) in self.0.iter_mut().zip(&new.0) {
            indexes.iter().zip(new).for_each(|(&i, &points)| all[i as usize] = points);
        }
    }

    /// Moves the points of one leaderboard out.
    pub fn take(&mut self, index: usize) -> Vec<u32> {
        std::mem::take(&mut self.0[index])
    }

    /// Adds a player with their totals of each period, from the shortest to all time.
    pub fn push(&mut self, inputs: &[Option<RankInput>; PERIODS]) {
        for (metric, period) in all_boards() {
            self.0[index_of(metric, period)].push(inputs[period as usize].map_or(0, |input| metric.points(&input)));
        }
    }
}
