use serde::Serialize;
use utoipa::ToSchema;

use super::{Owner, Pagination, PictureUrl, Timestamp, enum_schemas};

/// A skin in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkinSummary {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub model: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    #[schema(minimum = 0)]
    pub view_count: i64,
    /// Accounts that like it.
    #[schema(minimum = 0)]
    pub like_count: i64,
    /// Accounts that have it among their favourites.
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    /// How often it was downloaded.
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// Number of players who wear it.
    #[schema(minimum = 0)]
    pub usage_count: i64,
    /// Whether the operator features it.
    pub is_featured: bool,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
}

/// A page of the skins.
#[derive(Serialize, ToSchema)]
pub struct SkinList {
    /// Skins of this page.
    #[schema(max_items = 100)]
    pub skins: Vec<SkinSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A skin in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkinDetail {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    /// What the owner says about the skin; empty if nothing.
    pub description: String,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub model: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    #[schema(minimum = 0)]
    pub view_count: i64,
    /// Accounts that like it.
    #[schema(minimum = 0)]
    pub like_count: i64,
    /// Accounts that have it among their favourites.
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    /// How often it was downloaded.
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    #[schema(max_items = 24)]
    pub players_using: Vec<TextureWearer>,
    /// Number of players who wear it.
    #[schema(minimum = 0)]
    pub players_using_count: i64,
    /// How the account of the API key relates to it.
    pub viewer: Viewer,
}

/// The skin asked for.
#[derive(Serialize, ToSchema)]
pub struct SkinDetailData {
    /// The skin.
    pub skin: SkinDetail,
}

/// A cape in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapeSummary {
    /// Id of the cape.
    pub id: String,
    /// Slug of the cape, for `/capes/{slug}`.
    pub slug: String,
    /// Name of the cape.
    pub name: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×32 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    #[schema(minimum = 0)]
    pub view_count: i64,
    /// Accounts that like it.
    #[schema(minimum = 0)]
    pub like_count: i64,
    /// Accounts that have it among their favourites.
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    /// How often it was downloaded.
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// Whether the operator features it.
    pub is_featured: bool,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
}

/// A page of the capes.
#[derive(Serialize, ToSchema)]
pub struct CapeList {
    /// Capes of this page.
    #[schema(max_items = 100)]
    pub capes: Vec<CapeSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A cape in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapeDetail {
    /// Id of the cape.
    pub id: String,
    /// Slug of the cape, for `/capes/{slug}`.
    pub slug: String,
    /// Name of the cape.
    pub name: String,
    /// What the owner says about the cape; empty if nothing.
    pub description: String,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×32 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    #[schema(minimum = 0)]
    pub view_count: i64,
    /// Accounts that like it.
    #[schema(minimum = 0)]
    pub like_count: i64,
    /// Accounts that have it among their favourites.
    #[schema(minimum = 0)]
    pub favorite_count: i64,
    /// How often it was downloaded.
    #[schema(minimum = 0)]
    pub download_count: i64,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    #[schema(max_items = 24)]
    pub players_using: Vec<TextureWearer>,
    /// Number of players who wear it.
    #[schema(minimum = 0)]
    pub players_using_count: i64,
    /// The account that owns it.
    pub owner: Owner,
    /// How the account of the API key relates to it.
    pub viewer: Viewer,
}

/// The cape asked for.
#[derive(Serialize, ToSchema)]
pub struct CapeDetailData {
    /// The cape.
    pub cape: CapeDetail,
}

/// A player who wears a skin or cape.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextureWearer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Game UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub skin_model: String,
    #[schema(schema_with = enum_schemas::tier_label)]
    pub tier_overall: String,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
}

/// The relation of the API key's account to the texture; all false for a key without an account.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Viewer {
    /// Whether the account likes it.
    pub liked: bool,
    /// Whether it is among the account's favourites.
    pub favorited: bool,
    /// Whether the account owns it.
    pub is_owner: bool,
}
