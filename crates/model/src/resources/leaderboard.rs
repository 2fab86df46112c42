use serde::Serialize;
use utoipa::ToSchema;

use super::{Pagination, PictureUrl, Timestamp, closed_values};

#[derive(Serialize, ToSchema)]
pub struct LeaderboardData {
    pub leaderboard: Leaderboard,
    pub pagination: Pagination,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Leaderboard {
    #[schema(schema_with = closed_values::leaderboard_metric)]
    pub metric: &'static str,
    #[schema(schema_with = closed_values::period)]
    pub period: &'static str,
    /// Always null: leaderboards cover all servers.
    pub server_id: Option<String>,
    pub generated_at: Timestamp,
    #[schema(max_items = 100)]
    pub entries: Vec<LeaderboardEntry>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardEntry {
    /// Rank on the whole leaderboard. Equal values share a rank (1, 2, 2, 4); filters do not change it.
    #[schema(minimum = 1)]
    pub rank: u32,
    pub player: LeaderboardPlayer,
    #[schema(minimum = 0)]
    #[serde(serialize_with = "serialize_value")]
    pub value: f64,
    pub formatted_value: String,
}

/// Writes a whole number without a fraction: `6`, `6.5`.
fn serialize_value<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { serializer.serialize_i64(*value as i64) } else { serializer.serialize_f64(*value) }
}

#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardPlayer {
    pub id: String,
    pub main_nickname: String,
    #[schema(format = "uuid")]
    pub game_uuid: String,
    #[schema(schema_with = closed_values::tier_label)]
    pub tier_overall: String,
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    #[schema(schema_with = closed_values::skin_model)]
    pub skin_model: String,
    pub skin_url: PictureUrl,
    pub linked_skin_png_path: PictureUrl,
}
