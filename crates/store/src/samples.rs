//! Ping samples of servers and their roll-ups.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::pending_samples::{self, PendingSamples};
use super::{Conn, Result, Row, Value, pad_values, placeholders, revision, running_sessions};
use crate::values;
use rollcall_model::buckets::{DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, PingSample, SampleBucket, bucket_start};
use rollcall_model::time::{DAY, HOUR};

/// The server number under which the sum of all public servers is sampled.
pub const ALL_SERVERS: i64 = 0;

/// The width of roll-up buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    FiveMinutes,
    Hour,
    Day,
}

/// Retention of raw samples; the roll-ups last longer.
pub const RAW_RETENTION: i64 = 48 * HOUR;
/// The table on PostgreSQL of the samples whose day has no partition.
pub(crate) const DEFAULT_PARTITION: &str = "samples_rest";
/// Servers per transaction of [`write_pending`].
const PENDING_BATCH: usize = 512;

impl Resolution {
    pub const ALL: [Self; 3] = [Self::FiveMinutes, Self::Hour, Self::Day];

    /// In milliseconds.
    pub fn width(self) -> i64 {
        match self {
            Self::FiveMinutes => FIVE_MINUTES,
            Self::Hour => HOUR_BUCKET,
            Self::Day => DAY_BUCKET,
        }
    }

    /// How long buckets are kept; `None` means forever.
    pub fn retention(self) -> Option<i64> {
        match self {
            // Past the start of the 30-day window, which begins within an hour.
            Self::FiveMinutes => Some(31 * DAY),
            Self::Hour => Some(366 * DAY),
            Self::Day => None,
        }
    }

    pub fn table(self) -> &'static str {
        match self {
            Self::FiveMinutes => "samples_5m",
            Self::Hour => "samples_hour",
            Self::Day => "samples_day",
        }
    }
}

pub(crate) const BUCKET_COLUMNS: &str = "at, watched_ms, online_ms, player_ms, peak, low, latency_sum, tps_ms, tps_sum";

/// The bucket in [`BUCKET_COLUMNS`], of which `first` is the first.
pub(crate) fn bucket_at(row: &Row, first: usize) -> SampleBucket {
    SampleBucket {
        at: row.get(first),
        watched_ms: row.get(first + 1),
        online_ms: row.get(first + 2),
        player_ms: row.get(first + 3),
        peak: row.get(first + 4),
        low: row.get(first + 5),
        latency_sum: row.get(first + 6),
        tps_ms: row.get::<Option<i64>>(first + 7).unwrap_or(0),
        tps_sum: row.get::<Option<i64>>(first + 8).unwrap_or(0),
    }
}

/// The values of [`BUCKET_COLUMNS`], after the number of the server.
pub(crate) fn bucket_values(server_n: i64, bucket: &SampleBucket) -> [Value; 10] {
    let SampleBucket { at, watched_ms, online_ms, player_ms, peak, low, latency_sum, tps_ms, tps_sum } = *bucket;
    // Few servers report ticks, and nulls take no space on PostgreSQL.
    let [tps_ms, tps_sum] = [tps_ms, tps_sum].map(|sum| Some(sum).filter(|_| tps_ms > 0));
    let sums = [watched_ms, online_ms, player_ms, peak, low].map(Value::from);
    let [watched_ms, online_ms, player_ms, peak, low] = sums;
    [
        server_n.into(),
        at.into(),
        watched_ms,
        online_ms,
        player_ms,
        peak,
        low,
        latency_sum.into(),
        tps_ms.into(),
        tps_sum.into(),
    ]
}

/// Buckets that begin at or after `since`, oldest first.
pub fn buckets(conn: &mut Conn, server_n: i64, resolution: Resolution, since: i64) -> Result<Vec<SampleBucket>> {
    let buckets = buckets_of(conn, &[server_n], resolution, since)?;
    Ok(buckets.into_iter().map(|(_, bucket)| bucket).collect())
}

/// The same of several servers: `(server_n, bucket)`, each server's oldest first.
pub fn buckets_of(
    conn: &mut Conn,
    servers: &[i64],
    resolution: Resolution,
    since: i64,
) -> Result<Vec<(i64, SampleBucket)>> {
    if servers.is_empty() {
        return Ok(Vec::new());
    }
    let mut values = pad_values(servers);
    values.push(since.into());
    let sql = format!(
        "select server_n, {BUCKET_COLUMNS} from {}
         where server_n in ({}) and at >= ${} order by server_n, at",
        resolution.table(),
        placeholders(servers.len()),
        values.len(),
    );
    let mut buckets = conn.query(&sql, &values, |row| (row.get(0), bucket_at(row, 1)))?;
    for (n, pending) in pending_samples::of(conn, servers)? {
        for piece in &pending.buckets {
            let at = bucket_start(piece.at, resolution.width());
            if at < since {
                continue;
            }
            let place = buckets.binary_search_by_key(&(n, at), |(n, bucket)| (*n, bucket.at)).unwrap_or_else(|place| {
                buckets.insert(place, (n, SampleBucket::empty(at)));
                place
            });
            buckets[place].1.merge(piece);
        }
    }
    Ok(buckets)
}

