use serde::Serialize;
use utoipa::ToSchema;

use super::{Day, Owner, PictureUrl, Timestamp};

/// A server in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDetail {
    pub id: String,
    pub slug: String,
    pub name: String,
    /// Host name or IP address.
    pub ip: String,
    #[schema(minimum = 1, maximum = 65535)]
    pub port: i64,
    pub icon_url: PictureUrl,
    pub banner_url: PictureUrl,
    pub motd: String,
    /// The message of the day with its formatting codes.
    pub motd_raw: String,
    pub motd_image_url: PictureUrl,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    pub store_url: Option<String>,
    pub video_url: Option<String>,
    #[schema(minimum = 0)]
    pub current_players: i64,
    #[schema(minimum = 0)]
    pub max_players: i64,
    pub is_online: bool,
    pub country: String,
    pub version: String,
    pub protocol: i64,
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
    #[schema(minimum = 0)]
    pub total_votes: i64,
    pub tags: Vec<String>,
    pub owner: Option<Owner>,
    pub latest_stats: LatestStats,
    #[schema(max_items = 800)]
    pub stats_history: Vec<StatsPoint>,
    pub period_stats: PeriodStats,
    pub vote_stats: VoteStats,
    pub daily_votes: Vec<DailyVotes>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestStats {
    #[schema(minimum = 0)]
    pub online_players: i64,
    /// Null if the server is offline or does not report it.
    pub tps: Option<f64>,
    /// Null until the first ping.
    pub timestamp: Option<Timestamp>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsPoint {
    pub timestamp: Timestamp,
    /// Players at this time, or the average over the interval that starts here.
    #[schema(minimum = 0)]
    pub online_players: i64,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct PeriodStats {
    #[serde(rename = "24h")]
    pub day: PeriodFigures,
    #[serde(rename = "7d")]
    pub week: PeriodFigures,
    #[serde(rename = "30d")]
    pub month: PeriodFigures,
    #[serde(rename = "90d")]
    pub quarter: PeriodFigures,
    #[serde(rename = "all-time")]
    pub all_time: PeriodFigures,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodFigures {
    /// Time-weighted average.
    #[schema(minimum = 0)]
    pub avg_players: f64,
    #[schema(minimum = 0)]
    pub peak_players: i64,
    #[schema(minimum = 0)]
    pub min_players: i64,
    #[schema(minimum = 0, maximum = 100)]
    pub uptime_pct: f64,
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct VoteStats {
    #[serde(rename = "24h")]
    #[schema(minimum = 0)]
    pub day: i64,
    #[serde(rename = "7d")]
    #[schema(minimum = 0)]
    pub week: i64,
    #[serde(rename = "30d")]
    #[schema(minimum = 0)]
    pub month: i64,
    #[serde(rename = "90d")]
    #[schema(minimum = 0)]
    pub quarter: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DailyVotes {
    pub day: Day,
    #[schema(minimum = 0)]
    pub votes: i64,
}

#[derive(Serialize, ToSchema)]
pub struct ServerDetailData {
    pub server: ServerDetail,
}
