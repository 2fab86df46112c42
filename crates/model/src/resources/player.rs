use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{Day, Pagination, PictureUrl, ServerMention, Timestamp, enum_schemas};
use crate::achievements::Achievement;

/// A player in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerSummary {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// The UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub skin_model: String,
    /// Country name; null if not known.
    pub country: Option<String>,
    #[schema(schema_with = enum_schemas::tier_label)]
    pub tier_overall: String,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    /// When the tier was last taken over from a tier list; null if no tier list ranks the player.
    pub last_tier_sync_at: Option<Timestamp>,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// Seconds.
    #[schema(minimum = 0)]
    pub total_play_time: i64,
    /// Number of sessions on public servers.
    #[schema(minimum = 0)]
    pub session_count: i64,
}

/// A page of the player directory.
#[derive(Serialize, ToSchema)]
pub struct PlayerList {
    /// Players of this page.
    #[schema(max_items = 100)]
    pub players: Vec<PlayerSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A player in detail.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerDetail<'a> {
    /// Id of the player.
    pub id: String,
    /// Game UUID, hyphenated, in lower case.
    #[schema(format = "uuid")]
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// All known nicknames, oldest first; the current one last.
    pub nickname_history: Vec<String>,
    /// Country name; null if not known.
    pub country: Option<String>,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub skin_model: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// Id of the linked skin; equals `linkedSkin.id`.
    pub linked_skin_id: String,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
    /// The skin of the collection that the player wears.
    pub linked_skin: LinkedSkin,
    #[schema(schema_with = enum_schemas::tier_label)]
    pub tier_overall: String,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    #[schema(minimum = 0)]
    pub tier_points: i64,
    /// Null if no tier list ranks the player.
    #[schema(minimum = 1)]
    pub tier_rank: Option<i64>,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// Seconds.
    #[schema(minimum = 0)]
    pub total_play_time: i64,
    /// Number of sessions on public servers.
    #[schema(minimum = 0)]
    pub session_count: i64,
    /// Score of the all-time `best` leaderboard, from play time, wins, tier points, sessions, servers and kills; two decimals.
    #[schema(minimum = 0)]
    pub rank_score: f64,
    /// Rank on the all-time `best` leaderboard; equal scores share a rank.
    #[schema(minimum = 1)]
    pub rank: u32,
    /// Kills divided by deaths, two decimals; the kills if there are no deaths.
    #[schema(minimum = 0)]
    pub kd_ratio: f64,
    /// Kills over all servers that report counters.
    #[schema(minimum = 0)]
    pub total_kills: i64,
    /// Deaths over all servers that report counters.
    #[schema(minimum = 0)]
    pub total_deaths: i64,
    /// Wins over all servers that report counters.
    #[schema(minimum = 0)]
    pub total_wins: i64,
    /// The latest 20 sessions, newest first.
    #[schema(max_items = 20)]
    pub recent_sessions: Vec<PlayerSession<'a>>,
    /// At most 50 servers the player was on, the one played last first.
    #[schema(max_items = 50)]
    pub servers_played: Vec<ServerMention<'a>>,
    /// The newest of `statsHistory`; null if no server has reported counters of the player.
    pub latest_stats: Option<PlayerStats<'a>>,
    /// The latest 30 reports of counters, newest first.
    #[schema(max_items = 30)]
    pub stats_history: Vec<PlayerStatsPoint<'a>>,
    /// Days of the last year with sessions, earliest first; days without are left out.
    #[schema(max_items = 366)]
    pub activity_data: Vec<ActivityDay>,
    /// Earned achievements and the next ones in reach.
    pub achievements: Achievements,
    /// The latest 20 servers the player voted for, newest vote first; each server once.
    #[schema(max_items = 20)]
    pub voted_servers: Vec<VotedServer<'a>>,
    /// The latest 20 reviews by the player, newest first.
    #[schema(max_items = 20)]
    pub reviews: Vec<PlayerReview<'a>>,
}

/// The player asked for.
#[derive(Serialize, ToSchema)]
pub struct PlayerDetailData<'a> {
    /// The player.
    pub player: PlayerDetail<'a>,
}

/// The skin of the collection that a player wears.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkedSkin {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub model: String,
    /// Name of the skin.
    pub name: String,
}

/// A stay of a player on a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Session)]
pub struct PlayerSession<'a> {
    /// Id of the session.
    pub id: String,
    /// The server.
    pub server: ServerMention<'a>,
    /// When the player was first seen on the server.
    pub joined_at: Timestamp,
    /// For a session in progress, the time the player was last seen.
    pub left_at: Timestamp,
    /// Length in seconds.
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
            .description(Some("Counters by name, such as `kills`, `deaths` and `wins`."))
            .additional_properties(Some(utoipa::openapi::schema::Schema::from(
                ObjectBuilder::new().schema_type(Type::Number).build(),
            )))
            .examples([serde_json::json!({"kills": 120, "deaths": 80, "wins": 14})])
            .build()
            .into()
    }
}
impl ToSchema for StatsJson {}

/// The server that reported the counters.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct StatsServer<'a> {
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: &'a str,
    /// Name of the server.
    pub name: &'a str,
}

/// The latest counters that a server reported of a player.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerStats<'a> {
    /// Counters by name, as the server reported them.
    pub stats_json: StatsJson,
    /// When they were reported.
    pub timestamp: Timestamp,
    /// The server that reported them.
    pub server: StatsServer<'a>,
}

/// Counters that a server reported of a player at one time.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerStatsPoint<'a> {
    /// Counters by name, as the server reported them.
    pub stats_json: StatsJson,
    /// When they were reported.
    pub timestamp: Timestamp,
    /// Name of the server that reported them.
    pub server_name: &'a str,
}

/// A UTC day on which the player began at least one session.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ActivityDay {
    /// The UTC day.
    pub date: Day,
    /// Sessions that began on that day.
    #[schema(minimum = 1)]
    pub count: i64,
}

/// Achievements of a player.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Achievements {
    /// Achievements the player has earned, in the order of the fixed list.
    #[schema(max_items = 24)]
    pub earned: Vec<&'static Achievement>,
    /// At most three achievements not earned yet, closest first.
    #[schema(max_items = 3)]
    pub next_goals: Vec<&'static Achievement>,
}

/// A server that the player voted for.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VotedServer<'a> {
    /// Id of the server.
    pub server_id: &'a str,
    /// Slug of the server, for `/servers/{slug}`.
    pub server_slug: &'a str,
    /// Name of the server.
    pub server_name: &'a str,
    /// Square icon of the server (PNG), normally 64×64 pixels.
    pub server_icon_url: PictureUrl,
    /// Time of the player's latest vote for it.
    pub voted_at: Timestamp,
}

/// A review that the player wrote.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlayerReview<'a> {
    /// Id of the review.
    pub id: String,
    /// Stars, 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
    /// Text of the review.
    pub content: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// The server it is about.
    pub server: ServerMention<'a>,
}
