//! Player-count samples of servers, raw and rolled up. Each row is a server's row number and its sample.

use super::{Conn, Result};
use crate::samples::Resolution;
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
    let columns = ["server_n", "at", "watched_ms", "online_ms", "player_ms", "peak", "low"];
    conn.bulk_insert(resolution.table(), &columns, |insert| {
        rows.iter().try_for_each(|(server_n, b)| {
            insert(values![*server_n, b.at, b.watched_ms, b.online_ms, b.player_ms, b.peak, b.low])
        })
    })
}
