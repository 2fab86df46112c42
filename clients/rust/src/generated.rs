//! Types and endpoints of the API. Generated from ../openapi.json by generate.py.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::client::Client;
use crate::error::Error;
use crate::items::Items;
use crate::query::{Query, segment};
use crate::string_enum::string_enum;

/// Names and icon of an achievement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Achievement {
    /// Id of the achievement, for the `achievement` filter of `/leaderboards`.
    pub id: String,
    /// Name in English.
    pub label: String,
    /// Name in Turkish.
    pub label_tr: String,
    /// Name in Russian.
    pub label_ru: String,
    /// Icon, one emoji.
    pub icon: String,
}

/// Achievements of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Achievements {
    /// Achievements the player has earned, in the order of the fixed list.
    pub earned: Vec<Achievement>,
    /// At most three achievements not earned yet, closest first.
    pub next_goals: Vec<Achievement>,
}

/// A vote, a review or an update post.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Activity {
    /// What happened.
    pub r#type: ActivityType,
    /// Who did it: the game name of a voter or reviewer, the account name of the author of a post.
    pub actor: String,
    /// Name of the server.
    pub target: String,
    /// When it happened.
    pub time: Timestamp,
}

/// A UTC day on which the player began at least one session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ActivityDay {
    /// The UTC day.
    pub date: Day,
    /// Sessions that began on that day.
    pub count: u64,
}

/// A cape in detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub view_count: u64,
    /// Accounts that like it.
    pub like_count: u64,
    /// Accounts that have it among their favourites.
    pub favorite_count: u64,
    /// How often it was downloaded.
    pub download_count: u64,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    pub players_using: Vec<TextureWearer>,
    /// Number of players who wear it.
    pub players_using_count: u64,
    /// The account that owns it.
    pub owner: Owner,
    /// How the account of the API key relates to it.
    pub viewer: Viewer,
}

/// The cape asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CapeDetailData {
    /// The cape.
    pub cape: CapeDetail,
}

/// A page of the capes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CapeList {
    /// Capes of this page.
    pub capes: Vec<CapeSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A cape in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub view_count: u64,
    /// Accounts that like it.
    pub like_count: u64,
    /// Accounts that have it among their favourites.
    pub favorite_count: u64,
    /// How often it was downloaded.
    pub download_count: u64,
    /// Whether the operator features it.
    pub is_featured: bool,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
}

/// The history of one server among others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ComparedServer {
    /// Slug of the server.
    pub slug: String,
    /// Watched buckets, earliest first. Those without any watched time are left out.
    pub points: Vec<HistoryPoint>,
}

string_enum! {
    /// How far a player count can be trusted.
    pub enum CountConfidence {
    Listed = "listed",
    Sampled = "sampled",
    Capped = "capped",
    Offline = "offline",
    }
}

/// The number of servers in a country.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CountryCount {
    /// Country name, or `Unknown`.
    pub country: String,
    /// Public servers there.
    pub server_count: u64,
}

/// Servers by country.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CountryCounts {
    /// Every country with a public server, most servers first.
    pub countries: Vec<CountryCount>,
}

/// The votes of one UTC day.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DailyVotes {
    /// The UTC day.
    pub day: Day,
    /// Votes on that day; 0 is possible.
    pub votes: u64,
}

/// A UTC day.
pub type Day = String;

string_enum! {
    /// `up` above +5 %, `down` below −5 %, otherwise `stable`.
    pub enum Direction {
    Up = "up",
    Down = "down",
    Stable = "stable",
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Event {
    /// Id of the event, and the cursor after it. Later events have higher ids, compared as text.
    pub id: String,
    /// What happened.
    pub r#type: EventType,
    /// When it happened.
    pub at: Timestamp,
    /// Where it happened; null if it is not about a server.
    pub server: Option<EventServer>,
    /// The player concerned; null if none or unknown.
    pub player: Option<EventPlayer>,
    /// More, by type.
    pub data: serde_json::Value,
}

/// Some events, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventList {
    /// The events, oldest first.
    pub events: Vec<Event>,
    /// The cursor for the next call: `after=…` returns what comes next. Also given with an empty list.
    pub next: String,
}

/// The player of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventPlayer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Game UUID.
    pub game_uuid: String,
    /// Current nickname.
    pub nickname: String,
}

/// The server of an event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct EventServer {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
}

/// The hot score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedHotScore {
    /// The figure.
    pub value: f64,
    /// How the inputs give the value.
    pub formula: String,
    /// What the value is computed from.
    pub inputs: HotScoreInputs,
    /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
    pub coverage: Option<f64>,
    /// When it was computed, which is the end of its time window.
    pub computed_at: Timestamp,
}

/// The current player count and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedPlayers {
    /// Players online at the last ping.
    pub value: u64,
    /// `listed`: every player is known by name. `sampled`: some or none are. `capped`: the reported count was
    /// rejected; the last accepted count is used. `offline`: there is no count.
    pub confidence: CountConfidence,
    /// The count that the server reports; equal to `value` unless it is capped.
    pub reported: u64,
    /// Players known by name; at most 60 are kept.
    pub named: u64,
    /// Time of the last ping with a result; null until the first one.
    pub sampled_at: Option<Timestamp>,
}

/// The rank among all public servers by votes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedRank {
    /// The figure.
    pub value: u64,
    /// How the inputs give the value.
    pub formula: String,
    /// What the value is computed from.
    pub inputs: RankInputs,
    /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
    pub coverage: Option<f64>,
    /// When it was computed, which is the end of its time window.
    pub computed_at: Timestamp,
}

/// The mean rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedRating {
    /// The figure.
    pub value: f64,
    /// How the inputs give the value.
    pub formula: String,
    /// What the value is computed from.
    pub inputs: RatingInputs,
    /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
    pub coverage: Option<f64>,
    /// When it was computed, which is the end of its time window.
    pub computed_at: Timestamp,
}

/// The trend of the last 24 hours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedTrend {
    /// The figure.
    pub value: f64,
    /// How the inputs give the value.
    pub formula: String,
    /// What the value is computed from.
    pub inputs: TrendInputs,
    /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
    pub coverage: Option<f64>,
    /// When it was computed, which is the end of its time window.
    pub computed_at: Timestamp,
}

/// The uptime of the last 30 days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ExplainedUptime {
    /// The figure.
    pub value: f64,
    /// How the inputs give the value.
    pub formula: String,
    /// What the value is computed from.
    pub inputs: UptimeInputs,
    /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
    pub coverage: Option<f64>,
    /// When it was computed, which is the end of its time window.
    pub computed_at: Timestamp,
}

/// Results by kind. A kind that was not asked for is an empty list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Found {
    /// Servers, best match first.
    pub servers: Vec<FoundServer>,
    /// Players, best match first.
    pub players: Vec<FoundPlayer>,
}

/// A player in the search results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FoundPlayer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Game UUID, hyphenated, in lower case.
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
}

/// A server in the search results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub current_players: u64,
    /// Player slots that the server reports; 0 until its first answer.
    pub max_players: u64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Mean review rating, 1 to 5, two decimals; 0 without reviews.
    pub rating: f64,
}

/// The histories of several servers over the same range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryComparison {
    /// Width of the buckets.
    pub resolution: String,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// The servers in the order of the request.
    pub servers: Vec<ComparedServer>,
    /// Slugs of the request that no public server has.
    pub missing: Vec<String>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// Players within a bucket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryPlayers {
    /// Average players, weighted by time, two decimals.
    pub avg: f64,
    /// Most players at once.
    pub peak: u64,
    /// Fewest players at once.
    pub low: u64,
}

/// One bucket of a history. It has the figures that `fields` selects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryPoint {
    /// Start of the bucket.
    pub at: Timestamp,
    /// Share of the bucket in which the server was watched, four decimals. The figures are those of the watched time.
    pub coverage: f64,
    /// Players; an offline server has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<HistoryPlayers>,
    /// Mean response time over the time online, in milliseconds, one decimal. Null if the server was not online.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<f64>,
    /// Mean ticks per second over the time with reports, two decimals. Null if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tps: Option<f64>,
    /// Share of the watched time in which the server was online, in percent, two decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uptime: Option<f64>,
}

