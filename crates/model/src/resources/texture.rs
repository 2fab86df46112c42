use serde::Serialize;
use utoipa::ToSchema;

use super::{Owner, Pagination, PictureUrl, Timestamp, closed_values};

/// A skin in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkinSummary {
    pub id: String,
    pub slug: String,
    pub name: String,
    #[schema(schema_with = closed_values::skin_model)]
    pub model: String,
    pub tags: Vec<String>,
    pub png_path: PictureUrl,
    #[schema(minimum = 0)]
    pub view_count: i64,
    #[schema(minimum = 0)]
    pub like_count: i64,
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// Number of players who wear it.
    #[schema(minimum = 0)]
    pub usage_count: i64,
    pub is_featured: bool,
    pub created_at: Timestamp,
    pub owner_id: String,
    pub owner: Owner,
}

#[derive(Serialize, ToSchema)]
pub struct SkinList {
    #[schema(max_items = 100)]
    pub skins: Vec<SkinSummary>,
    pub pagination: Pagination,
}

/// A skin in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkinDetail {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub description: String,
    #[schema(schema_with = closed_values::skin_model)]
    pub model: String,
    pub tags: Vec<String>,
    pub png_path: PictureUrl,
    #[schema(minimum = 0)]
    pub view_count: i64,
    #[schema(minimum = 0)]
    pub like_count: i64,
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    #[schema(minimum = 0)]
    pub download_count: i64,
    pub created_at: Timestamp,
    pub owner_id: String,
    pub owner: Owner,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    #[schema(max_items = 24)]
    pub players_using: Vec<TextureWearer>,
    #[schema(minimum = 0)]
    pub players_using_count: i64,
    pub viewer: Viewer,
}

#[derive(Serialize, ToSchema)]
pub struct SkinDetailData {
    pub skin: SkinDetail,
}

/// A cape in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapeSummary {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub tags: Vec<String>,
    pub png_path: PictureUrl,
    #[schema(minimum = 0)]
    pub view_count: i64,
    #[schema(minimum = 0)]
    pub like_count: i64,
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    #[schema(minimum = 0)]
    pub download_count: i64,
    pub is_featured: bool,
    pub created_at: Timestamp,
    pub owner_id: String,
    pub owner: Owner,
}

#[derive(Serialize, ToSchema)]
pub struct CapeList {
    #[schema(max_items = 100)]
    pub capes: Vec<CapeSummary>,
    pub pagination: Pagination,
}

/// A cape in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapeDetail {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub description: String,
    pub tags: Vec<String>,
    pub png_path: PictureUrl,
    #[schema(minimum = 0)]
    pub view_count: i64,
    #[schema(minimum = 0)]
    pub like_count: i64,
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    #[schema(max_items = 24)]
    pub players_using: Vec<TextureWearer>,
    #[schema(minimum = 0)]
    pub players_using_count: i64,
    pub owner: Owner,
    pub viewer: Viewer,
}

#[derive(Serialize, ToSchema)]
pub struct CapeDetailData {
    pub cape: CapeDetail,
}

/// A player who wears a skin or cape.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextureWearer {
    pub id: String,
    pub main_nickname: String,
    #[schema(format = "uuid")]
    pub game_uuid: String,
    pub skin_url: PictureUrl,
    #[schema(schema_with = closed_values::skin_model)]
    pub skin_model: String,
    #[schema(schema_with = closed_values::tier_label)]
    pub tier_overall: String,
    pub linked_skin_png_path: PictureUrl,
}

/// The relation of the API key's account to the texture; all false for a key without an account.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Viewer {
    pub liked: bool,
    pub favorited: bool,
    pub is_owner: bool,
}