/// Raw `(at, tps)` of the samples that report it.
pub fn tps(conn: &mut Conn, server_n: i64, since: i64) -> Result<Vec<(i64, f64)>> {
    let sql = "select at, tps from samples where server_n = $1 and at >= $2 and tps is not null order by at";
    let mut samples = conn.query(sql, values![server_n, since], |row| (row.get(0), row.get(1)))?;
    let pending = pending_since(conn, server_n, since)?;
    samples.extend(pending.iter().filter_map(|sample| Some((sample.at, sample.tps?))));
    Ok(samples)
}

/// Raw `(at, players)` from `since` on, or `None` if there are more than `max`.
pub fn raw(conn: &mut Conn, server_n: i64, since: i64, max: i64) -> Result<Option<Vec<(i64, i64)>>> {
    let mut samples = conn.query(
        "select at, players, online from samples where server_n = $1 and at >= $2 order by at limit $3",
        values![server_n, since, max + 1],
        |row| (row.get(0), if row.get(2) { row.get(1) } else { 0 }),
    )?;
    let pending = pending_since(conn, server_n, since)?;
    samples.extend(pending.iter().map(|sample| (sample.at, if sample.online { sample.players } else { 0 })));
    Ok((samples.len() as i64 <= max).then_some(samples))
}

/// The samples that no table has yet; they are newer than those in the table.
fn pending_since(conn: &mut Conn, server_n: i64, since: i64) -> Result<Vec<PingSample>> {
    let pending = pending_samples::of(conn, &[server_n])?.remove(&server_n).unwrap_or_default();
    Ok(pending.samples.into_iter().map(|(sample, _)| sample).filter(|sample| sample.at >= since).collect())
}

/// Players on each server in its last sample at or before `at`, if that sample is at most `max_age` older.
pub fn players_at(conn: &mut Conn, servers: &[i64], at: i64, max_age: i64) -> Result<HashMap<i64, i64>> {
    if servers.is_empty() {
        return Ok(HashMap::new());
    }
    let mut values = pad_values(servers);
    let sql = format!(
        "select s.n, (select case when x.online then x.players else 0 end from samples x
                      where x.server_n = s.n and x.at <= ${} and x.at >= ${} order by x.at desc limit 1)
         from servers s where s.n in ({})",
        values.len() + 1,
        values.len() + 2,
        placeholders(servers.len()),
    );
    values.extend_from_slice(values![at, at - max_age]);
    let found = conn.query(&sql, &values, |row| Some((row.get(0), row.get::<Option<i64>>(1)?)))?;
    let mut found: HashMap<i64, i64> = found.into_iter().flatten().collect();
    for (n, pending) in pending_samples::of(conn, servers)? {
        let in_time = |sample: &&PingSample| sample.at <= at && sample.at >= at - max_age;
        if let Some(sample) = pending.samples.iter().rev().map(|(sample, _)| sample).find(in_time) {
            found.insert(n, if sample.online { sample.players } else { 0 });
        }
    }
    Ok(found)
}

/// The highest peak of the hours that begin at or after `since`.
pub fn peak_since(conn: &mut Conn, server_n: i64, since: i64) -> Result<i64> {
    let hours = buckets(conn, server_n, Resolution::Hour, since)?;
    Ok(hours.iter().map(|hour| hour.peak).max().unwrap_or(0))
}

/// The peaks of a server's days that begin at or after `since`.
pub fn daily_peaks(conn: &mut Conn, server_n: i64, since: i64) -> Result<Vec<i64>> {
    let days = buckets(conn, server_n, Resolution::Day, since)?;
    Ok(days.iter().filter(|day| !day.is_empty()).map(|day| day.peak).collect())
}

/// Writes samples to the tables that waited until now. Not idempotent: call it in the transaction that removes them from the rows
/// of their servers.
pub fn insert_pending<'p>(
    conn: &mut Conn,
    pending: impl Iterator<Item = (i64, &'p PendingSamples)> + Clone,
) -> Result<()> {
    let samples: Vec<_> =
        pending.clone().flat_map(|(n, pending)| pending.samples.iter().map(move |(s, r)| (n, *s, *r))).collect();
    let buckets: Vec<_> =
        pending.flat_map(|(n, pending)| pending.buckets.iter().map(move |bucket| (n, *bucket))).collect();
    insert(conn, &samples)?;
    add_to_rollups(conn, &buckets)
}