/// Inputs of the hot score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HotScoreInputs {
    /// Votes, each halved every 48 hours, as of `voteHeatAt`.
    pub vote_heat: f64,
    /// When `voteHeat` was summed: the last vote.
    pub vote_heat_at: Timestamp,
    /// Average players of the last 24 hours, one decimal.
    pub recent_players: f64,
    /// The uptime, as above.
    pub uptime: f64,
}

/// The API key of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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

/// The quota of a key within one window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct KeyWindow {
    /// Requests allowed.
    pub limit: u32,
    /// Requests used.
    pub used: u32,
    /// Requests remaining.
    pub remaining: u32,
    /// When the window ends and the next one begins, with nothing used.
    pub resets_at: Timestamp,
}

/// What the last ping found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LatestStats {
    /// Players online; 0 while the server is offline.
    pub online_players: u64,
    /// Ticks per second, 20 at full speed; null if the server is offline or does not report it.
    pub tps: Option<f64>,
    /// Time of the last ping; null until the first ping.
    pub timestamp: Option<Timestamp>,
}

/// A leaderboard: the players with the highest values of one metric in one period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Leaderboard {
    /// The metric applied.
    pub metric: Metric,
    /// The period applied.
    pub period: Period,
    /// Always null: leaderboards cover all servers.
    pub server_id: Option<String>,
    /// When the values were computed; at most about a minute ago.
    pub generated_at: Timestamp,
    /// Entries of this page, highest value first.
    pub entries: Vec<LeaderboardEntry>,
}

/// A page of a leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LeaderboardData {
    /// The leaderboard with the entries of this page.
    pub leaderboard: Leaderboard,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A place on the leaderboard.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LeaderboardEntry {
    /// Rank on the whole leaderboard. Equal values share a rank (1, 2, 2, 4); filters do not change it.
    pub rank: u32,
    /// The player in this place.
    pub player: LeaderboardPlayer,
    /// Value of the metric: the rank score for `best`, a whole number for `sessions` and `servers`.
    pub value: f64,
    /// The value as text for display: `187.35`, `1,204`.
    pub formatted_value: String,
}

/// The player of a leaderboard entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LeaderboardPlayer {
    /// Id of the player.
    pub id: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Game UUID, hyphenated, in lower case.
    pub game_uuid: String,
    /// From the best tier down.
    pub tier_overall: TierOverall,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    pub tier_points: u64,
    /// Null if no tier list ranks the player.
    pub tier_rank: Option<u64>,
    /// Width of the arms.
    pub skin_model: SkinModel,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
}

/// The skin of the collection that a player wears.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LinkedSkin {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    /// Width of the arms.
    pub model: Model,
    /// Name of the skin.
    pub name: String,
}

/// Live statistics of all public servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveData {
    /// Totals over all public servers.
    pub stats: LiveStats,
    /// The servers with the most players, most first.
    pub top_servers: Vec<LiveServer>,
    /// The latest votes, reviews and update posts, newest first.
    pub recent_activity: Vec<Activity>,
    /// Players and servers by continent, most players first.
    pub regions: Vec<Region>,
    /// Online players by country name.
    pub country_players: BTreeMap<String, i64>,
}

/// Players online per hour over the last seven days.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveHistory {
    /// Hours, earliest first. Hours without pings are left out.
    pub history: Vec<LiveHistoryPoint>,
}

/// One hour of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveHistoryPoint {
    /// Start of the hour.
    pub timestamp: Timestamp,
    /// Players online on all public servers, averaged over the hour.
    pub total_players: u64,
}

/// Players on all public servers over a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveHistoryRange {
    /// Width of the buckets.
    pub resolution: String,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// Watched buckets with `players`, earliest first. Those without any watched time are left out.
    pub points: Vec<HistoryPoint>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// One of the busiest servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveServer {
    /// Id of the server.
    pub id: String,
    /// Name of the server.
    pub name: String,
    /// Players online now.
    pub players: u64,
    /// Player slots that the server reports; 0 until its first answer.
    pub max_players: u64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Direction of the player count: the last 24 hours compared with the 24 hours before.
    pub trend: Direction,
    /// Change of the player count within the last hour; 0 if there is no sample from an hour ago.
    pub change: i64,
}

/// Totals over all public servers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LiveStats {
    /// Players online now on all public servers.
    pub total_players: u64,
    /// Public servers.
    pub total_servers: u64,
    /// Public servers that are online.
    pub online_servers: u64,
    /// Players first seen since 00:00 UTC.
    pub new_players_today: u64,
    /// The most players online at once since 00:00 UTC.
    pub peak_today: u64,
    /// When this response was made.
    pub generated_at: Timestamp,
    /// Time of the latest ping of any server; null until the first ping.
    pub latest_ping_at: Option<Timestamp>,
    /// Seconds since the latest ping; null until the first ping.
    pub stats_age_seconds: Option<u64>,
    /// True if no server was pinged for three intervals.
    pub stale: bool,
}

/// Outages of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OutageList {
    /// Outages, newest first.
    pub outages: Vec<ServerOutage>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// The account that owns a server, skin or cape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Owner {
    /// Id of the account.
    pub id: String,
    /// Name of the account.
    pub username: String,
    /// Avatar of the account, a PNG.
    pub avatar: PictureUrl,
}

/// The position of a page in its list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Pagination {
    /// Number of this page, from 1.
    pub page: u32,
    /// Most items per page.
    pub limit: u32,
    /// Number of items on all pages.
    pub total: u64,
    /// Number of pages; 0 if the list is empty.
    pub total_pages: u64,
}

/// Figures of a server over a period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PeriodFigures {
    /// Average players, weighted by time; 0 without data.
    pub avg_players: f64,
    /// Most players at once; 0 without data.
    pub peak_players: u64,
    /// Fewest players at once; 0 without data.
    pub min_players: u64,
    /// Percentage of the watched time in which the server was online, two decimals; 0 without data.
    pub uptime_pct: f64,
}

/// Figures by period; each period ends now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PeriodStats {
    /// The last 24 hours.
    #[serde(rename = "24h")]
    pub of_24h: PeriodFigures,
    /// The last 7 days.
    #[serde(rename = "7d")]
    pub of_7d: PeriodFigures,
    /// The last 30 days.
    #[serde(rename = "30d")]
    pub of_30d: PeriodFigures,
    /// The last 90 days.
    #[serde(rename = "90d")]
    pub of_90d: PeriodFigures,
    /// Everything since the first ping.
    #[serde(rename = "all-time")]
    pub all_time: PeriodFigures,
}

/// The absolute URL of a picture. Its content never changes, so it can be cached for ever.
pub type PictureUrl = String;

/// Players by id.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerBatch {
    /// The players in the order of the request.
    pub players: Vec<PlayerSummary>,
    /// Ids of the request that no player has.
    pub missing: Vec<String>,
}

/// A player in detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerDetail {
    /// Id of the player.
    pub id: String,
    /// Game UUID, hyphenated, in lower case.
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// All known nicknames, oldest first; the current one last.
    pub nickname_history: Vec<String>,
    /// Country name; null if not known.
    pub country: Option<String>,
    /// Width of the arms.
    pub skin_model: SkinModel,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// Id of the linked skin; equals `linkedSkin.id`.
    pub linked_skin_id: String,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
    /// The skin of the collection that the player wears.
    pub linked_skin: LinkedSkin,
    /// From the best tier down.
    pub tier_overall: TierOverall,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    pub tier_points: u64,
    /// Null if no tier list ranks the player.
    pub tier_rank: Option<u64>,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// When the profile last changed.
    pub updated_at: Timestamp,
    /// Seconds.
    pub total_play_time: u64,
    /// Number of sessions on public servers.
    pub session_count: u64,
    /// Score of the all-time `best` leaderboard, from play time, wins, tier points, sessions, servers and kills; two decimals.
    pub rank_score: f64,
    /// Rank on the all-time `best` leaderboard; equal scores share a rank.
    pub rank: u32,
    /// Kills divided by deaths, two decimals; the kills if there are no deaths.
    pub kd_ratio: f64,
    /// Kills over all servers that report counters.
    pub total_kills: u64,
    /// Deaths over all servers that report counters.
    pub total_deaths: u64,
    /// Wins over all servers that report counters.
    pub total_wins: u64,
    /// The latest 20 sessions, newest first.
    pub recent_sessions: Vec<Session>,
    /// At most 50 servers the player was on, the one played last first.
    pub servers_played: Vec<ServerMention>,
    /// The newest of `statsHistory`; null if no server has reported counters of the player.
    pub latest_stats: Option<PlayerStats>,
    /// The latest 30 reports of counters, newest first.
    pub stats_history: Vec<PlayerStatsPoint>,
    /// Days of the last year with sessions, earliest first; days without are left out.
    pub activity_data: Vec<ActivityDay>,
    /// Earned achievements and the next ones in reach.
    pub achievements: Achievements,
    /// The latest 20 servers the player voted for, newest vote first; each server once.
    pub voted_servers: Vec<VotedServer>,
    /// The latest 20 reviews by the player, newest first.
    pub reviews: Vec<PlayerReview>,
}

