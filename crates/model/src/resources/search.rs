use serde::Serialize;
use utoipa::ToSchema;

use super::{PictureUrl, Timestamp};

/// A server in the search results.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
    /// Banner (PNG), normally 468×60 pixels; drawn if there is none.
    pub banner_url: PictureUrl,
    /// Players online at the last ping; 0 while the server is offline.
    #[schema(minimum = 0)]
    pub current_players: i64,
    /// Player slots that the server reports; 0 until its first answer.
    #[schema(minimum = 0)]
    pub max_players: i64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Mean review rating, 1 to 5, two decimals; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
}

/// A player in the search results.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundPlayer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Game UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
}

/// Results by kind. A kind that was not asked for is an empty list.
#[derive(Serialize, ToSchema)]
#[schema(as = Found)]
pub struct SearchResults {
    /// Servers, best match first.
    #[schema(max_items = 100)]
    pub servers: Vec<FoundServer>,
    /// Players, best match first.
    #[schema(max_items = 100)]
    pub players: Vec<FoundPlayer>,
}

/// Search results, best matches first.
#[derive(Serialize, ToSchema)]
pub struct SearchData {
    /// What was found.
    pub results: SearchResults,
    /// The search text, trimmed.
    pub query: String,
}
