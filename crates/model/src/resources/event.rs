use serde::Serialize;
use utoipa::ToSchema;

use super::{PictureUrl, Timestamp, enum_schemas};

/// Some events, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventList {
    /// The events, oldest first.
    #[schema(max_items = 100)]
    pub events: Vec<Event>,
    /// The cursor for the next call: `after=…` returns what comes next. Also given with an empty list.
    pub next: String,
}

/// What happened.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Event {
    /// Id of the event, and the cursor after it. Later events have higher ids, compared as text.
    pub id: String,
    /// What happened.
    #[schema(schema_with = enum_schemas::event_type)]
    pub r#type: &'static str,
    /// When it happened.
    pub at: Timestamp,
    /// Where it happened; null if it is not about a server.
    pub server: Option<EventServer>,
    /// The player concerned; null if none or unknown.
    pub player: Option<EventPlayer>,
    /// More, by type.
    pub data: EventData,
}

/// The server of an event.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct EventServer {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
}

/// The player of an event.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventPlayer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Game UUID.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    /// Current nickname.
    pub nickname: String,
}

/// What an event tells, by type.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum EventData {
    ServerOnline(ServerOnlineData),
    ServerOffline(ServerOfflineData),
    ServerPeak(ServerPeakData),
    ServerVersion(ServerVersionData),
    Vote(VoteCreatedData),
    Review(ReviewCreatedData),
    Post(PostApprovedData),
    PlayerJoined(PlayerJoinedData),
    PlayerLeft(PlayerLeftData),
    PlayerRenamed(PlayerRenamedData),
    Skin(SkinPublishedData),
}

/// `server.online`: the server answers.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerOnlineData {
    /// When it stopped to answer; null if it never answered before.
    pub offline_since: Option<Timestamp>,
}

/// `server.offline`: the server does not answer.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerOfflineData {
    /// Why, such as `refused`, `timed out` or `name not found`.
    pub reason: String,
    /// The first ping without an answer.
    pub unreachable_since: Timestamp,
}

/// `server.peak`: more players than ever.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerPeakData {
    /// The new record.
    #[schema(minimum = 0)]
    pub players: i64,
    /// The record that the last such event told, or the one before events.
    #[schema(minimum = 0)]
    pub previous_players: i64,
}

/// `server.version`: the server reports another version.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerVersionData {
    /// The new version.
    pub version: String,
    /// The version before.
    pub previous_version: String,
}

/// `vote.created`: a vote for the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoteCreatedData {
    /// Id of the vote, as in `/servers/{slug}/voters`.
    pub vote_id: String,
}

/// `review.created`: a review is shown for the first time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewCreatedData {
    /// Id of the review, as in `/servers/{slug}/reviews`.
    pub review_id: String,
    /// Its rating at that time.
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
}

/// `post.approved`: an update post is shown for the first time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PostApprovedData {
    /// Id of the post, as in `/servers/{slug}/updates`.
    pub post_id: String,
    /// Its title.
    pub title: String,
}

/// `player.joined`: a player is seen on the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerJoinedData {
    /// When they were first seen.
    pub joined_at: Timestamp,
}

/// `player.left`: the player is no longer on the server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerLeftData {
    /// When they were last seen.
    pub last_seen_at: Timestamp,
}

/// `player.renamed`: the player has another nickname.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerRenamedData {
    /// The new nickname.
    pub nickname: String,
    /// The nickname before.
    pub previous_nickname: String,
}

/// `skin.published`: a skin is shown for the first time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkinPublishedData {
    /// Id of the skin.
    pub skin_id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    /// Width of the arms.
    #[schema(schema_with = enum_schemas::skin_model)]
    pub model: String,
    /// The skin (PNG).
    pub png_url: PictureUrl,
}