/// The player asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerDetailData {
    /// The player.
    pub player: PlayerDetail,
}

/// `player.joined`: a player is seen on the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerJoinedData {
    /// When they were first seen.
    pub joined_at: Timestamp,
}

/// `player.left`: the player is no longer on the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerLeftData {
    /// When they were last seen.
    pub last_seen_at: Timestamp,
}

/// A page of the player directory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerList {
    /// Players of this page.
    pub players: Vec<PlayerSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// `player.renamed`: the player has another nickname.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerRenamedData {
    /// The new nickname.
    pub nickname: String,
    /// The nickname before.
    pub previous_nickname: String,
}

/// A review that the player wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerReview {
    /// Id of the review.
    pub id: String,
    /// Stars, 1 to 5.
    pub rating: u32,
    /// Text of the review.
    pub content: String,
    /// When it was written.
    pub created_at: Timestamp,
    /// The server it is about.
    pub server: ServerMention,
}

/// The latest counters that a server reported of a player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerStats {
    /// Counters by name, as the server reported them.
    pub stats_json: StatsJson,
    /// When they were reported.
    pub timestamp: Timestamp,
    /// The server that reported them.
    pub server: StatsServer,
}

/// Counters that a server reported of a player at one time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerStatsPoint {
    /// Counters by name, as the server reported them.
    pub stats_json: StatsJson,
    /// When they were reported.
    pub timestamp: Timestamp,
    /// Name of the server that reported them.
    pub server_name: String,
}

/// A player in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PlayerSummary {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// The UUID, hyphenated, in lower case.
    pub game_uuid: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
    /// Width of the arms.
    pub skin_model: SkinModel,
    /// Country name; null if not known.
    pub country: Option<String>,
    /// From the best tier down.
    pub tier_overall: TierOverall,
    /// Points of the tier, from 60 for `HT1` down to 0 for `Unranked`.
    pub tier_points: u64,
    /// Null if no tier list ranks the player.
    pub tier_rank: Option<u64>,
    /// When the tier was last taken over from a tier list; null if no tier list ranks the player.
    pub last_tier_sync_at: Option<Timestamp>,
    /// When the player was first seen.
    pub created_at: Timestamp,
    /// Seconds.
    pub total_play_time: u64,
    /// Number of sessions on public servers.
    pub session_count: u64,
}

/// `post.approved`: an update post is shown for the first time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PostApprovedData {
    /// Id of the post, as in `/servers/{slug}/updates`.
    pub post_id: String,
    /// Its title.
    pub title: String,
}

/// Inputs of the rank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RankInputs {
    /// Votes of this server.
    pub total_votes: u64,
    /// Public servers with more votes.
    pub ahead: u64,
    /// Public servers with as many votes and a smaller id.
    pub tied_ahead: u64,
    /// Public servers.
    pub servers: u64,
}

/// Inputs of the rating.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RatingInputs {
    /// Sum of the ratings of all reviews.
    pub rating_sum: u64,
    /// Reviews.
    pub reviews: u64,
}

/// A continent, or `unknown` for servers whose country is not known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Region {
    /// `africa`, `antarctica`, `asia`, `europe`, `north-america`, `oceania`, `south-america` or `unknown`.
    pub id: String,
    /// English name of the continent, or `Unknown`.
    pub name: String,
    /// Players online now.
    pub players: u64,
    /// Public servers.
    pub servers: u64,
}

/// A review of a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub rating: u32,
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
    pub player_game_uuid: Option<String>,
    /// Skin texture of that player (PNG); null if there is none.
    pub player_skin_url: Option<PictureUrl>,
    /// Width of the arms.
    pub player_skin_model: ReviewPlayerSkinModel,
    /// Texture of that player's linked skin (PNG); the default skin if there is none.
    pub player_linked_skin_png_path: PictureUrl,
}

/// `review.created`: a review is shown for the first time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReviewCreatedData {
    /// Id of the review, as in `/servers/{slug}/reviews`.
    pub review_id: String,
    /// Its rating at that time.
    pub rating: u32,
}

/// A page of the reviews of a server, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ReviewList {
    /// Reviews of this page.
    pub reviews: Vec<Review>,
    /// Number of items on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Number of pages; 0 without items.
    pub total_pages: u64,
    /// Mean rating of all reviews of the server, two decimals; 0 without reviews.
    pub avg_rating: f64,
    /// When the newest review on all pages was written; null without reviews.
    pub latest_review_at: Option<Timestamp>,
}

/// The author of a review: an account, or only a name if the review was written without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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

/// Search results, best matches first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SearchData {
    /// What was found.
    pub results: Found,
    /// The search text, trimmed.
    pub query: String,
}

/// Servers by slug.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerBatch {
    /// The servers in the order of the request.
    pub servers: Vec<ServerSummary>,
    /// Slugs of the request that no public server has.
    pub missing: Vec<String>,
}

/// A server in detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerDetail {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, as in the path.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// Host name or IP address.
    pub ip: String,
    /// Port; 25565 is the default of Java Edition, 19132 of Bedrock Edition.
    pub port: u32,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
    /// Banner (PNG), normally 468×60 pixels; drawn if there is none.
    pub banner_url: PictureUrl,
    /// Message of the day as plain text; lines are separated by a line feed.
    pub motd: String,
    /// The message of the day with its formatting codes.
    pub motd_raw: String,
    /// The message of the day as the game shows it (PNG), normally 740×84 pixels.
    pub motd_image_url: PictureUrl,
    /// Website of the server; null if none is known.
    pub website: Option<String>,
    /// Invitation to the chat of the server, such as Discord; null if none is known.
    pub chat_url: Option<String>,
    /// Shop of the server; null if none is known.
    pub store_url: Option<String>,
    /// Trailer of the server; null if none is known.
    pub video_url: Option<String>,
    /// Players online at the last ping; 0 while the server is offline.
    pub current_players: u64,
    /// Player slots that the server reports; 0 until its first answer.
    pub max_players: u64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Version that the server reports, free text such as `1.21.4` or `Paper 1.21.4`; `Unknown` until its first answer.
    pub version: String,
    /// Protocol number of the version; 0 if unknown.
    pub protocol: i64,
    /// Percentage of the last 30 days in which the server was online, two decimals.
    pub uptime: f64,
    /// Mean review rating, 1 to 5, two decimals; 0 without reviews.
    pub rating: f64,
    /// Votes since the server was added.
    pub total_votes: u64,
    /// Tags; filters compare them without regard to case.
    pub tags: Vec<String>,
    /// The account that owns the server; null if nobody has claimed it.
    pub owner: Option<Owner>,
    /// What the last ping found.
    pub latest_stats: LatestStats,
    /// Players over the chosen `period`, earliest first: single pings for 24 hours, averages per interval for longer periods.
    pub stats_history: Vec<StatsPoint>,
    /// Figures by period, whatever `period` is chosen.
    pub period_stats: PeriodStats,
    /// Votes by period, whatever `period` is chosen.
    pub vote_stats: VoteStats,
    /// Votes per UTC day of the chosen `period`, earliest first.
    pub daily_votes: Vec<DailyVotes>,
}

/// The server asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerDetailData {
    /// The server.
    pub server: ServerDetail,
}

/// The figures of a server, explained.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerExplanation {
    /// Slug of the server.
    pub slug: String,
    /// Uptime of the last 30 days, in percent.
    pub uptime: ExplainedUptime,
    /// Average players of the last 24 hours compared with the 24 hours before, in percent.
    pub trend: ExplainedTrend,
    /// Recent votes and players, scaled by uptime.
    pub hot_score: ExplainedHotScore,
    /// Mean rating of the reviews.
    pub rating: ExplainedRating,
    /// Position among all public servers by votes: that of `/servers?sort=votes`.
    pub rank: ExplainedRank,
    /// The current player count.
    pub players: ExplainedPlayers,
}

