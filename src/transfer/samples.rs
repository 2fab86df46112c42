//! `samples.ndjson`, `samples_5m.ndjson`, `samples_hour.ndjson` and `samples_day.ndjson`

use serde::{Deserialize, Serialize};

use super::context::ImportContext;
use super::{LineError, NdjsonLine, Resource, checks};
use rollcall_model::buckets::{DAY_BUCKET, FIVE_MINUTES, HOUR_BUCKET, bucket_start};
use rollcall_model::time;
use rollcall_store::Conn;
use rollcall_store::transfer::samples::{self, TransferSample, TransferSampleBucket};
use rollcall_store::transfer::{StagedRow, StagedTable};

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SampleLine {
    /// `None`: the sum of all public servers.
    server_id: Option<String>,
    timestamp: String,
    is_online: Option<bool>,
    online_players: i64,
    latency: Option<i64>,
    tps: Option<f64>,
    /// The reported count, if it was not plausible.
    rejected_players: Option<i64>,
}

impl From<TransferSample<String>> for SampleLine {
    fn from(sample: TransferSample<String>) -> Self {
        Self {
            server_id: sample.server,
            timestamp: time::iso(sample.at),
            is_online: Some(sample.online),
            online_players: sample.players,
            latency: Some(sample.latency),
            tps: sample.tps,
            rejected_players: sample.rejected_players,
        }
    }
}

impl NdjsonLine for SampleLine {
    fn table(_: Resource) -> &'static StagedTable {
        &samples::TABLE
    }

    fn key(&self) -> String {
        key(self.server_id.as_ref(), &self.timestamp)
    }

    fn for_each(conn: &mut Conn, _: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        samples::for_each(conn, |sample| write(sample.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        let sample = TransferSample {
            server: self.server_id.map(|id| context.server(&id)).transpose()?,
            at: checks::time("timestamp", &self.timestamp)?,
            online: self.is_online.unwrap_or(true),
            players: checks::count("onlinePlayers", self.online_players)?,
            latency: checks::count("latency", self.latency.unwrap_or(0))?,
            tps: checks::not_negative("tps", self.tps)?,
            rejected_players: self.rejected_players.map(|n| checks::count("rejectedPlayers", n)).transpose()?,
        };
        Ok(sample.into())
    }
}

/// Samples rolled up over five minutes, an hour or a day.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SampleBucketLine {
    /// `None`: the sum of all public servers.
    server_id: Option<String>,
    timestamp: String,
    watched_ms: i64,
    online_ms: i64,
    player_ms: i64,
    peak_players: i64,
    min_players: i64,
    /// Latency in milliseconds multiplied by milliseconds online.
    latency_sum: Option<i64>,
    /// How long ticks per second were reported, and their thousandths multiplied by milliseconds.
    tps_ms: Option<i64>,
    tps_sum: Option<i64>,
}

impl From<TransferSampleBucket<String>> for SampleBucketLine {
    fn from(bucket: TransferSampleBucket<String>) -> Self {
        Self {
            server_id: bucket.server,
            timestamp: time::iso(bucket.at),
            watched_ms: bucket.watched_ms,
            online_ms: bucket.online_ms,
            player_ms: bucket.player_ms,
            peak_players: bucket.peak,
            min_players: bucket.low,
            latency_sum: bucket.latency_sum,
            tps_ms: bucket.tps_ms,
            tps_sum: bucket.tps_sum,
        }
    }
}

impl NdjsonLine for SampleBucketLine {
    fn table(resource: Resource) -> &'static StagedTable {
        match resource {
            Resource::Samples5m => &samples::FIVE_MINUTE_TABLE,
            Resource::SamplesHour => &samples::HOUR_TABLE,
            _ => &samples::DAY_TABLE,
        }
    }

    fn key(&self) -> String {
        key(self.server_id.as_ref(), &self.timestamp)
    }

    fn for_each(conn: &mut Conn, resource: Resource, write: &mut dyn FnMut(Self)) -> rollcall_store::Result<()> {
        samples::for_each_bucket(conn, Self::table(resource), |bucket| write(bucket.into()))
    }

    fn check(self, context: &mut ImportContext) -> Result<StagedRow, LineError> {
        let (width, span) = match context.resource {
            Resource::Samples5m => (FIVE_MINUTES, "five minutes"),
            Resource::SamplesHour => (HOUR_BUCKET, "an hour"),
            _ => (DAY_BUCKET, "a day"),
        };
        let at = checks::time("timestamp", &self.timestamp)?;
        if bucket_start(at, width) != at {
            return Err(format!("timestamp must be the beginning of {span} in UTC, not {:?}", self.timestamp).into());
        }
        let max_player_ms = self.watched_ms.saturating_mul(checks::MAX_COUNT);
        let bucket = TransferSampleBucket {
            server: self.server_id.map(|id| context.server(&id)).transpose()?,
            at,
            watched_ms: checks::in_range("watchedMs", self.watched_ms, 0, width)?,
            online_ms: checks::in_range("onlineMs", self.online_ms, 0, self.watched_ms)?,
            player_ms: checks::in_range("playerMs", self.player_ms, 0, max_player_ms)?,
            peak: checks::count("peakPlayers", self.peak_players)?,
            low: checks::in_range("minPlayers", self.min_players, 0, self.peak_players)?,
            latency_sum: sum("latencySum", self.latency_sum, self.online_ms)?,
            tps_ms: self.tps_ms.map(|ms| checks::in_range("tpsMs", ms, 0, self.online_ms)).transpose()?,
            tps_sum: sum("tpsSum", self.tps_sum, self.tps_ms.unwrap_or(0))?,
        };
        Ok(bucket.into())
    }
}

/// A figure multiplied by the time for which it was known.
fn sum(name: &str, sum: Option<i64>, known_ms: i64) -> Result<Option<i64>, LineError> {
    Ok(sum.map(|sum| checks::in_range(name, sum, 0, known_ms.saturating_mul(checks::MAX_COUNT))).transpose()?)
}

fn key(server_id: Option<&String>, timestamp: &str) -> String {
    match server_id {
        Some(id) => format!("serverId {id:?} at {timestamp}"),
        None => format!("serverId null at {timestamp}"),
    }
}
