use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{Timestamp, closed_values};
use crate::score::Direction;

/// Live statistics of all public servers.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveData {
    pub stats: LiveStats,
    #[schema(max_items = 10)]
    pub top_servers: Vec<LiveServer>,
    #[schema(max_items = 20)]
    pub recent_activity: Vec<Activity>,
    #[schema(max_items = 8)]
    pub regions: Vec<Region>,
    /// Online players by country name.
    pub country_players: BTreeMap<String, i64>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveStats {
    /// Players online now on all public servers.
    #[schema(minimum = 0)]
    pub total_players: i64,
    #[schema(minimum = 0)]
    pub total_servers: i64,
    #[schema(minimum = 0)]
    pub online_servers: i64,
    /// Players first seen since 00:00 UTC.
    #[schema(minimum = 0)]
    pub new_players_today: i64,
    /// The most players online at once since 00:00 UTC.
    #[schema(minimum = 0)]
    pub peak_today: i64,
    pub generated_at: Timestamp,
    /// Null until the first ping.
    pub latest_ping_at: Option<Timestamp>,
    /// Null until the first ping.
    #[schema(minimum = 0)]
    pub stats_age_seconds: Option<i64>,
    /// True if no server was pinged for three intervals.
    pub stale: bool,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveServer {
    pub id: String,
    pub name: String,
    #[schema(minimum = 0)]
    pub players: i64,
    #[schema(minimum = 0)]
    pub max_players: i64,
    pub is_online: bool,
    pub country: String,
    pub trend: Direction,
    /// Change of the player count within the last hour.
    pub change: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Activity {
    #[schema(schema_with = closed_values::activity_type)]
    pub r#type: &'static str,
    pub actor: String,
    pub target: String,
    pub time: Timestamp,
    /// The slug of the server, for links on pages.
    #[serde(skip)]
    pub slug: String,
}

/// A continent, or `unknown` for servers whose country is not known.
#[derive(Serialize, ToSchema)]
pub struct Region {
    pub id: &'static str,
    pub name: &'static str,
    #[schema(minimum = 0)]
    pub players: i64,
    #[schema(minimum = 0)]
    pub servers: i64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LiveHistoryPoint {
    /// Start of the hour.
    pub timestamp: Timestamp,
    /// Average over the hour.
    #[schema(minimum = 0)]
    pub total_players: i64,
}

#[derive(Serialize, ToSchema)]
pub struct LiveHistory {
    #[schema(max_items = 168)]
    pub history: Vec<LiveHistoryPoint>,
}