/// The history of one server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerHistory {
    /// Slug of the server.
    pub slug: String,
    /// Width of the buckets.
    pub resolution: String,
    /// Start of the first bucket.
    pub from: Timestamp,
    /// The end of the range; the last bucket begins before it.
    pub to: Timestamp,
    /// Watched buckets, earliest first. Those without any watched time are left out.
    pub points: Vec<HistoryPoint>,
    /// The cursor of the next page, for `after`; null on the last page.
    pub next: Option<String>,
}

/// A page of the server list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerList {
    /// Servers of this page.
    pub servers: Vec<ServerSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// A server referenced by another resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerMention {
    /// Id of the server.
    pub id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
    /// Square icon (PNG), normally 64×64 pixels; drawn if the server sends none.
    pub icon_url: PictureUrl,
}

/// `server.offline`: the server does not answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerOfflineData {
    /// Why, such as `refused`, `timed out` or `name not found`.
    pub reason: String,
    /// The first ping without an answer.
    pub unreachable_since: Timestamp,
}

/// `server.online`: the server answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerOnlineData {
    /// When it stopped to answer; null if it never answered before.
    pub offline_since: Option<Timestamp>,
}

/// A time in which the server did not answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerOutage {
    /// The first ping without an answer.
    pub started_at: Timestamp,
    /// The first answer after it; null while the outage lasts.
    pub ended_at: Option<Timestamp>,
    /// Length in whole seconds; until now while it lasts.
    pub duration: u64,
    /// Why the first pings failed, in English, such as `connection refused`.
    pub reason: String,
}

/// `server.peak`: more players than ever.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerPeakData {
    /// The new record.
    pub players: u64,
    /// The record that the last such event told, or the one before events.
    pub previous_players: u64,
}

/// A server in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub port: u32,
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
    /// Always `PUBLIC`: other servers are not shown.
    pub visibility: ServerSummaryVisibility,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Players online at the last ping; 0 while the server is offline.
    pub current_players: u64,
    /// Player slots that the server reports; 0 until its first answer.
    pub max_players: u64,
    /// Version that the server reports, free text such as `1.21.4` or `Paper 1.21.4`; `Unknown` until its first answer.
    pub version: String,
    /// Round-trip time of the last ping that the server answered, in milliseconds; 0 only if it never answered one.
    pub latency: u64,
    /// Time of the last ping, answered or not; null until the first ping.
    pub last_ping: Option<Timestamp>,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Tags; filters compare them without regard to case.
    pub tags: Vec<String>,
    /// Game mode, free text such as `Survival`; null if not known.
    pub game_mode: Option<String>,
    /// Percentage of the last 30 days.
    pub uptime: f64,
    /// Change of the average player count from the previous 24 hours to the last 24 hours, in percent.
    pub trend: f64,
    /// Votes since the server was added.
    pub total_votes: u64,
    /// Mean review rating, 1 to 5; 0 without reviews.
    pub rating: f64,
    /// When the server was added.
    pub created_at: Timestamp,
}

/// `server.version`: the server reports another version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerVersionData {
    /// The new version.
    pub version: String,
    /// The version before.
    pub previous_version: String,
}

/// A stay of a player on a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Session {
    /// Id of the session.
    pub id: String,
    /// The server.
    pub server: ServerMention,
    /// When the player was first seen on the server.
    pub joined_at: Timestamp,
    /// For a session in progress, the time the player was last seen.
    pub left_at: Timestamp,
    /// Length in seconds.
    pub total_play_time: u64,
}

/// A skin in detail.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkinDetail {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    /// What the owner says about the skin; empty if nothing.
    pub description: String,
    /// Width of the arms.
    pub model: Model,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    pub view_count: u64,
    /// Accounts that like it.
    pub like_count: u64,
    /// Accounts that have it among their favourites.
    pub favorite_count: u64,
    /// How often it was downloaded.
    pub download_count: u64,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
    /// At most 24 players, last seen first; `playersUsingCount` counts all.
    pub players_using: Vec<TextureWearer>,
    /// Number of players who wear it.
    pub players_using_count: u64,
    /// How the account of the API key relates to it.
    pub viewer: Viewer,
}

/// The skin asked for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkinDetailData {
    /// The skin.
    pub skin: SkinDetail,
}

/// A page of the skins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkinList {
    /// Skins of this page.
    pub skins: Vec<SkinSummary>,
    /// Position of this page in the whole list.
    pub pagination: Pagination,
}

/// `skin.published`: a skin is shown for the first time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkinPublishedData {
    /// Id of the skin.
    pub skin_id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    /// Width of the arms.
    pub model: Model,
    /// The skin (PNG).
    pub png_url: PictureUrl,
}

/// A skin in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SkinSummary {
    /// Id of the skin.
    pub id: String,
    /// Slug of the skin, for `/skins/{slug}`.
    pub slug: String,
    /// Name of the skin.
    pub name: String,
    /// Width of the arms.
    pub model: Model,
    /// Tags.
    pub tags: Vec<String>,
    /// The texture (PNG), normally 64×64 pixels.
    pub png_path: PictureUrl,
    /// How often its page was viewed.
    pub view_count: u64,
    /// Accounts that like it.
    pub like_count: u64,
    /// Accounts that have it among their favourites.
    pub favorite_count: u64,
    /// How often it was downloaded.
    pub download_count: u64,
    /// Number of players who wear it.
    pub usage_count: u64,
    /// Whether the operator features it.
    pub is_featured: bool,
    /// When it was uploaded.
    pub created_at: Timestamp,
    /// Id of the account that owns it; equals `owner.id`.
    pub owner_id: String,
    /// The account that owns it.
    pub owner: Owner,
}

/// A UTC time with milliseconds and a space instead of the `T`.
pub type SpacedTimestamp = String;

/// Counters by name, such as `kills`, `deaths` and `wins`.
pub type StatsJson = BTreeMap<String, f64>;

/// A point of the player history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatsPoint {
    /// Time of the ping, or start of the interval.
    pub timestamp: Timestamp,
    /// Players at this time, or the average over the interval that starts here.
    pub online_players: u64,
}

/// The server that reported the counters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct StatsServer {
    /// Slug of the server, for `/servers/{slug}`.
    pub slug: String,
    /// Name of the server.
    pub name: String,
}

/// A player who wears a skin or cape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextureWearer {
    /// Id of the player, for `/players/{id}`.
    pub id: String,
    /// Current nickname.
    pub main_nickname: String,
    /// Game UUID, hyphenated, in lower case.
    pub game_uuid: String,
    /// Skin texture of the player (PNG), normally 64×64 pixels.
    pub skin_url: PictureUrl,
    /// Width of the arms.
    pub skin_model: SkinModel,
    /// From the best tier down.
    pub tier_overall: TierOverall,
    /// The texture of the linked skin (PNG); `default-classic` or `default-slim` if no other is linked.
    pub linked_skin_png_path: PictureUrl,
}

/// A UTC time with milliseconds (ISO 8601).
pub type Timestamp = String;

/// A server in the top list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    pub current_players: u64,
    /// Player slots that the server reports; 0 until its first answer.
    pub max_players: u64,
    /// Whether the server answered its last ping, which is retried once.
    pub is_online: bool,
    /// Country name, or `Unknown`.
    pub country: String,
    /// Votes since the server was added.
    pub total_votes: u64,
    /// Percentage of the last 30 days in which the server was online, two decimals.
    pub uptime: f64,
    /// Change of the average player count from the previous 24 hours to the last 24 hours, in percent.
    pub trend: f64,
    /// Votes in the last 7 days.
    pub recent_votes: u64,
    /// Votes with a half-life of 48 hours, plus a logarithmic share of recent players, multiplied by uptime.
    pub hot_score: f64,
}

/// The first servers by one criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TopServers {
    /// Servers, first place first.
    pub servers: Vec<TopServer>,
    /// Number of servers that match the filters.
    pub total: u64,
    /// The sort order applied.
    pub sort: TopServersSort,
}

/// Inputs of the trend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct TrendInputs {
    /// Start of the last 24 hours: their first whole five minutes.
    pub since: Timestamp,
    /// Start of the 24 hours before.
    pub since_before: Timestamp,
    /// Players multiplied by milliseconds in the last 24 hours.
    pub player_ms: u64,
    /// Milliseconds watched in the last 24 hours.
    pub watched_ms: u64,
    /// Players multiplied by milliseconds in the 24 hours before.
    pub player_ms_before: u64,
    /// Milliseconds watched in the 24 hours before.
    pub watched_ms_before: u64,
}

