use serde::Serialize;
use utoipa::ToSchema;

use super::{PlayerSummary, ServerSummary, Timestamp};

/// Servers by slug.
#[derive(Serialize, ToSchema)]
pub struct ServerBatch {
    /// The servers in the order of the request.
    #[schema(max_items = 100)]
    pub servers: Vec<ServerSummary>,
    /// Slugs of the request that no public server has.
    #[schema(max_items = 100)]
    pub missing: Vec<String>,
}

/// Players by id.
#[derive(Serialize, ToSchema)]
pub struct PlayerBatch {
    /// The players in the order of the request.
    #[schema(max_items = 100)]
    pub players: Vec<PlayerSummary>,
    /// Ids of the request that no player has.
    #[schema(max_items = 100)]
    pub missing: Vec<String>,
}

/// The quota of a key within one window.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyWindow {
    /// Requests allowed.
    #[schema(minimum = 0)]
    pub limit: u32,
    /// Requests used.
    #[schema(minimum = 0)]
    pub used: u32,
    /// Requests remaining.
    #[schema(minimum = 0)]
    pub remaining: u32,
    /// When the window ends and the next one begins, with nothing used.
    pub resets_at: Timestamp,
}

/// The API key of the request.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KeyStatus {
    /// Id of the key, as the dashboard shows it.
    pub id: String,
    /// Name of the key.
    pub name: String,
    /// When the key was created.
    pub created_at: Timestamp,
    /// When the key stops working; null if it does not expire.
    pub expires_at: Option<Timestamp>,
    /// The current clock minute.
    pub minute: KeyWindow,
    /// The current UTC day.
    pub day: KeyWindow,
    /// The current calendar month in UTC.
    pub month: KeyWindow,
}
