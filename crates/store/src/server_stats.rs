//! Server figures computed from samples: uptime, trend, recent players.

use super::{Conn, Result, revision, sample_windows, servers};
use crate::values;
use rollcall_model::buckets::{FIVE_MINUTES, SampleBucket, Window, bucket_start};
use rollcall_model::period::Period;
use rollcall_model::score::{self, Mean};
use rollcall_model::time::DAY;

/// The period of the uptime; the API also shows it among the statistics per period.
pub const UPTIME_PERIOD: Period = Period::Month;
/// Trend compares the last 24 hours with the 24 before.
pub const TREND_WINDOW: i64 = DAY;
/// Servers per [`refresh`]: few enough to hold a connection for some milliseconds.
pub const REFRESH_BATCH: i64 = 64;

/// The figures of one server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecomputedStats {
    pub uptime: f64,
    pub trend: f64,
    pub recent_players: f64,
}

impl RecomputedStats {
    /// `two_days` includes `last_day`.
    fn new(uptime: &SampleBucket, last_day: &SampleBucket, two_days: &SampleBucket) -> Self {
        let recent = Mean { sum: last_day.player_ms, weight: last_day.watched_ms };
        let before = Mean { sum: two_days.player_ms - recent.sum, weight: two_days.watched_ms - recent.weight };
        Self {
            uptime: score::uptime(uptime.online_ms, uptime.watched_ms),
            trend: score::trend(recent, before),
            recent_players: last_day.average_players(1),
        }
    }
}

/// The servers numbered `from` to `to`, both included, whose stored figures are not those of `now`.
pub fn outdated(conn: &mut Conn, from: i64, to: i64, now: i64) -> Result<Vec<(i64, RecomputedStats)>> {
    let period = Window::since(UPTIME_PERIOD.since(now));
    let uptime = sample_windows::sums(conn, from, to, period)?;
    let last_day = sample_windows::sums(conn, from, to, Window::ending_at(now, TREND_WINDOW))?;
    let two_days = sample_windows::sums(conn, from, to, Window::ending_at(now, 2 * TREND_WINDOW))?;
    let stored = conn.query(
        "select n, uptime, trend, recent_players from servers where n >= $1 and n <= $2",
        values![from, to],
        |row| {
            (row.get::<i64>(0), RecomputedStats { uptime: row.get(1), trend: row.get(2), recent_players: row.get(3) })
        },
    )?;
    let none = SampleBucket::default();
    let current = stored.into_iter().filter_map(|(n, stored)| {
        let [uptime, last_day, two_days] = [&uptime, &last_day, &two_days].map(|sums| sums.get(&n).unwrap_or(&none));
        let stats = RecomputedStats::new(uptime, last_day, two_days);
        (stats != stored).then_some((n, stats))
    });
    Ok(current.collect())
}

/// Stores figures.
pub fn update(conn: &mut Conn, changed: &[(i64, RecomputedStats)]) -> Result<()> {
    if changed.is_empty() {
        return Ok(());
    }
    conn.transaction(|conn| {
        let rev = revision::bump(conn)?;
        for (n, stats) in changed {
            conn.execute(
                "update servers set uptime = $1, trend = $2, recent_players = $3, status_rev = $4 where n = $5",
                values![stats.uptime, stats.trend, stats.recent_players, rev, *n],
            )?;
        }
        servers::stamp_groups(conn, changed.iter().map(|(n, _)| *n), rev)
    })
}

/// Recomputes the servers numbered `from` to `to`, both included.
pub fn refresh(conn: &mut Conn, from: i64, to: i64, now: i64) -> Result<()> {
    let changed = outdated(conn, from, to, now)?;
    update(conn, &changed)
}

/// Inputs of the figures; while they stay equal, a [`refresh`] would change nothing. New samples also raise the
/// server's revision, and the windows move by five minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsInputs {
    slot: i64,
    rev: Option<i64>,
}

/// The inputs of the servers numbered `from` to `to`, both included.
pub fn inputs(conn: &mut Conn, from: i64, to: i64, now: i64) -> Result<StatsInputs> {
    let sql =
        "select max(case when status_rev > rev then status_rev else rev end) from servers where n >= $1 and n <= $2";
    let rev = conn.query_one(sql, values![from, to], |row| row.get(0))?;
    Ok(StatsInputs { slot: bucket_start(now - 1, FIVE_MINUTES), rev })
}

/// Recomputes all servers, after a bulk load.
pub fn refresh_all(conn: &mut Conn, now: i64) -> Result<()> {
    let last = max_server_n(conn)?;
    for from in (1..=last).step_by(REFRESH_BATCH as usize) {
        refresh(conn, from, from + REFRESH_BATCH - 1, now)?;
    }
    Ok(())
}

/// The highest server number; 0 without servers.
pub fn max_server_n(conn: &mut Conn) -> Result<i64> {
    conn.query_one("select coalesce(max(n), 0) from servers", &[], |row| row.get(0))
}