/// An announcement of a server's owner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
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
    /// Always `APPROVED`: other posts are not shown.
    pub status: UpdatePostStatus,
    /// When it was published.
    pub created_at: Timestamp,
    /// When it was last changed; equals `createdAt` if never.
    pub updated_at: Timestamp,
}

/// A page of the approved posts of a server, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UpdatePostList {
    /// Posts of this page.
    pub updates: Vec<UpdatePost>,
    /// Number of items on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Number of pages; 0 without items.
    pub total_pages: u64,
    /// When the newest post on all pages was published; null without posts.
    pub latest_update_at: Option<Timestamp>,
}

/// Inputs of the uptime.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct UptimeInputs {
    /// Start of the window: the first whole five minutes of the last 30 days.
    pub since: Timestamp,
    /// Milliseconds in which the server was online.
    pub online_ms: u64,
    /// Milliseconds in which it was watched.
    pub watched_ms: u64,
}

/// The number of servers that run a version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VersionCount {
    /// Version as the servers report it.
    pub version: String,
    /// Public servers that run it.
    pub server_count: u64,
}

/// Servers by game version.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VersionCounts {
    /// Every version that a public server runs, most servers first.
    pub versions: Vec<VersionCount>,
}

/// The relation of the API key's account to the texture; all false for a key without an account.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Viewer {
    /// Whether the account likes it.
    pub liked: bool,
    /// Whether it is among the account's favourites.
    pub favorited: bool,
    /// Whether the account owns it.
    pub is_owner: bool,
}

/// `vote.created`: a vote for the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VoteCreatedData {
    /// Id of the vote, as in `/servers/{slug}/voters`.
    pub vote_id: String,
}

/// Votes by period; each period ends now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VoteStats {
    /// Votes of the last 24 hours.
    #[serde(rename = "24h")]
    pub of_24h: u64,
    /// Votes of the last 7 days.
    #[serde(rename = "7d")]
    pub of_7d: u64,
    /// Votes of the last 30 days.
    #[serde(rename = "30d")]
    pub of_30d: u64,
    /// Votes of the last 90 days.
    #[serde(rename = "90d")]
    pub of_90d: u64,
}

/// A server that the player voted for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VotedServer {
    /// Id of the server.
    pub server_id: String,
    /// Slug of the server, for `/servers/{slug}`.
    pub server_slug: String,
    /// Name of the server.
    pub server_name: String,
    /// Square icon of the server (PNG), normally 64×64 pixels.
    pub server_icon_url: PictureUrl,
    /// Time of the player's latest vote for it.
    pub voted_at: Timestamp,
}

/// A vote for a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Voter {
    /// Id of the vote.
    pub id: String,
    /// Name in the game that was given with the vote.
    pub game_username: String,
    /// When the vote was cast.
    pub voted_at: SpacedTimestamp,
    /// `auth` for a vote with an account, `anonymous` without.
    pub r#type: VoterType,
    /// Id of the player with this name; null if there is none.
    pub player_id: Option<String>,
    /// Game UUID of that player; null if there is none.
    pub game_uuid: Option<String>,
    /// Skin texture of that player (PNG); the default skin if there is none.
    pub skin_url: PictureUrl,
    /// Texture of that player's linked skin (PNG); the default skin if there is none.
    pub linked_skin_png_path: PictureUrl,
    /// Width of the arms.
    pub skin_model: SkinModel,
    /// The account name; for an anonymous vote the name in the game.
    pub site_username: String,
}

/// A page of the votes for a server, newest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct VoterList {
    /// Votes of this page.
    pub voters: Vec<Voter>,
    /// Number of items on all pages.
    pub total: u64,
    /// Number of this page, from 1.
    pub page: u32,
    /// Number of pages; 0 without items.
    pub total_pages: u64,
    /// Time of the newest vote on all pages; null without votes.
    pub latest_vote_at: Option<SpacedTimestamp>,
}

string_enum! {
    pub enum ActivityType {
    Vote = "vote",
    Review = "review",
    Update = "update",
    }
}

string_enum! {
    pub enum EventType {
    ServerOnline = "server.online",
    ServerOffline = "server.offline",
    ServerPeak = "server.peak",
    ServerVersion = "server.version",
    VoteCreated = "vote.created",
    ReviewCreated = "review.created",
    PostApproved = "post.approved",
    PlayerJoined = "player.joined",
    PlayerLeft = "player.left",
    PlayerRenamed = "player.renamed",
    SkinPublished = "skin.published",
    }
}

string_enum! {
    pub enum Fields {
    Players = "players",
    Latency = "latency",
    Tps = "tps",
    Uptime = "uptime",
    }
}

string_enum! {
    pub enum ListCapesSort {
    Recent = "recent",
    Popular = "popular",
    Likes = "likes",
    Favorites = "favorites",
    Views = "views",
    Downloads = "downloads",
    Name = "name",
    }
}

string_enum! {
    pub enum ListPlayersSort {
    Recent = "recent",
    Name = "name",
    Playtime = "playtime",
    Sessions = "sessions",
    Tier = "tier",
    }
}

string_enum! {
    pub enum ListServersSort {
    Recent = "recent",
    Players = "players",
    Votes = "votes",
    Rating = "rating",
    Uptime = "uptime",
    Trending = "trending",
    Name = "name",
    }
}

string_enum! {
    pub enum ListSkinsSort {
    Recent = "recent",
    Popular = "popular",
    Likes = "likes",
    Favorites = "favorites",
    Views = "views",
    Downloads = "downloads",
    Name = "name",
    Usage = "usage",
    }
}

string_enum! {
    pub enum Metric {
    Best = "best",
    Sessions = "sessions",
    Servers = "servers",
    }
}

string_enum! {
    pub enum Model {
    Classic = "classic",
    Slim = "slim",
    }
}

string_enum! {
    pub enum Period {
    Of24h = "24h",
    Of7d = "7d",
    Of30d = "30d",
    Of90d = "90d",
    AllTime = "all-time",
    }
}

string_enum! {
    pub enum Resolution {
    Auto = "auto",
    Of5m = "5m",
    Of1h = "1h",
    Of1d = "1d",
    }
}

string_enum! {
    pub enum ReviewPlayerSkinModel {
    Classic = "classic",
    Slim = "slim",
    }
}

string_enum! {
    pub enum SearchType {
    All = "all",
    Servers = "servers",
    Players = "players",
    }
}

string_enum! {
    pub enum ServerSummaryVisibility {
    PUBLIC = "PUBLIC",
    }
}

string_enum! {
    pub enum SkinModel {
    Classic = "classic",
    Slim = "slim",
    }
}

string_enum! {
    pub enum TierOverall {
    HT1 = "HT1",
    LT1 = "LT1",
    HT2 = "HT2",
    LT2 = "LT2",
    HT3 = "HT3",
    LT3 = "LT3",
    HT4 = "HT4",
    LT4 = "LT4",
    HT5 = "HT5",
    LT5 = "LT5",
    Unranked = "Unranked",
    }
}

string_enum! {
    pub enum TopServersSort {
    Votes = "votes",
    Hot = "hot",
    Players = "players",
    Rating = "rating",
    Trending = "trending",
    }
}

string_enum! {
    pub enum UpdatePostStatus {
    APPROVED = "APPROVED",
    }
}

string_enum! {
    pub enum VoterType {
    Auth = "auth",
    Anonymous = "anonymous",
    }
}

/// What an event tells, by type.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum EventDetails {
    ServerOnline(ServerOnlineData),
    ServerOffline(ServerOfflineData),
    ServerPeak(ServerPeakData),
    ServerVersion(ServerVersionData),
    VoteCreated(VoteCreatedData),
    ReviewCreated(ReviewCreatedData),
    PostApproved(PostApprovedData),
    PlayerJoined(PlayerJoinedData),
    PlayerLeft(PlayerLeftData),
    PlayerRenamed(PlayerRenamedData),
    SkinPublished(SkinPublishedData),
    /// The data of a type that this version does not know.
    Other(serde_json::Value),
}

