use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{Timestamp, enum_schemas};
use crate::score::Direction;

/// Live statistics of all public servers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveData {
    /// Totals over all public servers.
    pub stats: LiveStats,
    /// The servers with the most players, most first.
    #[schema(max_items = 10)]
    pub top_servers: Vec<LiveServer>,
    /// The latest votes, reviews and update posts, newest first.
    #[schema(max_items = 20)]
    pub recent_activity: Vec<Activity>,
    /// Players and servers by continent, most players first.
    #[schema(max_items = 8)]
    pub regions: Vec<Region>,
    /// Online players by country name.
    pub country_players: BTreeMap<String, i64>,
}

/// Totals over all public servers.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveStats {
    /// Players online now on all public servers.
    #[schema(minimum = 0)]
    pub total_players: i64,
    /// Public servers.
    #[schema(minimum = 0)]
    pub total_servers: i64,
    /// Public servers that are online.
    #[schema(minimum = 0)]
    pub online_servers: i64,
    /// Players first seen since 00:00 UTC.
    #[schema(minimum = 0)]
    pub new_players_today: i64,
    /// The most players online at once since 00:00 UTC.
    #[schema(minimum = 0)]
    pub peak_today: i64,
    /// When this response was made.
    pub generated_at: Timestamp,
    /// Time of the latest ping of any server; null until the first ping.
    pub latest_ping_at: Option<Timestamp>,
    /// Seconds since the latest ping; null until the first ping.
    #[schema(minimum = 0)]
    pub stats_age_seconds: Option<i64>,
    /// True if no server was pinged for three intervals.
    pub stale: bool,
}

/// One of the busiest servers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveServer {
    /// Id of the server.
    pub id: String,
    /// Name of the server.
    pub name: String,
    /// Players online now.
    #[schema(minimum = 0)]
    pub players: i64,
    /// Player slots that the server reports; 0 until its first answer.
    #[schema(minimum = 0)]
    pub max_players: i64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Direction of the player count: the last 24 hours compared with the 24 hours before.
    pub trend: Direction,
    /// Change of the player count within the last hour; 0 if there is no sample from an hour ago.
    pub change: i64,
}

/// A vote, a review or an update post.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Activity {
    #[schema(schema_with = enum_schemas::activity_type)]
    pub r#type: &'static str,
    /// Who did it: the game name of a voter or reviewer, the account name of the author of a post.
    pub actor: String,
    /// Name of the server.
    pub target: String,
    /// When it happened.
    pub time: Timestamp,
    /// The slug of the server, for links on pages.
    #[serde(skip)]
    pub slug: String,
}

/// A continent, or `unknown` for servers whose country is not known.
#[derive(Serialize, ToSchema)]
pub struct Region {
    /// `africa`, `antarctica`, `asia`, `europe`, `north-america`, `oceania`, `south-america` or `unknown`.
    pub id: &'static str,
    /// English name of the continent, or `Unknown`.
    pub name: &'static str,
    /// Players online now.
    #[schema(minimum = 0)]
    pub players: i64,
    /// Public servers.
    #[schema(minimum = 0)]
    pub servers: i64,
}

/// One hour of the history.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveHistoryPoint {
    /// Start of the hour.
    pub timestamp: Timestamp,
    /// Players online on all public servers, averaged over the hour.
    #[schema(minimum = 0)]
    pub total_players: i64,
}

/// Players online per hour over the last seven days.
#[derive(Serialize, ToSchema)]
pub struct LiveHistory {
    /// Hours, earliest first. Hours without pings are left out.
    #[schema(max_items = 168)]
    pub history: Vec<LiveHistoryPoint>,
}
