//! The figures of a server with everything they are computed from.

use serde::Serialize;
use utoipa::ToSchema;

use super::Timestamp;

macro_rules! figure {
    ($(#[$about:meta])* $name:ident, $value:ty, $inputs:ident) => {
        $(#[$about])*
        #[derive(Clone, Debug, Serialize, ToSchema)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            /// The figure.
            pub value: $value,
            /// How the inputs give the value.
            pub formula: &'static str,
            /// What the value is computed from.
            pub inputs: $inputs,
            /// Share of the time window in which the server was watched, 0 to 1, four decimals; null for a figure without one.
            #[schema(minimum = 0, maximum = 1)]
            pub coverage: Option<f64>,
            /// When it was computed, which is the end of its time window.
            pub computed_at: Timestamp,
        }
    };
}

figure!(
    /// The uptime of the last 30 days.
    ExplainedUptime, f64, UptimeInputs
);
figure!(
    /// The trend of the last 24 hours.
    ExplainedTrend, f64, TrendInputs
);
figure!(
    /// The hot score.
    ExplainedHotScore, f64, HotScoreInputs
);
figure!(
    /// The mean rating.
    ExplainedRating, f64, RatingInputs
);
figure!(
    /// The rank among all public servers by votes.
    ExplainedRank, u64, RankInputs
);

/// Inputs of the uptime.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UptimeInputs {
    /// Start of the window: the first whole five minutes of the last 30 days.
    pub since: Timestamp,
    /// Milliseconds in which the server was online.
    #[schema(minimum = 0)]
    pub online_ms: i64,
    /// Milliseconds in which it was watched.
    #[schema(minimum = 0)]
    pub watched_ms: i64,
}

/// Inputs of the trend.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrendInputs {
    /// Start of the last 24 hours: their first whole five minutes.
    pub since: Timestamp,
    /// Start of the 24 hours before.
    pub since_before: Timestamp,
    /// Players multiplied by milliseconds in the last 24 hours.
    #[schema(minimum = 0)]
    pub player_ms: i64,
    /// Milliseconds watched in the last 24 hours.
    #[schema(minimum = 0)]
    pub watched_ms: i64,
    /// Players multiplied by milliseconds in the 24 hours before.
    #[schema(minimum = 0)]
    pub player_ms_before: i64,
    /// Milliseconds watched in the 24 hours before.
    #[schema(minimum = 0)]
    pub watched_ms_before: i64,
}

/// Inputs of the hot score.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HotScoreInputs {
    /// Votes, each halved every 48 hours, as of `voteHeatAt`.
    #[schema(minimum = 0)]
    pub vote_heat: f64,
    /// When `voteHeat` was summed: the last vote.
    pub vote_heat_at: Timestamp,
    /// Average players of the last 24 hours, one decimal.
    #[schema(minimum = 0)]
    pub recent_players: f64,
    /// The uptime, as above.
    #[schema(minimum = 0, maximum = 100)]
    pub uptime: f64,
}

/// Inputs of the rating.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RatingInputs {
    /// Sum of the ratings of all reviews.
    #[schema(minimum = 0)]
    pub rating_sum: i64,
    /// Reviews.
    #[schema(minimum = 0)]
    pub reviews: i64,
}

/// Inputs of the rank.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RankInputs {
    /// Votes of this server.
    #[schema(minimum = 0)]
    pub total_votes: i64,
    /// Public servers with more votes.
    #[schema(minimum = 0)]
    pub ahead: u64,
    /// Public servers with as many votes and a smaller id.
    #[schema(minimum = 0)]
    pub tied_ahead: u64,
    /// Public servers.
    #[schema(minimum = 1)]
    pub servers: u64,
}

/// How far a player count can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum CountConfidence {
    /// Every player is known by name.
    Listed,
    /// The server names some of its players, or none.
    Sampled,
    /// The reported count was rejected; the last accepted count is used.
    Capped,
    /// The server is offline, or was never pinged.
    Offline,
}

/// The current player count and what it rests on.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedPlayers {
    /// Players online at the last ping.
    #[schema(minimum = 0)]
    pub value: i64,
    /// `listed`: every player is known by name. `sampled`: some or none are. `capped`: the reported count was
    /// rejected; the last accepted count is used. `offline`: there is no count.
    pub confidence: CountConfidence,
    /// The count that the server reports; equal to `value` unless it is capped.
    #[schema(minimum = 0)]
    pub reported: i64,
    /// Players known by name; at most 60 are kept.
    #[schema(minimum = 0)]
    pub named: i64,
    /// Time of the last ping with a result; null until the first one.
    pub sampled_at: Option<Timestamp>,
}

/// The figures of a server, explained.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
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