impl Event {
    /// The data by type. Fails if it is not that of the type.
    pub fn details(&self) -> Result<EventDetails, serde_json::Error> {
        let data = self.data.clone();
        Ok(match self.r#type {
            EventType::ServerOnline => EventDetails::ServerOnline(serde_json::from_value(data)?),
            EventType::ServerOffline => EventDetails::ServerOffline(serde_json::from_value(data)?),
            EventType::ServerPeak => EventDetails::ServerPeak(serde_json::from_value(data)?),
            EventType::ServerVersion => EventDetails::ServerVersion(serde_json::from_value(data)?),
            EventType::VoteCreated => EventDetails::VoteCreated(serde_json::from_value(data)?),
            EventType::ReviewCreated => EventDetails::ReviewCreated(serde_json::from_value(data)?),
            EventType::PostApproved => EventDetails::PostApproved(serde_json::from_value(data)?),
            EventType::PlayerJoined => EventDetails::PlayerJoined(serde_json::from_value(data)?),
            EventType::PlayerLeft => EventDetails::PlayerLeft(serde_json::from_value(data)?),
            EventType::PlayerRenamed => EventDetails::PlayerRenamed(serde_json::from_value(data)?),
            EventType::SkinPublished => EventDetails::SkinPublished(serde_json::from_value(data)?),
            EventType::Other(_) => EventDetails::Other(data),
        })
    }
}

/// The parameters of `list_servers`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListServersQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListServersSort>,
    /// Text anywhere in the name, short description, MOTD, address or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// Country name in English, whole, case-insensitive: a value of `/servers/countries`.
    pub country: Option<String>,
    /// Game version, or its beginning up to a dot: `1.21` matches `1.21.4`, not `1.210`.
    pub version: Option<String>,
    /// A tag of the server, whole, case-insensitive.
    pub tag: Option<String>,
    /// Game mode such as `Survival`, whole, case-insensitive.
    pub mode: Option<String>,
    /// Minimum players online now.
    pub min_players: Option<u32>,
    /// Maximum players online now; not below `minPlayers`.
    pub max_players: Option<u32>,
    /// Minimum uptime of the last 30 days, in percent.
    pub min_uptime: Option<f64>,
    /// Minimum votes since the server was added.
    pub min_votes: Option<u32>,
    /// Minimum mean rating; servers without reviews are left out.
    pub min_rating: Option<f64>,
    /// Only servers that are online.
    pub online_only: Option<bool>,
}

impl ListServersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("country", &self.country);
        query.add("version", &self.version);
        query.add("tag", &self.tag);
        query.add("mode", &self.mode);
        query.add("minPlayers", &self.min_players);
        query.add("maxPlayers", &self.max_players);
        query.add("minUptime", &self.min_uptime);
        query.add("minVotes", &self.min_votes);
        query.add("minRating", &self.min_rating);
        query.add("onlineOnly", &self.online_only);
        query
    }
}

/// The parameters of `iter_servers`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterServersQuery {
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListServersSort>,
    /// Text anywhere in the name, short description, MOTD, address or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// Country name in English, whole, case-insensitive: a value of `/servers/countries`.
    pub country: Option<String>,
    /// Game version, or its beginning up to a dot: `1.21` matches `1.21.4`, not `1.210`.
    pub version: Option<String>,
    /// A tag of the server, whole, case-insensitive.
    pub tag: Option<String>,
    /// Game mode such as `Survival`, whole, case-insensitive.
    pub mode: Option<String>,
    /// Minimum players online now.
    pub min_players: Option<u32>,
    /// Maximum players online now; not below `minPlayers`.
    pub max_players: Option<u32>,
    /// Minimum uptime of the last 30 days, in percent.
    pub min_uptime: Option<f64>,
    /// Minimum votes since the server was added.
    pub min_votes: Option<u32>,
    /// Minimum mean rating; servers without reviews are left out.
    pub min_rating: Option<f64>,
    /// Only servers that are online.
    pub online_only: Option<bool>,
}

impl IterServersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("country", &self.country);
        query.add("version", &self.version);
        query.add("tag", &self.tag);
        query.add("mode", &self.mode);
        query.add("minPlayers", &self.min_players);
        query.add("maxPlayers", &self.max_players);
        query.add("minUptime", &self.min_uptime);
        query.add("minVotes", &self.min_votes);
        query.add("minRating", &self.min_rating);
        query.add("onlineOnly", &self.online_only);
        query
    }
}

/// The parameters of `server_detail`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerDetailQuery {
    /// How far `statsHistory` and `dailyVotes` reach back.
    pub period: Option<Period>,
}

impl ServerDetailQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("period", &self.period);
        query
    }
}

/// The parameters of `server_voters`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerVotersQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
}

impl ServerVotersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query
    }
}

/// The parameters of `server_reviews`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerReviewsQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
}

impl ServerReviewsQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query
    }
}

/// The parameters of `server_updates`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerUpdatesQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
}

impl ServerUpdatesQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query
    }
}

/// The parameters of `top_servers`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopServersQuery {
    /// Ranking criterion, highest value first; `hot` favours recent votes and players.
    pub sort: Option<TopServersSort>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Country name in English, whole, case-insensitive: a value of `/servers/countries`.
    pub country: Option<String>,
    /// Game mode such as `Survival`, whole, case-insensitive.
    pub game_mode: Option<String>,
}

impl TopServersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("sort", &self.sort);
        query.add("limit", &self.limit);
        query.add("country", &self.country);
        query.add("gameMode", &self.game_mode);
        query
    }
}

/// The parameters of `list_players`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListPlayersQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Sort order: newest first, by name, or highest value first.
    pub sort: Option<ListPlayersSort>,
    /// Text anywhere in the nickname, case- and accent-insensitive.
    pub search: Option<String>,
}

impl ListPlayersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query
    }
}

/// The parameters of `iter_players`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterPlayersQuery {
    /// Sort order: newest first, by name, or highest value first.
    pub sort: Option<ListPlayersSort>,
    /// Text anywhere in the nickname, case- and accent-insensitive.
    pub search: Option<String>,
}

impl IterPlayersQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query
    }
}

/// The parameters of `search`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchQuery {
    /// Which results to return.
    pub r#type: Option<SearchType>,
    /// Items per page.
    pub limit: Option<u32>,
}

impl SearchQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("type", &self.r#type);
        query.add("limit", &self.limit);
        query
    }
}

/// The parameters of `live_history_range`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveHistoryRangeQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. With this or any other parameter the response has another form: a range in buckets.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
    /// The cursor `next` of the response before, with the same other parameters; or `start`.
    pub after: Option<String>,
}

impl LiveHistoryRangeQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query.add("after", &self.after);
        query
    }
}

/// The parameters of `iter_live_history`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterLiveHistoryQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. With this or any other parameter the response has another form: a range in buckets.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
}

impl IterLiveHistoryQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query
    }
}

/// The parameters of `leaderboards`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LeaderboardsQuery {
    /// Metric: `best` is the rank score, `sessions` and `servers` are counts.
    pub metric: Option<Metric>,
    /// What counts: only what happened in the period.
    pub period: Option<Period>,
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Tier, from `HT1` (best), `LT1`, `HT2` … to `LT5`, or `Unranked`; case-insensitive.
    pub tier: Option<String>,
    /// Id of an achievement that the players have earned, such as `first-steps`.
    pub achievement: Option<String>,
    /// Text anywhere in the nickname, case- and accent-insensitive.
    pub search: Option<String>,
}

impl LeaderboardsQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("metric", &self.metric);
        query.add("period", &self.period);
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query.add("tier", &self.tier);
        query.add("achievement", &self.achievement);
        query.add("search", &self.search);
        query
    }
}

/// The parameters of `iter_leaderboards`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterLeaderboardsQuery {
    /// Metric: `best` is the rank score, `sessions` and `servers` are counts.
    pub metric: Option<Metric>,
    /// What counts: only what happened in the period.
    pub period: Option<Period>,
    /// Tier, from `HT1` (best), `LT1`, `HT2` … to `LT5`, or `Unranked`; case-insensitive.
    pub tier: Option<String>,
    /// Id of an achievement that the players have earned, such as `first-steps`.
    pub achievement: Option<String>,
    /// Text anywhere in the nickname, case- and accent-insensitive.
    pub search: Option<String>,
}

