//! The increase of a player's counters between two reports of the same server.

use std::collections::HashMap;

use super::{NUMBER, ScopeSql, fill_temp_table};
use crate::values;
use crate::{Conn, Result, Row, byte_collation};

/// The counters that are summed; a server may report others.
const COUNTERS: [&str; 3] = ["kills", "deaths", "wins"];

/// Kills, deaths and wins.
pub(crate) type Counters = [i64; COUNTERS.len()];

/// The increase since the previous report, and the counters to compare the next report with. A counter that fell was reset by the
/// server, so all of it is new. A counter that is not reported stays.
pub(crate) fn delta(before: &Counters, stats_json: &str) -> (Counters, Counters) {
    let report: serde_json::Value = serde_json::from_str(stats_json).unwrap_or_default();
    let (mut deltas, mut latest) = ([0; COUNTERS.len()], *before);
    for (i, name) in COUNTERS.iter().enumerate() {
        let Some(now) = report.get(name).and_then(to_counter) else { continue };
        deltas[i] = if now >= before[i] { now - before[i] } else { now };
        latest[i] = now;
    }
    (deltas, latest)
}

/// The counters of a report; 0 for those that it lacks.
pub(crate) fn counters(report: &serde_json::Map<String, serde_json::Value>) -> Counters {
    COUNTERS.map(|name| report.get(name).and_then(to_counter).unwrap_or(0))
}

/// A counter as a non-negative integer; a fraction is truncated. The upper bound keeps sums of reports from overflowing.
fn to_counter(number: &serde_json::Value) -> Option<i64> {
    number.as_i64().or_else(|| number.as_f64().map(|f| f as i64)).map(|n| n.clamp(0, i64::from(i32::MAX)))
}

pub(super) fn recompute(conn: &mut Conn, scope: &ScopeSql) -> Result<()> {
    let mut player = 0;
    let mut by_server: HashMap<i64, Counters> = HashMap::new();
    let mut changed = Vec::new();
    let sql = format!(
        "select r.player_n, r.server_n, r.n, r.stats_json, r.kills_gain, r.deaths_gain, r.wins_gain
         from {} order by r.player_n, r.at, r.id{}",
        scope.rows("player_stats", "player_n", "players"),
        byte_collation(conn)
    );
    conn.for_each(&sql, &[], |row: &Row| {
        let next: i64 = row.get(0);
        if next != player {
            by_server.clear();
            player = next;
        }
        let latest = by_server.entry(row.get(1)).or_default();
        let (deltas, after) = delta(latest, &row.get::<String>(3));
        *latest = after;
        if deltas != [row.get::<i64>(4), row.get(5), row.get(6)] {
            changed.push(values![row.get::<i64>(2), deltas[0], deltas[1], deltas[2]].to_vec());
        }
    })?;
    if changed.is_empty() {
        return Ok(());
    }
    let columns = [NUMBER, ("kills", "bigint"), ("deaths", "bigint"), ("wins", "bigint")];
    fill_temp_table(conn, "gained", &columns, &changed)?;
    conn.execute(
        "update player_stats set kills_gain = g.kills, deaths_gain = g.deaths, wins_gain = g.wins
         from gained g where g.n = player_stats.n",
        &[],
    )?;
    conn.execute_batch("drop table gained")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delta_is_the_increase_since_the_last_report() {
        let (first, latest) = delta(&[0; 3], r#"{"kills":10,"deaths":4,"wins":1,"blocks":7}"#);
        assert_eq!(first, [10, 4, 1]);
        let (second, latest) = delta(&latest, r#"{"kills":15,"deaths":4}"#);
        assert_eq!(second, [5, 0, 0], "wins were not reported");
        let (after_reset, latest) = delta(&latest, r#"{"kills":3,"deaths":0,"wins":1}"#);
        assert_eq!((after_reset, latest), ([3, 0, 0], [3, 0, 1]));
    }

    #[test]
    fn invalid_counters_count_as_zero() {
        assert_eq!(delta(&[1, 1, 1], "not json").0, [0; 3]);
        assert_eq!(delta(&[0; 3], r#"{"kills":"9","deaths":-4,"wins":2.9}"#).0, [0, 0, 2]);
    }
}
