//! Player-count samples of servers, raw and rolled up. Each row is a server's row number and its sample.

use super::{Conn, Result};
use crate::samples::{BUCKET_COLUMNS, Resolution, bucket_values};
use crate::values;
use rollcall_model::buckets::{PingSample, SampleBucket};

pub fn insert_samples(conn: &mut Conn, rows: &[(i64, PingSample)]) -> Result<()> {
    let columns = ["server_n", "at", "online", "players", "latency", "tps"];
    conn.bulk_insert("samples", &columns, |insert| {
        rows.iter().try_for_each(|(server_n, sample)| {
            insert(values![*server_n, sample.at, sample.online, sample.players, sample.latency_ms, sample.tps])
        })
    })
}

pub fn insert_sample_buckets(conn: &mut Conn, resolution: Resolution, rows: &[(i64, SampleBucket)]) -> Result<()> {
    let columns: Vec<&str> = std::iter::once("server_n").chain(BUCKET_COLUMNS.split(", ")).collect();
    conn.bulk_insert(resolution.table(), &columns, |insert| {
        rows.iter().try_for_each(|(server_n, bucket)| insert(&bucket_values(*server_n, bucket)))
    })
}
