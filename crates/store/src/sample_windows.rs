//! Sums of samples over windows that begin at any five-minute border.

use std::collections::BTreeMap;

use super::pending_samples::PendingSamples;
use super::{Conn, Result};
use crate::values;
use rollcall_model::buckets::{SampleBucket, Window, WindowSum};

/// Marks the rows of `samples_5m` among those of the coarser tables.
const FINE: i64 = 0;
/// Marks what no table has yet.
const PENDING: i64 = 2;

/// One statement for all resolutions, to spare PostgreSQL round trips. `cross join` makes SQLite look up each server by its
/// key instead of reading the whole history of all of them.
const SQL: &str = "
    select x.server_n, cast(0 as bigint), x.at, x.watched_ms, x.online_ms, x.player_ms, x.peak, x.low,
           cast('' as text)
    from servers s cross join samples_5m x
    where s.n >= $1 and s.n <= $2 and x.server_n = s.n and x.at >= $3 and x.at < $4
    union all
    select x.server_n, cast(1 as bigint), x.at, x.watched_ms, x.online_ms, x.player_ms, x.peak, x.low, ''
    from servers s cross join samples_hour x
    where s.n >= $1 and s.n <= $2 and x.server_n = s.n and x.at >= $3 and x.at < $5
    union all
    select x.server_n, cast(1 as bigint), x.at, x.watched_ms, x.online_ms, x.player_ms, x.peak, x.low, ''
    from servers s cross join samples_day x
    where s.n >= $1 and s.n <= $2 and x.server_n = s.n and x.at >= $5
    union all
    select t.server_n, 2, 0, 0, 0, 0, 0, 0, t.pending_complete || '/' || t.pending
    from servers s cross join tracking t
    where s.n >= $1 and s.n <= $2 and t.server_n = s.n and t.pending <> ''";

/// The sum of each server numbered `from` to `to`, both included. Servers without samples in the window are left out.
pub fn sums(conn: &mut Conn, from: i64, to: i64, window: Window) -> Result<BTreeMap<i64, SampleBucket>> {
    let mut sums: BTreeMap<i64, WindowSum> = BTreeMap::new();
    let borders = values![from, to, window.edge_hour, window.first_hour, window.first_day];
    conn.for_each(SQL, borders, |row| {
        let kind: i64 = row.get(1);
        let pending = if kind == PENDING { PendingSamples::decode(&row.get::<String>(8)).buckets } else { Vec::new() };
        if kind == PENDING && pending.iter().all(|bucket| bucket.at < window.edge_hour) {
            return;
        }
        let sum = sums.entry(row.get(0)).or_insert_with(|| WindowSum::new(window));
        if kind == PENDING {
            return pending.iter().for_each(|bucket| sum.add_open(bucket));
        }
        let bucket = SampleBucket {
            at: row.get(2),
            watched_ms: row.get(3),
            online_ms: row.get(4),
            player_ms: row.get(5),
            peak: row.get(6),
            low: row.get(7),
            ..SampleBucket::default()
        };
        if kind == FINE { sum.add_edge(&bucket) } else { sum.add(&bucket) }
    })?;
    Ok(sums.into_iter().map(|(n, sum)| (n, sum.total())).collect())
}

/// The sum of one server.
pub fn sum(conn: &mut Conn, server_n: i64, window: Window) -> Result<SampleBucket> {
    let mut sums = sums(conn, server_n, server_n, window)?;
    Ok(sums.remove(&server_n).unwrap_or_else(|| SampleBucket::empty(window.since)))
}
