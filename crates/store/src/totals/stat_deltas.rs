//! What a player gained between two reports of the same server.

use std::collections::HashMap;

use super::{NUMBER, Reach, fill};
use crate::values;
use crate::{Conn, Result, Row, byte_order};

/// The counters that have a meaning here; a server may report any others beside them.
const COUNTERS: [&str; 3] = ["kills", "deaths", "wins"];

/// Kills, deaths and wins.
pub type Counters = [i64; COUNTERS.len()];

/// What a report adds to the one before it, and the standing to compare the next one with. A counter that fell was
/// reset by the server: all of it is gain. A counter that is not reported stays where it was.
pub fn gain(before: &Counters, stats_json: &str) -> (Counters, Counters) {
    let report: serde_json::Value = serde_json::from_str(stats_json).unwrap_or_default();
    let (mut gained, mut standing) = ([0; COUNTERS.len()], *before);
    for (i, name) in COUNTERS.iter().enumerate() {
        let Some(now) = report.get(name).and_then(whole) else { continue };
        gained[i] = if now >= before[i] { now - before[i] } else { now };
        standing[i] = now;
    }
    (gained, standing)
}

/// Counters are whole and never below zero; a fraction is cut off.
/// Bounded, so that the sum of any number of reports stays whole.
fn whole(number: &serde_json::Value) -> Option<i64> {
    number.as_i64().or_else(|| number.as_f64().map(|f| f as i64)).map(|n| n.clamp(0, i64::from(i32::MAX)))
}

pub(super) fn total(conn: &mut Conn, reach: &Reach) -> Result<()> {
    let mut player = 0;
    let mut standings: HashMap<i64, Counters> = HashMap::new();
    let mut changed = Vec::new();
    let sql = format!(
        "select r.player_n, r.server_n, r.n, r.stats_json, r.kills_gain, r.deaths_gain, r.wins_gain
         from {} order by r.player_n, r.at, r.id{}",
        reach.rows("player_stats", "player_n", "players"),
        byte_order(conn)
    );
    conn.for_each(&sql, &[], |row: &Row| {
        let next: i64 = row.get(0);
        if next != player {
            standings.clear();
            player = next;
        }
        let standing = standings.entry(row.get(1)).or_default();
        let (gained, after) = gain(standing, &row.get::<String>(3));
        *standing = after;
        if gained != [row.get::<i64>(4), row.get(5), row.get(6)] {
            changed.push(values![row.get::<i64>(2), gained[0], gained[1], gained[2]].to_vec());
        }
    })?;
    if changed.is_empty() {
        return Ok(());
    }
    let columns = [NUMBER, ("kills", "bigint"), ("deaths", "bigint"), ("wins", "bigint")];
    fill(conn, "gained", &columns, &changed)?;
    conn.execute(
        "update player_stats set kills_gain = g.kills, deaths_gain = g.deaths, wins_gain = g.wins
         from gained g where g.n = player_stats.n",
        &[],
    )?;
    conn.batch("drop table gained")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_is_what_came_since_the_last_report() {
        let (first, standing) = gain(&[0; 3], r#"{"kills":10,"deaths":4,"wins":1,"blocks":7}"#);
        assert_eq!(first, [10, 4, 1]);
        let (second, standing) = gain(&standing, r#"{"kills":15,"deaths":4}"#);
        assert_eq!(second, [5, 0, 0], "wins were not reported");
        let (after_reset, standing) = gain(&standing, r#"{"kills":3,"deaths":0,"wins":1}"#);
        assert_eq!((after_reset, standing), ([3, 0, 0], [3, 0, 1]));
    }

    #[test]
    fn what_is_no_count_gains_nothing() {
        assert_eq!(gain(&[1, 1, 1], "not json").0, [0; 3]);
        assert_eq!(gain(&[0; 3], r#"{"kills":"9","deaths":-4,"wins":2.9}"#).0, [0, 0, 2]);
    }
}
