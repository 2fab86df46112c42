use serde::Serialize;
use utoipa::ToSchema;

use super::Timestamp;

/// Players within a bucket.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HistoryPlayers {
    /// Average players, weighted by time, two decimals.
    #[schema(minimum = 0)]
    pub avg: f64,
    /// Most players at once.
    #[schema(minimum = 0)]
    pub peak: i64,
    /// Fewest players at once.
    #[schema(minimum = 0)]
    pub low: i64,
}

/// One bucket of a history. It has the figures that `fields` selects.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HistoryPoint {
    /// Start of the bucket.
    pub at: Timestamp,
    /// Share of the bucket in which the server was watched, four decimals. The figures are those of the watched time.
    #[schema(minimum = 0, maximum = 1)]
    pub coverage: f64,
    /// Players; an offline server has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = HistoryPlayers)]
    pub players: Option<HistoryPlayers>,
    /// Mean response time over the time online, in milliseconds, one decimal. Null if the server was not online.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0)]
    pub latency: Option<Option<f64>>,
    /// Mean ticks per second over the time with reports, two decimals. Null if there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<f64>, minimum = 0)]
    pub tps: Option<Option<f64>>,
    /// Share of the watched time in which the server was online, in percent, two decimals.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = f64, minimum = 0, maximum = 100)]
    pub uptime: Option<f64>,
}

/// The history of one server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ServerHistory {
    /// Slug of the server.
    pub slug: String,
    /// Width of the buckets.
    #[schema(pattern = "^(5m|1h|1d)$")]
    pub resolution: &'static str,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// Watched buckets, earliest first. Those without any watched time are left out.
    #[schema(max_items = 2000)]
    pub points: Vec<HistoryPoint>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// The history of one server among others.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ComparedServer {
    /// Slug of the server.
    pub slug: String,
    /// Watched buckets, earliest first. Those without any watched time are left out.
    #[schema(max_items = 2000)]
    pub points: Vec<HistoryPoint>,
}

/// The histories of several servers over the same range.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HistoryComparison {
    /// Width of the buckets.
    #[schema(pattern = "^(5m|1h|1d)$")]
    pub resolution: &'static str,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// The servers in the order of the request.
    #[schema(max_items = 10)]
    pub servers: Vec<ComparedServer>,
    /// Slugs of the request that no public server has.
    #[schema(max_items = 10)]
    pub missing: Vec<String>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// Players on all public servers over a range.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct LiveHistoryRange {
    /// Width of the buckets.
    #[schema(pattern = "^(5m|1h|1d)$")]
    pub resolution: &'static str,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// Watched buckets with `players`, earliest first. Those without any watched time are left out.
    #[schema(max_items = 2000)]
    pub points: Vec<HistoryPoint>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}
