//! Corrects times in the future, which a machine wrote whose clock was ahead.

use super::set_due_at;
use crate::{Conn, Result, Value, pending_samples, samples, values};

/// What a plan can look like at a time; anything later was written by a machine whose clock was ahead.
#[derive(Clone, Copy, Debug)]
pub struct PlausibleTimes {
    pub now: i64,
    /// The latest time of a sample.
    pub latest_sample: i64,
    /// When a server that answers is due at the latest, and one that does not.
    pub latest_due: i64,
    pub latest_due_failing: i64,
}

/// Plans polls again that lie too far in the future, and deletes samples from the future, which would hide all new ones. Returns
/// how many servers were affected. Call it in a transaction.
pub fn heal_future(conn: &mut Conn, times: &PlausibleTimes) -> Result<usize> {
    let affected: Vec<i64> = conn.query(FUTURE, &future_values(times), |row| row.get(0))?;
    let mut pending = pending_samples::of(conn, &affected)?;
    for &n in &affected {
        let mut pending = pending.remove(&n).unwrap_or_default();
        pending.drop_after(times.latest_sample);
        let [complete, open] = pending.encode();
        conn.execute(
            "update tracking set sample_at = case when sample_at > $2 then null else sample_at end,
                    pending_complete = $3, pending = $4
             where server_n = $1",
            values![n, times.latest_sample, complete, open],
        )?;
        samples::delete_after(conn, n, times.latest_sample)?;
    }
    set_due_at(conn, &affected.iter().map(|n| (*n, times.now)).collect::<Vec<_>>())?;
    Ok(affected.len())
}

/// Whether [`heal_future`] has something to do.
pub fn is_any_future(conn: &mut Conn, times: &PlausibleTimes) -> Result<bool> {
    Ok(conn.query_optional(&format!("{FUTURE} limit 1"), &future_values(times), |_| ())?.is_some())
}

const FUTURE: &str = "select t.server_n from tracking t join poll_schedule p on p.server_n = t.server_n
    where t.sample_at > $1 or p.due_at > $3 or (p.due_at > $2 and t.failing_since is null)";

fn future_values(times: &PlausibleTimes) -> [Value; 3] {
    [times.latest_sample, times.latest_due, times.latest_due_failing].map(Value::from)
}
