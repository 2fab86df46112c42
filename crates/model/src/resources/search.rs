use serde::Serialize;
use utoipa::ToSchema;

use super::{PictureUrl, Timestamp};

/// A server in the search results.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundServer {
    pub id: String,
    pub slug: String,
    pub name: String,
    pub icon_url: PictureUrl,
    pub banner_url: PictureUrl,
    #[schema(minimum = 0)]
    pub current_players: i64,
    #[schema(minimum = 0)]
    pub max_players: i64,
    pub is_online: bool,
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
}

/// A player in the search results.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundPlayer {
    pub id: String,
    #[schema(format = "uuid")]
    pub game_uuid: String,
    pub main_nickname: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Found)]
pub struct SearchResults {
    #[schema(max_items = 100)]
    pub servers: Vec<FoundServer>,
    #[schema(max_items = 100)]
    pub players: Vec<FoundPlayer>,
}

#[derive(Serialize, ToSchema)]
pub struct SearchData {
    pub results: SearchResults,
    /// The search text, trimmed.
    pub query: String,
}
