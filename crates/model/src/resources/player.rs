use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{Day, Pagination, PictureUrl, ServerMention, Timestamp, closed_values};
use crate::achievements::Achievement;

/// A player in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerSummary {
    pub id: String,
    /// The UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    pub main_nickname: String,
    pub skin_url: PictureUrl,
    pub linked_skin_png_path: PictureUrl,
    #[schema(schema_with = closed_values::skin_model)]
    pub skin_model: String,
    pub country: Option<String>,
    #[schema(schema_with = closed_values::tier_label)]
    pub tier_overall: String,
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    /// Null if no tier list ranks the player.
    pub last_tier_sync_at: Option<Timestamp>,
    pub created_at: Timestamp,
    /// Seconds.
    #[schema(minimum = 0)]
    pub total_play_time: i64,
    #[schema(minimum = 0)]
    pub session_count: i64,
}

#[derive(Serialize, ToSchema)]
pub struct PlayerList {
    #[schema(max_items = 100)]
    pub players: Vec<PlayerSummary>,
    pub pagination: Pagination,
}

/// A player in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerDetail<'a> {
    pub id: String,
    #[schema(format = "uuid")]
    pub game_uuid: String,
    pub main_nickname: String,
    /// All known nicknames, oldest first; the current one last.
    pub nickname_history: Vec<String>,
    pub country: Option<String>,
    #[schema(schema_with = closed_values::skin_model)]
    pub skin_model: String,
    pub skin_url: PictureUrl,
    pub linked_skin_id: String,
    pub linked_skin_png_path: PictureUrl,
    pub linked_skin: LinkedSkin,
    #[schema(schema_with = closed_values::tier_label)]
    pub tier_overall: String,
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Seconds.
    #[schema(minimum = 0)]
    pub total_play_time: i64,
    #[schema(minimum = 0)]
    pub session_count: i64,
    #[schema(minimum = 0)]
    pub rank_score: f64,
    /// Rank on the all-time `best` leaderboard; equal scores share a rank.
    #[schema(minimum = 1)]
    pub rank: u32,
    #[schema(minimum = 0)]
    pub kd_ratio: f64,
    #[schema(minimum = 0)]
    pub total_kills: i64,
    #[schema(minimum = 0)]
    pub total_deaths: i64,
    #[schema(minimum = 0)]
    pub total_wins: i64,
    #[schema(max_items = 20)]
    pub recent_sessions: Vec<PlayerSession<'a>>,
    #[schema(max_items = 50)]
    pub servers_played: Vec<ServerMention<'a>>,
    /// Null if no server has reported stats of the player.
    pub latest_stats: Option<PlayerStats<'a>>,
    #[schema(max_items = 30)]
    pub stats_history: Vec<PlayerStatsPoint<'a>>,
    #[schema(max_items = 366)]
    pub activity_data: Vec<ActivityDay>,
    pub achievements: Achievements,
    #[schema(max_items = 20)]
    pub voted_servers: Vec<VotedServer<'a>>,
    #[schema(max_items = 20)]
    pub reviews: Vec<PlayerReview<'a>>,
}

#[derive(Serialize, ToSchema)]
pub struct PlayerDetailData<'a> {
    pub player: PlayerDetail<'a>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkedSkin {
    pub id: String,
    pub slug: String,
    pub png_path: PictureUrl,
    #[schema(schema_with = closed_values::skin_model)]
    pub model: String,
    pub name: String,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub struct PlayerSession<'a> {
    pub id: String,
    pub server: ServerMention<'a>,
    pub joined_at: Timestamp,
    /// For a session in progress, the time the player was last seen.
    pub left_at: Timestamp,
    /// Seconds.
    #[schema(minimum = 0)]
    pub total_play_time: i64,
}

/// Counters as the server reported them.
#[derive(Clone, Debug, Serialize)]
pub struct StatsJson(pub Box<RawValue>);

impl utoipa::PartialSchema for StatsJson {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, Type};
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(utoipa::openapi::schema::Schema::from(
                ObjectBuilder::new().schema_type(Type::Number).build(),
            )))
            .examples([serde_json::json!({"kills": 120, "deaths": 80, "wins": 14})])
            .build()
            .into()
    }
}
impl ToSchema for StatsJson {}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StatsServer<'a> {
    pub slug: &'a str,
    pub name: &'a str,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerStats<'a> {
    pub stats_json: StatsJson,
    pub timestamp: Timestamp,
    pub server: StatsServer<'a>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerStatsPoint<'a> {
    pub stats_json: StatsJson,
    pub timestamp: Timestamp,
    pub server_name: &'a str,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActivityDay {
    pub date: Day,
    /// Sessions that began on that day.
    #[schema(minimum = 1)]
    pub count: i64,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Achievements {
    #[schema(max_items = 24)]
    pub earned: Vec<&'static Achievement>,
    /// At most three achievements not earned yet, closest first.
    #[schema(max_items = 3)]
    pub next_goals: Vec<&'static Achievement>,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VotedServer<'a> {
    pub server_id: &'a str,
    pub server_slug: &'a str,
    pub server_name: &'a str,
    pub server_icon_url: PictureUrl,
    pub voted_at: Timestamp,
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerReview<'a> {
    pub id: String,
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
    pub content: String,
    pub created_at: Timestamp,
    pub server: ServerMention<'a>,
}