impl IterLeaderboardsQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("metric", &self.metric);
        query.add("period", &self.period);
        query.add("tier", &self.tier);
        query.add("achievement", &self.achievement);
        query.add("search", &self.search);
        query
    }
}

/// The parameters of `list_skins`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListSkinsQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListSkinsSort>,
    /// Text anywhere in the name or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// A tag, whole, case-insensitive.
    pub tag: Option<String>,
    /// Username of the owner, whole, case-insensitive.
    pub owner: Option<String>,
    /// Skin model: `classic` (arms 4 pixels wide) or `slim` (3 pixels).
    pub model: Option<Model>,
}

impl ListSkinsQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("tag", &self.tag);
        query.add("owner", &self.owner);
        query.add("model", &self.model);
        query
    }
}

/// The parameters of `iter_skins`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterSkinsQuery {
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListSkinsSort>,
    /// Text anywhere in the name or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// A tag, whole, case-insensitive.
    pub tag: Option<String>,
    /// Username of the owner, whole, case-insensitive.
    pub owner: Option<String>,
    /// Skin model: `classic` (arms 4 pixels wide) or `slim` (3 pixels).
    pub model: Option<Model>,
}

impl IterSkinsQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("tag", &self.tag);
        query.add("owner", &self.owner);
        query.add("model", &self.model);
        query
    }
}

/// The parameters of `list_capes`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListCapesQuery {
    /// Page number, from 1.
    pub page: Option<u32>,
    /// Items per page.
    pub limit: Option<u32>,
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListCapesSort>,
    /// Text anywhere in the name or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// A tag, whole, case-insensitive.
    pub tag: Option<String>,
    /// Username of the owner, whole, case-insensitive.
    pub owner: Option<String>,
}

impl ListCapesQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("page", &self.page);
        query.add("limit", &self.limit);
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("tag", &self.tag);
        query.add("owner", &self.owner);
        query
    }
}

/// The parameters of `iter_capes`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterCapesQuery {
    /// Sort order: newest first, highest value first, or by name.
    pub sort: Option<ListCapesSort>,
    /// Text anywhere in the name or tags, case- and accent-insensitive.
    pub search: Option<String>,
    /// A tag, whole, case-insensitive.
    pub tag: Option<String>,
    /// Username of the owner, whole, case-insensitive.
    pub owner: Option<String>,
}

impl IterCapesQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("sort", &self.sort);
        query.add("search", &self.search);
        query.add("tag", &self.tag);
        query.add("owner", &self.owner);
        query
    }
}

/// The parameters of `server_history`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerHistoryQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. It is rounded down to a whole bucket.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
    /// The figures of each point, separated by commas; all by default.
    pub fields: Vec<Fields>,
    /// The cursor `next` of the response before, with the same other parameters; or `start`.
    pub after: Option<String>,
}

impl ServerHistoryQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query.add_list("fields", &self.fields);
        query.add("after", &self.after);
        query
    }
}

/// The parameters of `iter_server_history`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterServerHistoryQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. It is rounded down to a whole bucket.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
    /// The figures of each point, separated by commas; all by default.
    pub fields: Vec<Fields>,
}

impl IterServerHistoryQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query.add_list("fields", &self.fields);
        query
    }
}

/// The parameters of `server_outages`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServerOutagesQuery {
    /// Items per page.
    pub limit: Option<u32>,
}

impl ServerOutagesQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("limit", &self.limit);
        query
    }
}

/// The parameters of `compare_history`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompareHistoryQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. It is rounded down to a whole bucket.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
    /// The figures of each point, separated by commas; all by default.
    pub fields: Vec<Fields>,
    /// The cursor `next` of the response before, with the same other parameters; or `start`.
    pub after: Option<String>,
}

impl CompareHistoryQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query.add_list("fields", &self.fields);
        query.add("after", &self.after);
        query
    }
}

/// The parameters of `iter_compare_history`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterCompareHistoryQuery {
    /// Start of the range, a UTC time or date; 24 hours before `to` by default. It is rounded down to a whole bucket.
    pub from: Option<String>,
    /// End of the range, a UTC time or date; now by default and at most.
    pub to: Option<String>,
    /// Width of the buckets. `auto` is the finest that is kept for the whole range and fits into one response. `5m` is kept for 31 days, `1h` for 366 days, `1d` for ever.
    pub resolution: Option<Resolution>,
    /// The figures of each point, separated by commas; all by default.
    pub fields: Vec<Fields>,
}

impl IterCompareHistoryQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("from", &self.from);
        query.add("to", &self.to);
        query.add("resolution", &self.resolution);
        query.add_list("fields", &self.fields);
        query
    }
}

/// The parameters of `events_list`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsListQuery {
    /// Items per page.
    pub limit: Option<u32>,
    /// Only events of the server with this slug.
    pub server: Option<String>,
    /// Only events about this player: id, game UUID or nickname.
    pub player: Option<String>,
    /// Only events of these types, separated by commas.
    pub r#type: Vec<EventType>,
}

impl EventsListQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("limit", &self.limit);
        query.add("server", &self.server);
        query.add("player", &self.player);
        query.add_list("type", &self.r#type);
        query
    }
}

/// The parameters of `iter_events_list`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IterEventsListQuery {
    /// Only events of the server with this slug.
    pub server: Option<String>,
    /// Only events about this player: id, game UUID or nickname.
    pub player: Option<String>,
    /// Only events of these types, separated by commas.
    pub r#type: Vec<EventType>,
}

impl IterEventsListQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("server", &self.server);
        query.add("player", &self.player);
        query.add_list("type", &self.r#type);
        query
    }
}

/// The parameters of `events_stream`. Those that are not set have their default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventsStreamQuery {
    /// Only events after this cursor: the `next` of an earlier call, the id of an event, or `start` for the oldest. Kept for 30 days.
    pub after: Option<String>,
    /// Only events of the server with this slug.
    pub server: Option<String>,
    /// Only events about this player: id, game UUID or nickname.
    pub player: Option<String>,
    /// Only events of these types, separated by commas.
    pub r#type: Vec<EventType>,
}

impl EventsStreamQuery {
    pub(crate) fn pairs(&self) -> Query {
        let mut query = Query::default();
        query.add("after", &self.after);
        query.add("server", &self.server);
        query.add("player", &self.player);
        query.add_list("type", &self.r#type);
        query
    }
}

/// One method for each endpoint.
impl Client {
    /// A page of the public servers. Filters are combined with AND; text filters compare whole values, case-insensitive.
    pub async fn list_servers(&self, query: &ListServersQuery) -> Result<ServerList, Error> {
        let query = query.pairs();
        self.get("/servers", query).await
    }

    /// All items of `list_servers`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_servers(&self, query: &IterServersQuery) -> Items<ServerSummary> {
        let query = query.pairs();
        Items::new(self.clone(), "/servers", "/servers", query, true)
    }

