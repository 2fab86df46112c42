use serde::Serialize;
use utoipa::ToSchema;

use super::{Pagination, PictureUrl, SpacedTimestamp, Timestamp, closed_values};

/// A server in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerSummary {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub short_description: String,
    /// Host name or IP address.
    pub ip: String,
    #[schema(minimum = 1, maximum = 65535)]
    pub port: i64,
    pub icon_url: PictureUrl,
    pub banner_url: PictureUrl,
    pub motd_image_url: PictureUrl,
    /// Plain text; `motdRaw` of the detail has the formatting codes.
    pub motd: String,
    pub website: Option<String>,
    pub chat_url: Option<String>,
    #[schema(schema_with = closed_values::visibility)]
    pub visibility: String,
    pub is_online: bool,
    #[schema(minimum = 0)]
    pub current_players: i64,
    #[schema(minimum = 0)]
    pub max_players: i64,
    pub version: String,
    /// Round-trip time of the last ping that the server answered, in milliseconds; 0 only if it never answered one.
    #[schema(minimum = 0)]
    pub latency: i64,
    /// Null until the first ping.
    pub last_ping: Option<Timestamp>,
    pub country: String,
    pub tags: Vec<String>,
    pub game_mode: Option<String>,
    /// Percentage of the last 30 days.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    /// Change of the average player count from the previous 24 hours to the last 24 hours, in percent.
    pub trend: f64,
    #[schema(minimum = 0)]
    pub total_votes: i64,
    /// Mean review rating, 1 to 5; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
    pub created_at: Timestamp,
}

#[derive(Serialize, ToSchema)]
pub struct ServerList {
    #[schema(max_items = 100)]
    pub servers: Vec<ServerSummary>,
    pub pagination: Pagination,
}

/// A server in the top list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopServer {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub ip: String,
    pub icon_url: PictureUrl,
    pub banner_url: PictureUrl,
    pub motd_image_url: PictureUrl,
    #[schema(minimum = 0)]
    pub current_players: i64,
    #[schema(minimum = 0)]
    pub max_players: i64,
    pub is_online: bool,
    pub country: String,
    #[schema(minimum = 0)]
    pub total_votes: i64,
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    pub trend: f64,
    /// Votes in the last 7 days.
    #[schema(minimum = 0)]
    pub recent_votes: i64,
    /// Votes with a half-life of 48 hours, plus a logarithmic share of recent players, multiplied by uptime.
    #[schema(minimum = 0)]
    pub hot_score: f64,
}

#[derive(Serialize, ToSchema)]
pub struct TopServers {
    #[schema(max_items = 100)]
    pub servers: Vec<TopServer>,
    /// Number of servers that match the filters.
    #[schema(minimum = 0)]
    pub total: u64,
    #[schema(schema_with = closed_values::top_sort)]
    pub sort: &'static str,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountryCount {
    pub country: String,
    #[schema(minimum = 1)]
    pub server_count: u64,
}

#[derive(Serialize, ToSchema)]
pub struct CountryCounts {
    pub countries: Vec<CountryCount>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionCount {
    pub version: String,
    #[schema(minimum = 1)]
    pub server_count: u64,
}

#[derive(Serialize, ToSchema)]
pub struct VersionCounts {
    pub versions: Vec<VersionCount>,
}

/// A vote for a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Voter {
    pub id: String,
    pub game_username: String,
    pub voted_at: SpacedTimestamp,
    #[schema(schema_with = closed_values::voter_type)]
    pub r#type: &'static str,
    /// Null if no player has this name.
    pub player_id: Option<String>,
    /// Null if no player has this name.
    #[schema(format = "uuid")]
    pub game_uuid: Option<String>,
    pub skin_url: PictureUrl,
    pub linked_skin_png_path: PictureUrl,
    #[schema(schema_with = closed_values::skin_model)]
    pub skin_model: String,
    /// The account name; for an anonymous vote the name in the game.
    pub site_username: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoterList {
    #[schema(max_items = 100)]
    pub voters: Vec<Voter>,
    #[schema(minimum = 0)]
    pub total: u64,
    #[schema(minimum = 1)]
    pub page: u32,
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// Null without votes.
    pub latest_vote_at: Option<SpacedTimestamp>,
}

/// A review of a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    pub id: String,
    pub server_id: String,
    pub user_id: Option<String>,
    pub game_username: String,
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
    pub content: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub user: Reviewer,
    /// Null if no player has this name.
    pub player_id: Option<String>,
    /// The player's current nickname, or `gameUsername` if no player has this name.
    pub player_main_nickname: String,
    /// Null if no player has this name.
    #[schema(format = "uuid")]
    pub player_game_uuid: Option<String>,
    pub player_skin_url: Option<PictureUrl>,
    #[schema(schema_with = closed_values::skin_model)]
    pub player_skin_model: String,
    pub player_linked_skin_png_path: PictureUrl,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Reviewer {
    pub id: Option<String>,
    pub username: String,
    pub avatar: Option<PictureUrl>,
    pub role: String,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewList {
    #[schema(max_items = 100)]
    pub reviews: Vec<Review>,
    #[schema(minimum = 0)]
    pub total: u64,
    #[schema(minimum = 1)]
    pub page: u32,
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// Mean rating of all reviews of the server; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub avg_rating: f64,
    /// Null without reviews.
    pub latest_review_at: Option<Timestamp>,
}

/// An announcement of a server's owner.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePost {
    pub id: String,
    pub server_id: String,
    pub user_id: String,
    pub title: String,
    pub content: String,
    #[schema(schema_with = closed_values::post_status)]
    pub status: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePostList {
    #[schema(max_items = 100)]
    pub updates: Vec<UpdatePost>,
    #[schema(minimum = 0)]
    pub total: u64,
    #[schema(minimum = 1)]
    pub page: u32,
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// Null without posts.
    pub latest_update_at: Option<Timestamp>,
}
