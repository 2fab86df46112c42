use serde::{Deserialize, Serialize};

use super::context::Context;
use super::staging::{Column, Table, flag, int, real};
use super::{Record, Resource, Staged, Words, Wrong, checks};
use rollcall_model::buckets::{DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, bucket_start};
use rollcall_model::time;
use rollcall_store::Row;
use rollcall_store::values;

/// The row number under which the sum of all public servers is sampled; such lines name no server.
const WHOLE_ROLL: i64 = 0;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Sample {
    server_id: Option<String>,
    timestamp: String,
    is_online: Option<bool>,
    online_players: i64,
    latency: Option<i64>,
    tps: Option<f64>,
}

static SAMPLES: Table =
    table("samples", &[int("server_n"), int("at"), flag("online"), int("players"), int("latency"), real("tps")]);

impl Record for Sample {
    fn table(_: Resource) -> &'static Table {
        &SAMPLES
    }

    fn key(&self) -> String {
        key(self.server_id.as_ref(), &self.timestamp)
    }

    fn select(_: Resource, words: &Words) -> Vec<String> {
        select("samples", "x.online, x.players, x.latency, x.tps", words)
    }

    fn read(row: &Row) -> Self {
        Self {
            server_id: row.get(0),
            timestamp: time::iso(row.get(1)),
            is_online: row.get(2),
            online_players: row.get(3),
            latency: row.get(4),
            tps: row.get(5),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        Ok(Staged::from(
            values![
                server_or_roll(context, self.server_id.as_ref())?,
                checks::time("timestamp", &self.timestamp)?,
                self.is_online.unwrap_or(true),
                checks::count("onlinePlayers", self.online_players)?,
                checks::count("latency", self.latency.unwrap_or(0))?,
                checks::measure("tps", self.tps)?,
            ]
            .as_slice(),
        ))
    }
}

/// A roll-up of samples over five minutes, an hour or a day.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Bucket {
    server_id: Option<String>,
    timestamp: String,
    watched_ms: i64,
    online_ms: i64,
    player_ms: i64,
    peak_players: i64,
    min_players: i64,
}

const BUCKET_COLUMNS: &[Column] =
    &[int("server_n"), int("at"), int("watched_ms"), int("online_ms"), int("player_ms"), int("peak"), int("low")];
static FIVE_MINUTE_BUCKETS: Table = table("samples_5m", BUCKET_COLUMNS);
static HOURLY_BUCKETS: Table = table("samples_hour", BUCKET_COLUMNS);
static DAILY_BUCKETS: Table = table("samples_day", BUCKET_COLUMNS);

impl Record for Bucket {
    fn table(resource: Resource) -> &'static Table {
        match resource {
            Resource::Samples5m => &FIVE_MINUTE_BUCKETS,
            Resource::SamplesHour => &HOURLY_BUCKETS,
            _ => &DAILY_BUCKETS,
        }
    }

    fn key(&self) -> String {
        key(self.server_id.as_ref(), &self.timestamp)
    }

    fn select(resource: Resource, words: &Words) -> Vec<String> {
        select(resource.name(), "x.watched_ms, x.online_ms, x.player_ms, x.peak, x.low", words)
    }

    fn read(row: &Row) -> Self {
        Self {
            server_id: row.get(0),
            timestamp: time::iso(row.get(1)),
            watched_ms: row.get(2),
            online_ms: row.get(3),
            player_ms: row.get(4),
            peak_players: row.get(5),
            min_players: row.get(6),
        }
    }

    fn check(self, context: &mut Context) -> Result<Staged, Wrong> {
        let (width, span) = match context.resource {
            Resource::Samples5m => (FIVE_MINUTES, "five minutes"),
            Resource::SamplesHour => (HOUR_BUCKET, "an hour"),
            _ => (DAY_BUCKET, "a day"),
        };
        let at = checks::time("timestamp", &self.timestamp)?;
        if bucket_start(at, width) != at {
            return Err(format!("timestamp must be the beginning of {span} in UTC, not {:?}", self.timestamp).into());
        }
        Ok(Staged::from(
            values![
                server_or_roll(context, self.server_id.as_ref())?,
                at,
                checks::within("watchedMs", self.watched_ms, 0, width)?,
                checks::within("onlineMs", self.online_ms, 0, self.watched_ms)?,
                checks::within("playerMs", self.player_ms, 0, self.watched_ms.saturating_mul(checks::LARGEST))?,
                checks::count("peakPlayers", self.peak_players)?,
                checks::within("minPlayers", self.min_players, 0, self.peak_players)?,
            ]
            .as_slice(),
        ))
    }
}

const fn table(name: &'static str, columns: &'static [Column]) -> Table {
    Table { name, key: "server_n, at", columns, computed: &[], lists: &[], touches: &[] }
}

fn key(server_id: Option<&String>, timestamp: &str) -> String {
    match server_id {
        Some(id) => format!("serverId {id:?} at {timestamp}"),
        None => format!("serverId null at {timestamp}"),
    }
}

fn server_or_roll(context: &mut Context, id: Option<&String>) -> Result<i64, Wrong> {
    id.map_or(Ok(WHOLE_ROLL), |id| context.server(id))
}

/// The whole roll first, then server by server.
fn select(table: &str, columns: &str, words: &Words) -> Vec<String> {
    vec![
        format!(
            "select cast(null as text), x.at, {columns} from {table} x where x.server_n = {WHOLE_ROLL} order by x.at"
        ),
        format!(
            "select s.id, x.at, {columns} from servers s cross join {table} x where x.server_n = s.n order by s.id{}, x.at",
            words.bytes
        ),
    ]
}
