use serde::Serialize;
use utoipa::ToSchema;

use super::{Pagination, PictureUrl, SpacedTimestamp, Timestamp, enum_schemas};

/// A server in the list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerSummary {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// One line about the server; empty if there is none.
    pub short_description: String,
    /// Host name or IP address.
    pub ip: String,
    /// Port; 25565 is the default of Java Edition, 19132 of Bedrock Edition.
    #[schema(minimum = 1, maximum = 65535)]
    pub port: i64,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
    /// Banner (PNG), normally 468×60 pixels; drawn if there is none.
    pub banner_url: PictureUrl,
    /// The message of the day as the game shows it (PNG), normally 740×84 pixels.
    pub motd_image_url: PictureUrl,
    /// Plain text; `motdRaw` of the detail has the formatting codes.
    pub motd: String,
    /// Website of the server; null if none is known.
    pub website: Option<String>,
    /// Invitation to the chat of the server, such as Discord; null if none is known.
    pub chat_url: Option<String>,
    #[schema(schema_with = enum_schemas::visibility)]
    pub visibility: String,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Players online at the last ping; 0 while the server is offline.
    #[schema(minimum = 0)]
    pub current_players: i64,
    /// Player slots that the server reports; 0 until its first answer.
    #[schema(minimum = 0)]
    pub max_players: i64,
    /// Version that the server reports, free text such as `1.21.4` or `Paper 1.21.4`; `Unknown` until its first answer.
    pub version: String,
    /// Round-trip time of the last ping that the server answered, in milliseconds; 0 only if it never answered one.
    #[schema(minimum = 0)]
    pub latency: i64,
    /// Time of the last ping, answered or not; null until the first ping.
    pub last_ping: Option<Timestamp>,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Tags; filters compare them without regard to case.
    pub tags: Vec<String>,
    /// Game mode, free text such as `Survival`; null if not known.
    pub game_mode: Option<String>,
    /// Percentage of the last 30 days.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    /// Change of the average player count from the previous 24 hours to the last 24 hours, in percent.
    pub trend: f64,
    /// Votes since the server was added.
    #[schema(minimum = 0)]
    pub total_votes: i64,
    /// Mean review rating, 1 to 5; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub rating: f64,
    /// When the server was added.
    pub created_at: Timestamp,
}

/// A page of the server list.
#[derive(Serialize, ToSchema)]
pub struct ServerList {
    /// Servers of this page.
    #[schema(max_items = 100)]
    pub servers: Vec<ServerSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A server in the top list.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TopServer {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// Host name or IP address.
    pub ip: String,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
    /// Banner (PNG), normally 468×60 pixels; drawn if there is none.
    pub banner_url: PictureUrl,
    /// The message of the day as the game shows it (PNG), normally 740×84 pixels.
    pub motd_image_url: PictureUrl,
    /// Players online at the last ping; 0 while the server is offline.
    #[schema(minimum = 0)]
    pub current_players: i64,
    /// Player slots that the server reports; 0 until its first answer.
    #[schema(minimum = 0)]
    pub max_players: i64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Votes since the server was added.
    #[schema(minimum = 0)]
    pub total_votes: i64,
    /// Percentage of the last 30 days in which the server was online, two decimals.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
    /// Change of the average player count from the previous 24 hours to the last 24 hours, in percent.
    pub trend: f64,
    /// Votes in the last 7 days.
    #[schema(minimum = 0)]
    pub recent_votes: i64,
    /// Votes with a half-life of 48 hours, plus a logarithmic share of recent players, multiplied by uptime.
    #[schema(minimum = 0)]
    pub hot_score: f64,
}

/// The first servers by one criterion.
#[derive(Serialize, ToSchema)]
pub struct TopServers {
    /// Servers, first place first.
    #[schema(max_items = 100)]
    pub servers: Vec<TopServer>,
    /// Number of servers that match the filters.
    #[schema(minimum = 0)]
    pub total: u64,
    #[schema(schema_with = enum_schemas::top_sort)]
    pub sort: &'static str,
}

/// The number of servers in a country.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CountryCount {
    /// Country name, or `Unknown`.
    pub country: String,
    /// Public servers there.
    #[schema(minimum = 1)]
    pub server_count: u64,
}

/// Servers by country.
#[derive(Serialize, ToSchema)]
pub struct CountryCounts {
    /// Every country with a public server, most servers first.
    pub countries: Vec<CountryCount>,
}

/// The number of servers that run a version.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VersionCount {
    /// Version as the servers report it.
    pub version: String,
    /// Public servers that run it.
    #[schema(minimum = 1)]
    pub server_count: u64,
}

/// Servers by game version.
#[derive(Serialize, ToSchema)]
pub struct VersionCounts {
    /// Every version that a public server runs, most servers first.
    pub versions: Vec<VersionCount>,
}

