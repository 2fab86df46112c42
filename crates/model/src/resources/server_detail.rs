use serde::Serialize;
use utoipa::ToSchema;

use super::{Day, Owner, PictureUrl, Timestamp};

/// A server in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerDetail {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, as in the path.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// Host name or IP address.
    pub ip: String,
    /// Port; 25565 is the default of Java Edition, 19132 of Bedrock Edition.
    #[schema(minimum = 1, maximum = 65535)]
    pub port: i64,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
    /// Banner (PNG), normally 468×60 pixels; drawn if there is none.
    pub banner_url: PictureUrl,
    /// Message of the day as plain text; lines are separated by a line feed.
    pub motd: String,
    /// The message of the day with its formatting codes.
    pub motd_raw: String,
    /// The message of the day as the game shows it (PNG), normally 740×84 pixels.
    pub motd_image_url: PictureUrl,
    /// Website of the server; null if none is known.
    pub website: Option<String>,
    /// Invitation to the chat of the server, such as Discord; null if none is known.
    pub chat_url: Option<String>,
    /// Shop of the server; null if none is known.
    pub store_url: Option<String>,
    /// Trailer of the server; null if none is known.
    pub video_url: Option<String>,
    /// Players online at the last ping; 0 while the server is offline.
    #[schema(minimum = 0)]
    pub current_players: i64,
    /// Player slots that the server reports; 0 until its first answer.
    #[schema(minimum = 0)]
    pub max_players: i64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Version that the server reports, free text such as `1.21.4` or `Paper 1.21.4`; `Unknown` until its first answer.
    pub version: String,
    /// Protocol number of the version; 0 if unknown.
    pub protocol: i64,
    /// Percentage of the last 30 days in which the server was online, two decimals.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    /// Mean review rating, 1 to 5, two decimals; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
    /// Votes since the server was added.
    #[schema(minimum = 0)]
    pub total_votes: i64,
    /// Tags; filters compare them without regard to case.
    pub tags: Vec<String>,
    /// The account that owns the server; null if nobody has claimed it.
    pub owner: Option<Owner>,
    /// What the last ping found.
    pub latest_stats: LatestStats,
    /// Players over the chosen `period`, earliest first: single pings for 24 hours, averages per interval for longer periods.
    #[schema(max_items = 800)]
    pub stats_history: Vec<StatsPoint>,
    /// Figures by period, whatever `period` is chosen.
    pub period_stats: PeriodStats,
    /// Votes by period, whatever `period` is chosen.
    pub vote_stats: VoteStats,
    /// Votes per UTC day of the chosen `period`, earliest first.
    pub daily_votes: Vec<DailyVotes>,
}

/// What the last ping found.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LatestStats {
    /// Players online; 0 while the server is offline.
    #[schema(minimum = 0)]
    pub online_players: i64,
    /// Ticks per second, 20 at full speed; null if the server is offline or does not report it.
    pub tps: Option<f64>,
    /// Time of the last ping; null until the first ping.
    pub timestamp: Option<Timestamp>,
}

/// A point of the player history.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatsPoint {
    /// Time of the ping, or start of the interval.
    pub timestamp: Timestamp,
    /// Players at this time, or the average over the interval that starts here.
    #[schema(minimum = 0)]
    pub online_players: i64,
}

/// Figures by period; each period ends now.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct PeriodStats {
    /// The last 24 hours.
    #[serde(rename = "24h")]
    pub day: PeriodFigures,
    /// The last 7 days.
    #[serde(rename = "7d")]
    pub week: PeriodFigures,
    /// The last 30 days.
    #[serde(rename = "30d")]
    pub month: PeriodFigures,
    /// The last 90 days.
    #[serde(rename = "90d")]
    pub quarter: PeriodFigures,
    /// Everything since the first ping.
    #[serde(rename = "all-time")]
    pub all_time: PeriodFigures,
}

/// Figures of a server over a period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PeriodFigures {
    /// Average players, weighted by time; 0 without data.
    #[schema(minimum = 0)]
    pub avg_players: f64,
    /// Most players at once; 0 without data.
    #[schema(minimum = 0)]
    pub peak_players: i64,
    /// Fewest players at once; 0 without data.
    #[schema(minimum = 0)]
    pub min_players: i64,
    /// Percentage of the watched time in which the server was online, two decimals; 0 without data.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime_pct: f64,
}

/// Votes by period; each period ends now.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct VoteStats {
    /// Votes of the last 24 hours.
    #[serde(rename = "24h")]
    #[schema(minimum = 0)]
    pub day: i64,
    /// Votes of the last 7 days.
    #[serde(rename = "7d")]
    #[schema(minimum = 0)]
    pub week: i64,
    /// Votes of the last 30 days.
    #[serde(rename = "30d")]
    #[schema(minimum = 0)]
    pub month: i64,
    /// Votes of the last 90 days.
    #[serde(rename = "90d")]
    #[schema(minimum = 0)]
    pub quarter: i64,
}

/// The votes of one UTC day.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DailyVotes {
    /// The UTC day.
    pub day: Day,
    /// Votes on that day; 0 is possible.
    #[schema(minimum = 0)]
    pub votes: i64,
}

/// The server asked for.
#[derive(Serialize, ToSchema)]
pub struct ServerDetailData {
    /// The server.
    pub server: ServerDetail,
}
