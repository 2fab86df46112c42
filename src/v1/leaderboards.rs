//! `GET /leaderboards`

use crate::app::App;
use crate::catalogue::LeaderboardMetric;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::params::{Choice, Int, PAGE, PageParams, Text, limit, period};
use rollcall_model::achievements::{self, CATALOGUE};
use rollcall_model::period::Period;
use rollcall_model::resources::{
    Leaderboard, LeaderboardData, LeaderboardEntry, LeaderboardPlayer, Pagination, Timestamp,
};
use rollcall_model::score;
use rollcall_store::Conn;
use rollcall_store::players;

const METRIC: Choice<LeaderboardMetric> = Choice {
    name: "metric",
    about: "Metric: `best` is the rank score, `sessions` and `servers` are counts.",
    values: &[
        ("best", LeaderboardMetric::Best),
        ("sessions", LeaderboardMetric::Sessions),
        ("servers", LeaderboardMetric::Servers),
    ],
    default: Some("best"),
};
const PERIOD: Choice<Period> = period("What counts: only what happened in the period.", "all-time");
const LIMIT: Int = limit(20);
const TIER: Text = Text {
    name: "tier",
    about: "Tier, from `HT1` (best), `LT1`, `HT2` … to `LT5`, or `Unranked`; case-insensitive.",
};
const ACHIEVEMENT: Text =
    Text { name: "achievement", about: "Id of an achievement that the players have earned, such as `first-steps`." };
const SEARCH: Text = Text { name: "search", about: "Text anywhere in the nickname, case- and accent-insensitive." };

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/leaderboards",
    name: "leaderboards",
    tag: "Leaderboards",
    summary: "Player leaderboards",
    description: "Players ranked by a metric within a period. Ties share a rank. Filters narrow the list; ranks stay those \
                  of the whole leaderboard.",
    path_param: None,
    params: &[&METRIC, &PERIOD, &PAGE, &LIMIT, &TIER, &ACHIEVEMENT, &SEARCH],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<LeaderboardData>,
    plan,
};

#[derive(Clone, Debug)]
pub struct LeaderboardParams {
    pub metric: LeaderboardMetric,
    pub period: Period,
    pub page: PageParams,
    pub tier: Option<String>,
    pub achievement: Option<String>,
    pub search: Option<String>,
}

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<LeaderboardParams, ApiError> {
    Ok(LeaderboardParams {
        metric: METRIC.read_or_default(query)?,
        period: PERIOD.read_or_default(query)?,
        page: PageParams::read(query, &LIMIT)?,
        tier: TIER.read(query),
        achievement: ACHIEVEMENT.read(query),
        search: SEARCH.read(query),
    })
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading(params(&call.query)?, |app, conn, params| envelope(&load(app, conn, &params)?))
}

pub fn load(app: &App, conn: &mut Conn, params: &LeaderboardParams) -> Result<LeaderboardData, ApiError> {
    let page = params.page;
    let (standings, total, generated_at) = {
        let players = app.catalogue.players();
        let boards = app.catalogue.leaderboards();
        // No player has an unknown achievement.
        let bit = params.achievement.as_deref().map(|id| achievements::by_id(id).unwrap_or(CATALOGUE.len()));
        let selected = players.select(params.tier.as_deref(), bit, params.search.as_deref());
        let (board, generated_at) = boards.get(params.metric, params.period);
        let (standings, total) = board.page(selected.as_ref(), page.offset(), page.limit as usize);
        let standings: Vec<(i64, u32, f64)> =
            standings.iter().map(|s| (players.n_of(s.row), s.rank, s.value)).collect();
        (standings, total, generated_at)
    };
    let numbers: Vec<i64> = standings.iter().map(|(n, _, _)| *n).collect();
    let rows = players::by_numbers(conn, &numbers)?;
    let pictures = &app.catalogue.pictures;
    let entries = rows.into_iter().filter_map(|row| {
        let (_, rank, value) = *standings.iter().find(|(n, _, _)| *n == row.n)?;
        let player = LeaderboardPlayer {
            id: row.id,
            main_nickname: row.nickname,
            game_uuid: row.game_uuid,
            tier_overall: row.tier_overall,
            tier_points: row.tier_points,
            tier_rank: row.tier_rank,
            skin_model: row.skin_model,
            skin_url: pictures.url(&row.skin),
            linked_skin_png_path: pictures.url(&row.linked_skin_png),
        };
        Some(LeaderboardEntry { rank, player, value, formatted_value: formatted(params.metric, value) })
    });
    Ok(LeaderboardData {
        leaderboard: Leaderboard {
            metric: params.metric.name(),
            period: params.period.name(),
            server_id: None,
            generated_at: Timestamp(generated_at),
            entries: entries.collect(),
        },
        pagination: Pagination::new(page.page, page.limit, total),
    })
}

fn formatted(metric: LeaderboardMetric, value: f64) -> String {
    match metric {
        LeaderboardMetric::Best => score::format_score(value),
        LeaderboardMetric::Sessions | LeaderboardMetric::Servers => score::format_count(value as i64),
    }
}
