//! Samples and their roll-ups in an import or export.

use super::dialect::Dialect;
use super::row;
use super::table::{Column, StagedRow, StagedTable, flag, int, real};
use crate::{Conn, Result, Row};

/// The row number that stands for the sum of all public servers.
const ALL_SERVERS: i64 = 0;

pub struct TransferSample<Ref> {
    /// `None`: the sum of all public servers.
    pub server: Option<Ref>,
    pub at: i64,
    pub online: bool,
    pub players: i64,
    pub latency: i64,
    pub tps: Option<f64>,
    /// The reported count, if it was not plausible.
    pub rejected_players: Option<i64>,
}

pub static TABLE: StagedTable = table(
    "samples",
    &[int("server_n"), int("at"), flag("online"), int("players"), int("latency"), real("tps"), int("rejected_players")],
);

impl From<TransferSample<i64>> for StagedRow {
    fn from(sample: TransferSample<i64>) -> Self {
        let TransferSample { server, at, online, players, latency, tps, rejected_players } = sample;
        Self::from(row![server.unwrap_or(ALL_SERVERS), at, online, players, latency, tps, rejected_players])
    }
}

/// First the sum of all servers, then server by server.
pub fn for_each(conn: &mut Conn, mut read: impl FnMut(TransferSample<String>)) -> Result<()> {
    for_each_row(conn, TABLE.name, "x.online, x.players, x.latency, x.tps, x.rejected_players", |row| {
        read(TransferSample {
            server: row.get(0),
            at: row.get(1),
            online: row.get(2),
            players: row.get(3),
            latency: row.get(4),
            tps: row.get(5),
            rejected_players: row.get(6),
        });
    })
}

/// Samples rolled up over five minutes, an hour or a day.
pub struct TransferSampleBucket<Ref> {
    /// `None`: the sum of all public servers.
    pub server: Option<Ref>,
    pub at: i64,
    pub watched_ms: i64,
    pub online_ms: i64,
    pub player_ms: i64,
    pub peak: i64,
    pub low: i64,
    /// See [`rollcall_model::buckets::SampleBucket`].
    pub latency_sum: Option<i64>,
    pub tps_ms: Option<i64>,
    pub tps_sum: Option<i64>,
}

const BUCKET_COLUMNS: &[Column] = &[
    int("server_n"),
    int("at"),
    int("watched_ms"),
    int("online_ms"),
    int("player_ms"),
    int("peak"),
    int("low"),
    int("latency_sum"),
    int("tps_ms"),
    int("tps_sum"),
];

pub static FIVE_MINUTE_TABLE: StagedTable = table("samples_5m", BUCKET_COLUMNS);
pub static HOUR_TABLE: StagedTable = table("samples_hour", BUCKET_COLUMNS);
pub static DAY_TABLE: StagedTable = table("samples_day", BUCKET_COLUMNS);

impl From<TransferSampleBucket<i64>> for StagedRow {
    fn from(bucket: TransferSampleBucket<i64>) -> Self {
        let TransferSampleBucket { server, at, watched_ms, online_ms, player_ms, peak, low, .. } = bucket;
        let TransferSampleBucket { latency_sum, tps_ms, tps_sum, .. } = bucket;
        let server = server.unwrap_or(ALL_SERVERS);
        Self::from(row![server, at, watched_ms, online_ms, player_ms, peak, low, latency_sum, tps_ms, tps_sum])
    }
}

/// The buckets of one of the three tables: first the sum of all servers, then server by server.
pub fn for_each_bucket(
    conn: &mut Conn,
    table: &StagedTable,
    mut read: impl FnMut(TransferSampleBucket<String>),
) -> Result<()> {
    let columns = "x.watched_ms, x.online_ms, x.player_ms, x.peak, x.low, x.latency_sum, x.tps_ms, x.tps_sum";
    for_each_row(conn, table.name, columns, |row| {
        read(TransferSampleBucket {
            server: row.get(0),
            at: row.get(1),
            watched_ms: row.get(2),
            online_ms: row.get(3),
            player_ms: row.get(4),
            peak: row.get(5),
            low: row.get(6),
            latency_sum: row.get(7),
            tps_ms: row.get(8),
            tps_sum: row.get(9),
        });
    })
}

const fn table(name: &'static str, columns: &'static [Column]) -> StagedTable {
    StagedTable { name, key: "server_n, at", columns, computed: &[], lists: &[], affects: &[] }
}

fn for_each_row(conn: &mut Conn, table: &str, columns: &str, mut read: impl FnMut(&Row)) -> Result<()> {
    let all_servers = format!(
        "select cast(null as text), x.at, {columns} from {table} x where x.server_n = {ALL_SERVERS} order by x.at"
    );
    conn.for_each(&all_servers, &[], &mut read)?;
    let each_server = format!(
        "select s.id, x.at, {columns} from servers s cross join {table} x where x.server_n = s.n order by s.id{}, x.at",
        Dialect::of(conn).byte_collation
    );
    conn.for_each(&each_server, &[], read)
}
