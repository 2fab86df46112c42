use serde::Serialize;
use utoipa::ToSchema;

use super::Timestamp;

/// A time in which the server did not answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerOutage {
    /// The first ping without an answer.
    pub started_at: Timestamp,
    /// The first answer after it; null while the outage lasts.
    pub ended_at: Option<Timestamp>,
    /// Length in whole seconds; until now while it lasts.
    #[schema(minimum = 0)]
    pub duration: i64,
    /// Why the first pings failed, in English, such as `connection refused`.
    pub reason: String,
}

/// Outages of a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OutageList {
    /// Outages, newest first.
    #[schema(max_items = 100)]
    pub outages: Vec<ServerOutage>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}
