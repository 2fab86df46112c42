use serde::Serialize;
use utoipa::ToSchema;

use super::{Pagination, PictureUrl, Timestamp, enum_schemas};

/// A page of a leaderboard.
#[derive(Serialize, ToSchema)]
pub struct LeaderboardData {
    /// The leaderboard with the entries of this page.
    pub leaderboard: Leaderboard,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A leaderboard: the players with the highest values of one metric in one period.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Leaderboard {
    #[schema(schema_with = enum_schemas::leaderboard_metric)]
    pub metric: &'static str,
    #[schema(schema_with = enum_schemas::period)]
    pub period: &'static str,
    /// Always null: leaderboards cover all servers.
    pub server_id: Option<String>,
    /// When the values were computed; at most about a minute ago.
    pub generated_at: Timestamp,
    /// Entries of this page, highest value first.
    #[schema(max_items = 100)]
    pub entries: Vec<LeaderboardEntry>,
}

/// A place on the leaderboard.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardEntry {
    /// Rank on the whole leaderboard. Equal values share a rank (1, 2, 2, 4); filters do not change it.
    #[schema(minimum = 1)]
    pub rank: u32,
    /// The player in this place.
    pub player: LeaderboardPlayer,
    /// Value of the metric: the rank score for `best`, a whole number for `sessions` and `servers`.
    #[schema(minimum = 0)]
    #[serde(serialize_with = "serialize_value")]
    pub value: f64,
    /// The value as text for display: `187.35`, `1,204`.
    pub formatted_value: String,
}

/// Writes a whole number without a fraction: `6`, `6.5`.
fn serialize_value<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { serializer.serialize_i64(*value as i64) } else { serializer.serialize_f64(*value) }
}

/// The player of a leaderboard entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaderboardPlayer {
    /// Id of the player.
    pub id: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Game UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    #[schema(schema_with = enum_schemas::tier_label)]
    pub tier_overall: String,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub skin_model: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
}