/// Writes all that waits, for readers of the tables: running sessions, then samples.
pub fn write_pending(conn: &mut Conn) -> Result<()> {
    running_sessions::write_all(conn)?;
    let servers = conn.query("select server_n from tracking where pending <> ''", &[], |row| row.get::<i64>(0))?;
    for batch in servers.chunks(PENDING_BATCH) {
        conn.transaction(|conn| {
            // Its lock keeps trackers from storing polls of these servers meanwhile.
            revision::bump(conn)?;
            let pending = pending_samples::lock(conn, batch)?;
            insert_pending(conn, pending.iter().map(|(n, pending)| (*n, pending)))?;
            let sql = format!(
                "update tracking set pending_complete = '', pending = '' where server_n in ({})",
                placeholders(batch.len())
            );
            conn.execute(&sql, &pad_values(batch)).map(drop)
        })?;
    }
    Ok(())
}

/// Inserts samples; an existing sample of the same time stays. Each comes with the player count that the server reported, if
/// that is not plausible. `on conflict` would log each row twice on PostgreSQL. Results and exports take turns by the lock of `rev`; a
/// claim that ends tracking does not hold it, and fails and is repeated if an export writes the same samples meanwhile.
fn insert(conn: &mut Conn, samples: &[(i64, PingSample, Option<i64>)]) -> Result<()> {
    let mut places = HashSet::with_capacity(samples.len());
    let rows: Vec<Vec<Value>> = samples
        .iter()
        .filter(|(n, s, _)| places.insert((*n, s.at)))
        .map(|(n, s, rejected)| values![*n, s.at, s.online, s.players, s.latency_ms, s.tps, *rejected].to_vec())
        .collect();
    conn.execute_many(
        "insert into samples (server_n, at, online, players, latency, tps, rejected_players)
         select v.* from (values {rows}) v
         where not exists (select 1 from samples s where s.server_n = v.column1 and s.at = v.column2)",
        &["bigint", "bigint", "boolean", "bigint", "bigint", "double precision", "bigint"],
        &rows,
    )
}

/// Adds pieces of at most five minutes to the roll-ups of every resolution. Not idempotent.
pub fn add_to_rollups(conn: &mut Conn, pieces: &[(i64, SampleBucket)]) -> Result<()> {
    for resolution in Resolution::ALL {
        let mut sums: BTreeMap<(i64, i64), SampleBucket> = BTreeMap::new();
        for (server_n, piece) in pieces {
            let at = bucket_start(piece.at, resolution.width());
            sums.entry((*server_n, at)).or_insert_with(|| SampleBucket::empty(at)).merge(piece);
        }
        let rows: Vec<Vec<Value>> = sums.iter().map(|((n, _), bucket)| bucket_values(*n, bucket).to_vec()).collect();
        let table = resolution.table();
        conn.execute_many(
            &format!(
                "insert into {table} (server_n, {BUCKET_COLUMNS}) values {{rows}}
                 on conflict (server_n, at) do update set
                     watched_ms = {table}.watched_ms + excluded.watched_ms,
                     online_ms = {table}.online_ms + excluded.online_ms,
                     player_ms = {table}.player_ms + excluded.player_ms,
                     peak = case when excluded.peak > {table}.peak then excluded.peak else {table}.peak end,
                     low = case when excluded.low < {table}.low then excluded.low else {table}.low end,
                     latency_sum = {table}.latency_sum + excluded.latency_sum,
                     tps_ms = coalesce({table}.tps_ms + excluded.tps_ms, {table}.tps_ms, excluded.tps_ms),
                     tps_sum = coalesce({table}.tps_sum + excluded.tps_sum, {table}.tps_sum, excluded.tps_sum)"
            ),
            &["bigint"; 10],
            &rows,
        )?;
    }
    Ok(())
}

/// Deletes a server's samples and buckets that are past their retention.
pub fn delete_expired(conn: &mut Conn, server_n: i64, now: i64) -> Result<()> {
    let resolutions =
        Resolution::ALL.into_iter().filter_map(|resolution| Some((resolution.table(), resolution.retention()?)));
    // Partitions of samples are dropped as a whole.
    let samples = if conn.is_postgres() { DEFAULT_PARTITION } else { "samples" };
    for (table, retention) in resolutions.chain([(samples, RAW_RETENTION)]) {
        conn.execute(
            &format!("delete from {table} where server_n = $1 and at < $2"),
            values![server_n, now - retention],
        )?;
    }
    Ok(())
}

/// Deletes a server's whole history.
pub(crate) fn delete_all(conn: &mut Conn, server_n: i64) -> Result<()> {
    delete_after(conn, server_n, i64::MIN)
}

/// Deletes the part of a server's history that is later than `at`.
pub(crate) fn delete_after(conn: &mut Conn, server_n: i64, at: i64) -> Result<()> {
    for table in Resolution::ALL.map(Resolution::table).into_iter().chain(["samples"]) {
        conn.execute(&format!("delete from {table} where server_n = $1 and at > $2"), values![server_n, at])?;
    }
    Ok(())
}