    /// One server: status, player history, statistics per period, and votes.
    pub async fn server_detail(&self, slug: &str, query: &ServerDetailQuery) -> Result<ServerDetailData, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}", segment(slug)), query).await
    }

    /// Votes, newest first, of accounts and anonymous voters.
    pub async fn server_voters(&self, slug: &str, query: &ServerVotersQuery) -> Result<VoterList, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}/voters", segment(slug)), query).await
    }

    /// All items of `server_voters`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_server_voters(&self, slug: &str) -> Items<Voter> {
        let query = Query::default();
        Items::new(self.clone(), format!("/servers/{}/voters", segment(slug)), "/voters", query, true)
    }

    /// Reviews, newest first.
    pub async fn server_reviews(&self, slug: &str, query: &ServerReviewsQuery) -> Result<ReviewList, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}/reviews", segment(slug)), query).await
    }

    /// All items of `server_reviews`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_server_reviews(&self, slug: &str) -> Items<Review> {
        let query = Query::default();
        Items::new(self.clone(), format!("/servers/{}/reviews", segment(slug)), "/reviews", query, true)
    }

    /// Approved posts, newest first.
    pub async fn server_updates(&self, slug: &str, query: &ServerUpdatesQuery) -> Result<UpdatePostList, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}/updates", segment(slug)), query).await
    }

    /// All items of `server_updates`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_server_updates(&self, slug: &str) -> Items<UpdatePost> {
        let query = Query::default();
        Items::new(self.clone(), format!("/servers/{}/updates", segment(slug)), "/updates", query, true)
    }

    /// The top servers by votes, hot score, players, rating or trend.
    pub async fn top_servers(&self, query: &TopServersQuery) -> Result<TopServers, Error> {
        let query = query.pairs();
        self.get("/servers/top", query).await
    }

    /// Countries with their number of servers, most first, then by name.
    pub async fn server_countries(&self) -> Result<CountryCounts, Error> {
        let query = Query::default();
        self.get("/servers/countries", query).await
    }

    /// Game versions with their number of servers, most first, then by name.
    pub async fn server_versions(&self) -> Result<VersionCounts, Error> {
        let query = Query::default();
        self.get("/servers/versions", query).await
    }

    /// A page of the player directory.
    pub async fn list_players(&self, query: &ListPlayersQuery) -> Result<PlayerList, Error> {
        let query = query.pairs();
        self.get("/players", query).await
    }

    /// All items of `list_players`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_players(&self, query: &IterPlayersQuery) -> Items<PlayerSummary> {
        let query = query.pairs();
        Items::new(self.clone(), "/players", "/players", query, true)
    }

    /// The profile of a player: sessions, stats, achievements, votes and reviews.
    pub async fn player_detail(&self, id: &str) -> Result<PlayerDetailData, Error> {
        let query = Query::default();
        self.get(&format!("/players/{}", segment(id)), query).await
    }

    /// Better matches first (exact name, prefix, start of a word, inside the name, other fields), then the more popular. At most `limit` servers and `limit` players.
    pub async fn search(&self, q: &str, query: &SearchQuery) -> Result<SearchData, Error> {
        let mut query = query.pairs();
        query.add_text("q", q);
        self.get("/search", query).await
    }

    /// Totals over all public servers, the busiest servers, recent activity, and players by continent and country.
    pub async fn live(&self) -> Result<LiveData, Error> {
        let query = Query::default();
        self.get("/live", query).await
    }

    /// Average total players online per hour over the last 7 days, oldest first. Hours without data are left out. With parameters: any range, in buckets.
    pub async fn live_history(&self) -> Result<LiveHistory, Error> {
        let query = Query::default();
        self.get("/live/history", query).await
    }

    /// Average total players online per hour over the last 7 days, oldest first. Hours without data are left out. With parameters: any range, in buckets.
    pub async fn live_history_range(&self, query: &LiveHistoryRangeQuery) -> Result<LiveHistoryRange, Error> {
        let mut query = query.pairs();
        query.or("after", "start");
        self.get("/live/history", query).await
    }

    /// All items of `live_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_live_history(&self, query: &IterLiveHistoryQuery) -> Items<HistoryPoint> {
        let query = query.pairs();
        Items::new(self.clone(), "/live/history", "/points", query, false)
    }

    /// Players ranked by a metric within a period. Ties share a rank. Filters narrow the list; ranks stay those of the whole leaderboard.
    pub async fn leaderboards(&self, query: &LeaderboardsQuery) -> Result<LeaderboardData, Error> {
        let query = query.pairs();
        self.get("/leaderboards", query).await
    }

    /// All items of `leaderboards`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_leaderboards(&self, query: &IterLeaderboardsQuery) -> Items<LeaderboardEntry> {
        let query = query.pairs();
        Items::new(self.clone(), "/leaderboards", "/leaderboard/entries", query, true)
    }

    /// A page of the community skins.
    pub async fn list_skins(&self, query: &ListSkinsQuery) -> Result<SkinList, Error> {
        let query = query.pairs();
        self.get("/skins", query).await
    }

    /// All items of `list_skins`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_skins(&self, query: &IterSkinsQuery) -> Items<SkinSummary> {
        let query = query.pairs();
        Items::new(self.clone(), "/skins", "/skins", query, true)
    }

    /// One skin, the players who wear it, and whether the account of the API key likes, favorites or owns it.
    pub async fn skin_detail(&self, slug: &str) -> Result<SkinDetailData, Error> {
        let query = Query::default();
        self.get(&format!("/skins/{}", segment(slug)), query).await
    }

    /// A page of the community capes.
    pub async fn list_capes(&self, query: &ListCapesQuery) -> Result<CapeList, Error> {
        let query = query.pairs();
        self.get("/capes", query).await
    }

    /// All items of `list_capes`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_capes(&self, query: &IterCapesQuery) -> Items<CapeSummary> {
        let query = query.pairs();
        Items::new(self.clone(), "/capes", "/capes", query, true)
    }

    /// One cape, the players who wear it, and whether the account of the API key likes, favorites or owns it.
    pub async fn cape_detail(&self, slug: &str) -> Result<CapeDetailData, Error> {
        let query = Query::default();
        self.get(&format!("/capes/{}", segment(slug)), query).await
    }

    /// Players, latency, ticks per second and uptime over any range, in buckets, with the share of each bucket in which the server was watched.
    pub async fn server_history(&self, slug: &str, query: &ServerHistoryQuery) -> Result<ServerHistory, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}/history", segment(slug)), query).await
    }

    /// All items of `server_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_server_history(&self, slug: &str, query: &IterServerHistoryQuery) -> Items<HistoryPoint> {
        let query = query.pairs();
        Items::new(self.clone(), format!("/servers/{}/history", segment(slug)), "/points", query, false)
    }

    /// Times in which the server did not answer, newest first. An outage begins with the first of two pings in a row that fail.
    pub async fn server_outages(&self, slug: &str, query: &ServerOutagesQuery) -> Result<OutageList, Error> {
        let query = query.pairs();
        self.get(&format!("/servers/{}/outages", segment(slug)), query).await
    }

    /// All items of `server_outages`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_server_outages(&self, slug: &str) -> Items<ServerOutage> {
        let query = Query::default();
        Items::new(self.clone(), format!("/servers/{}/outages", segment(slug)), "/outages", query, true)
    }

    /// Uptime, trend, hot score, rating and rank, each with its formula, the inputs that give exactly this value, the share of time that was watched, and the time of computation; and how far the player count can be trusted. Lists show the figures as of the last minute.
    pub async fn explain_server(&self, slug: &str) -> Result<ServerExplanation, Error> {
        let query = Query::default();
        self.get(&format!("/servers/{}/explain", segment(slug)), query).await
    }

    /// Servers as in the list, in the order of the request. Every 10 slugs or part of them count as one request of the quota.
    pub async fn batch_servers(&self, slugs: &[&str]) -> Result<ServerBatch, Error> {
        let mut query = Query::default();
        query.add_list("slugs", slugs);
        self.get("/servers/batch", query).await
    }

    /// Players as in the directory, in the order of the request. Every 10 ids or part of them count as one request of the quota.
    pub async fn batch_players(&self, ids: &[&str]) -> Result<PlayerBatch, Error> {
        let mut query = Query::default();
        query.add_list("ids", ids);
        self.get("/players/batch", query).await
    }

    /// Players, latency, ticks per second and uptime of up to 10 servers over the same range, in buckets of the same width. A response has at most 2,000 points in all.
    pub async fn compare_history(
        &self,
        servers: &[&str],
        query: &CompareHistoryQuery,
    ) -> Result<HistoryComparison, Error> {
        let mut query = query.pairs();
        query.add_list("servers", servers);
        self.get("/history", query).await
    }

    /// All items of `compare_history`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_compare_history(&self, servers: &[&str], query: &IterCompareHistoryQuery) -> Items<ComparedServer> {
        let mut query = query.pairs();
        query.add_list("servers", servers);
        Items::new(self.clone(), "/history", "/servers", query, false)
    }

    /// Limits, usage and ends of the windows of the API key of this request. The call uses no quota, also when the quota is exhausted; it is allowed 30 times a minute. The playground runs it with your own key.
    pub async fn key_status(&self) -> Result<KeyStatus, Error> {
        let query = Query::default();
        self.get("/key", query).await
    }

    /// What happened to servers and players in the last 30 days, oldest first. Without `after` the newest events. Call again with `after` set to `next` to miss nothing and to see nothing twice.
    pub async fn events_list(&self, query: &EventsListQuery) -> Result<EventList, Error> {
        let query = query.pairs();
        self.get("/events", query).await
    }

    /// All items of `events_list`, page by page. Each comes exactly once, except one that moves across the cursor meanwhile.
    pub fn iter_events_list(&self, query: &IterEventsListQuery) -> Items<Event> {
        let query = query.pairs();
        Items::new(self.clone(), "/events", "/events", query, true)
    }
}
