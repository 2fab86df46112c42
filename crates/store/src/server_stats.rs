//! Server figures computed from samples: uptime, trend, recent players.

use std::collections::BTreeMap;

use super::{Conn, Result, revision};
use crate::values;
use rollcall_model::score;
use rollcall_model::time::{DAY, start_of_day, start_of_hour};

/// The period of the uptime.
const UPTIME_WINDOW: i64 = 30 * DAY;
/// Trend compares the last 24 hours with the 24 before.
const TREND_WINDOW: i64 = DAY;
/// Servers per [`refresh`]: few enough to hold the writer for about a millisecond.
pub const REFRESH_BATCH: i64 = 64;

#[derive(Default)]
struct Sums {
    online_ms: i64,
    watched_ms: i64,
    recent: (i64, i64),
    before: (i64, i64),
}

/// Recomputes the servers numbered `from` to `to`, both included, and returns how many changed. Call it with small ranges, so
/// that it never holds the writer for long.
pub fn refresh(conn: &mut Conn, from: i64, to: i64, now: i64) -> Result<u64> {
    let mut sums: BTreeMap<i64, Sums> = BTreeMap::new();
    // Whole days: today's daily bucket already contains today's hours.
    conn.for_each(
        "select server_n, cast(sum(online_ms) as bigint), cast(sum(watched_ms) as bigint) from samples_day
         where server_n >= $1 and server_n <= $2 and at >= $3 group by server_n",
        values![from, to, start_of_day(now - UPTIME_WINDOW)],
        |row| {
            let sums = sums.entry(row.get(0)).or_default();
            sums.online_ms = row.get(1);
            sums.watched_ms = row.get(2);
        },
    )?;
    // The hour in which the window begins counts as recent, so that no part of the last 24 hours is in the base.
    let recent = start_of_hour(now - TREND_WINDOW);
    conn.for_each(
        "select server_n, at, player_ms, watched_ms from samples_hour
         where server_n >= $1 and server_n <= $2 and at >= $3",
        values![from, to, recent - TREND_WINDOW],
        |row| {
            let sums = sums.entry(row.get(0)).or_default();
            let side = if row.get::<i64>(1) >= recent { &mut sums.recent } else { &mut sums.before };
            side.0 += row.get::<i64>(2);
            side.1 += row.get::<i64>(3);
        },
    )?;
    conn.transaction(|conn| {
        let old = conn.query(
            "select n, uptime, trend, recent_players from servers where n >= $1 and n <= $2",
            values![from, to],
            |row| (row.get::<i64>(0), row.get::<f64>(1), row.get::<f64>(2), row.get::<f64>(3)),
        )?;
        let mut changed = Vec::new();
        for (n, uptime, trend, recent_players) in old {
            let sums = sums.remove(&n).unwrap_or_default();
            let average = |(player_ms, watched_ms): (i64, i64)| player_ms as f64 / watched_ms.max(1) as f64;
            let new = (
                score::uptime(sums.online_ms, sums.watched_ms),
                score::trend(average(sums.recent), average(sums.before)),
                score::round(average(sums.recent), 1),
            );
            if new != (uptime, trend, recent_players) {
                changed.push((n, new));
            }
        }
        if changed.is_empty() {
            return Ok(0);
        }
        let rev = revision::bump(conn)?;
        for (n, (uptime, trend, recent_players)) in &changed {
            conn.execute(
                "update servers set uptime = $1, trend = $2, recent_players = $3, rev = $4 where n = $5",
                values![*uptime, *trend, *recent_players, rev, *n],
            )?;
        }
        Ok(changed.len() as u64)
    })
}

/// What the figures depend on; while it stays equal, a [`refresh`] would change nothing. New samples also raise the server's
/// revision, and the windows move by the hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatsInputs {
    hour: i64,
    rev: Option<i64>,
}

/// The inputs of the servers numbered `from` to `to`, both included.
pub fn inputs(conn: &mut Conn, from: i64, to: i64, now: i64) -> Result<StatsInputs> {
    let sql = "select max(rev) from servers where n >= $1 and n <= $2";
    let rev = conn.query_one(sql, values![from, to], |row| row.get(0))?;
    Ok(StatsInputs { hour: start_of_hour(now), rev })
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