/// A vote for a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Voter {
    /// Id of the vote.
    pub id: String,
    /// Name in the game that was given with the vote.
    pub game_username: String,
    /// When the vote was cast.
    pub voted_at: SpacedTimestamp,
    #[schema(schema_with = enum_schemas::voter_type)]
    pub r#type: &'static str,
    /// Id of the player with this name; null if there is none.
    pub player_id: Option<String>,
    /// Game UUID of that player; null if there is none.
    #[schema(format = "uuid")]
    pub game_uuid: Option<String>,
    /// Skin texture of that player (PNG); the default skin if there is none.
    pub skin_url: PictureUrl,
    /// Texture of that player's linked skin (PNG); the default skin if there is none.
    pub linked_skin_png_path: PictureUrl,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub skin_model: String,
    /// The account name; for an anonymous vote the name in the game.
    pub site_username: String,
}

/// A page of the votes for a server, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VoterList {
    /// Votes of this page.
    #[schema(max_items = 100)]
    pub voters: Vec<Voter>,
    /// Number of items on all pages.
    #[schema(minimum = 0)]
    pub total: u64,
    /// Number of this page, from 1.
    #[schema(minimum = 1)]
    pub page: u32,
    /// Number of pages; 0 without items.
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// Time of the newest vote on all pages; null without votes.
    pub latest_vote_at: Option<SpacedTimestamp>,
}

/// A review of a server.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Review {
    /// Id of the review.
    pub id: String,
    /// Id of the server.
    pub server_id: String,
    /// Id of the author's account; null without an account. Equals `user.id`.
    pub user_id: Option<String>,
    /// Name in the game that was given with the review.
    pub game_username: String,
    /// Stars, 1 to 5.
    #[schema(minimum = 1, maximum = 5)]
    pub rating: i64,
    /// Text of the review.
    pub content: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// When it was last changed; equals `createdAt` if never.
    pub updated_at: Timestamp,
    /// The author.
    pub user: Reviewer,
    /// Id of the player with this name; null if there is none.
    pub player_id: Option<String>,
    /// The player's current nickname, or `gameUsername` if no player has this name.
    pub player_main_nickname: String,
    /// Game UUID of that player; null if there is none.
    #[schema(format = "uuid")]
    pub player_game_uuid: Option<String>,
    /// Skin texture of that player (PNG); null if there is none.
    pub player_skin_url: Option<PictureUrl>,
    #[schema(schema_with = enum_schemas::skin_model)]
    pub player_skin_model: String,
    /// Texture of that player's linked skin (PNG); the default skin if there is none.
    pub player_linked_skin_png_path: PictureUrl,
}

/// The author of a review: an account, or only a name if the review was written without one.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Reviewer {
    /// Id of the account; null without an account.
    pub id: Option<String>,
    /// Name of the account; the name in the game without an account.
    pub username: String,
    /// Avatar of the account, a PNG; null without an account.
    pub avatar: Option<PictureUrl>,
    /// Role of the account: `USER`, or `ADMIN` for operators. `USER` without an account.
    pub role: String,
}

/// A page of the reviews of a server, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReviewList {
    /// Reviews of this page.
    #[schema(max_items = 100)]
    pub reviews: Vec<Review>,
    /// Number of items on all pages.
    #[schema(minimum = 0)]
    pub total: u64,
    /// Number of this page, from 1.
    #[schema(minimum = 1)]
    pub page: u32,
    /// Number of pages; 0 without items.
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// Mean rating of all reviews of the server, two decimals; 0 without reviews.
    #[schema(minimum = 0, maximum = 5)]
    pub avg_rating: f64,
    /// When the newest review on all pages was written; null without reviews.
    pub latest_review_at: Option<Timestamp>,
}

/// An announcement of a server's owner.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePost {
    /// Id of the post.
    pub id: String,
    /// Id of the server.
    pub server_id: String,
    /// Id of the author's account.
    pub user_id: String,
    /// Title.
    pub title: String,
    /// Text of the post, plain.
    pub content: String,
    #[schema(schema_with = enum_schemas::post_status)]
    pub status: String,
    /// When it was published.
    pub created_at: Timestamp,
    /// When it was last changed; equals `createdAt` if never.
    pub updated_at: Timestamp,
}

/// A page of the approved posts of a server, newest first.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePostList {
    /// Posts of this page.
    #[schema(max_items = 100)]
    pub updates: Vec<UpdatePost>,
    /// Number of items on all pages.
    #[schema(minimum = 0)]
    pub total: u64,
    /// Number of this page, from 1.
    #[schema(minimum = 1)]
    pub page: u32,
    /// Number of pages; 0 without items.
    #[schema(minimum = 0)]
    pub total_pages: u64,
    /// When the newest post on all pages was published; null without posts.
    pub latest_update_at: Option<Timestamp>,
}
