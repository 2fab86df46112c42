//! How many rows of each kind a generated world has.

use rollcall_model::time::{DAY, HOUR, MINUTE};

#[derive(Clone, Debug)]
pub struct WorldSize {
    pub servers: usize,
    pub players: usize,
    pub votes: usize,
    pub reviews: usize,
    pub posts: usize,
    pub sessions: usize,
    pub accounts: usize,
    pub skins: usize,
    pub capes: usize,
    /// How many days sessions, votes and daily stats go back.
    pub days: i64,
    /// Time between two samples. Roll-ups are computed from these, so no roll-up can be finer.
    pub raw_interval_ms: i64,
    /// How long raw samples, five-minute and hourly roll-ups go back.
    pub raw_ms: i64,
    pub five_minutes_ms: i64,
    pub hours_ms: i64,
    /// Every n-th player has reported stats.
    pub stats_every: usize,
    /// Whether the tracker pings the servers.
    pub tracked: bool,
}

/// In bulk data, a player starts a session about this often.
const DAYS_PER_SESSION: i64 = 15;
const MIN_DAYS: i64 = 30;
const MAX_DAYS: i64 = 100;

impl WorldSize {
    /// The size of `rollcall demo`: generated within seconds.
    pub fn demo() -> Self {
        Self {
            servers: 250,
            players: 3_000,
            votes: 60_000,
            reviews: 2_400,
            posts: 900,
            sessions: 40_000,
            accounts: 300,
            skins: 200,
            capes: 80,
            days: 90,
            raw_interval_ms: 2 * MINUTE,
            raw_ms: 48 * HOUR,
            five_minutes_ms: 14 * DAY,
            hours_ms: 90 * DAY,
            stats_every: 1,
            tracked: true,
        }
    }

    /// Every kind of row that the demo has, but few of each.
    pub fn tests() -> Self {
        Self {
            servers: 40,
            players: 200,
            votes: 2_000,
            reviews: 200,
            posts: 120,
            sessions: 1_500,
            accounts: 40,
            skins: 24,
            capes: 12,
            days: 14,
            raw_interval_ms: 10 * MINUTE,
            raw_ms: 48 * HOUR,
            five_minutes_ms: 3 * DAY,
            hours_ms: 14 * DAY,
            stats_every: 1,
            tracked: true,
        }
    }

    /// Bulk data for measurements: many rows, but a short and coarse sample history. More sessions per player go further
    /// back, past the longest period that the API offers.
    pub fn bulk(servers: usize, players: usize, votes: usize, sessions_each: usize) -> Self {
        Self {
            servers,
            players,
            votes,
            reviews: votes / 50,
            posts: servers / 5,
            sessions: players * sessions_each,
            accounts: (players / 200).clamp(10, 5_000),
            skins: (players / 50).clamp(8, 1_800),
            capes: (players / 250).clamp(4, 400),
            days: (DAYS_PER_SESSION * sessions_each as i64).clamp(MIN_DAYS, MAX_DAYS),
            raw_interval_ms: HOUR,
            raw_ms: 0,
            five_minutes_ms: 0,
            hours_ms: 48 * HOUR,
            stats_every: 5,
            tracked: false,
        }
    }

    /// The approximate number of rows, for the progress bar.
    pub fn rows(&self) -> u64 {
        let samples = |span: i64, step: i64| (span / step) as u64;
        let history = samples(self.raw_ms, self.raw_interval_ms)
            + samples(self.five_minutes_ms, 5 * MINUTE)
            + samples(self.hours_ms, HOUR)
            + self.days as u64
            + 1;
        self.servers as u64 * (history + 1)
            + (self.players * 2 + self.votes + self.reviews + self.posts + self.sessions) as u64
            + (self.sessions / self.stats_every) as u64
    }
}
