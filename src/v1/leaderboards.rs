//! `GET /leaderboards`

use crate::app::App;
use crate::catalogue::{LeaderboardMetric, ListPosition, Players, RankedRow};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, Int, PAGE, PageParams, Text, limit, period};
use rollcall_model::achievements::{self, CATALOGUE};
use rollcall_model::period::Period;
use rollcall_model::resources::{
    Leaderboard, LeaderboardData, LeaderboardEntry, LeaderboardPlayer, Pagination, Timestamp,
};
use rollcall_model::score;
use rollcall_search::BitSet;
use rollcall_store::Conn;
use rollcall_store::players;
use utoipa::PartialSchema;

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
const FIELDS: ItemFields = ItemFields(&[("/leaderboard/entries", <LeaderboardEntry as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/leaderboards",
    name: "leaderboards",
    tag: "Leaderboards",
    summary: "Player leaderboards",
    description: "Players ranked by a metric within a period. Ties share a rank. Filters narrow the list; ranks stay those \
                  of the whole leaderboard.",
    path_param: None,
    params: &[&METRIC, &PERIOD, &PAGE, &LIMIT, &TIER, &ACHIEVEMENT, &SEARCH, &FIELDS, &AFTER],
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

impl LeaderboardParams {
    /// The players that pass the filters; `None` without a filter.
    fn select(&self, players: &Players) -> Option<BitSet> {
        // No player has an unknown achievement.
        let bit = self.achievement.as_deref().map(|id| achievements::by_id(id).unwrap_or(CATALOGUE.len()));
        players.select(self.tier.as_deref(), bit, self.search.as_deref())
    }
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

/// Identifies a leaderboard.
type Board = (LeaderboardMetric, Period);

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = params(&call.query)?;
    match AFTER.read_sorted(&call.query, (params.metric, params.period))? {
        None => Plan::reading(params, |app, conn, params| envelope(&load(app, conn, &params)?)),
        Some(position) => {
            Plan::reading((params, position), |app, conn, (params, position)| load_after(app, conn, &params, position))
        }
    }
}

/// Players of a board as the catalogue has them.
struct Found {
    /// `n`, rank and value.
    standings: Vec<(i64, u32, f64)>,
    total: u64,
    generated_at: i64,
}

fn load_after(
    app: &App,
    conn: &mut Conn,
    params: &LeaderboardParams,
    position: CursorPosition<ListPosition<Board>>,
) -> Result<Vec<u8>, ApiError> {
    let limit = params.page.limit as usize;
    // No leaderboard has more points.
    let after = position.after().map(|position| (u32::try_from(position.int).unwrap_or(u32::MAX), position.n));
    let (found, next) = {
        let (players, boards) = (app.catalogue.players(), app.catalogue.leaderboards());
        let (board, generated_at) = boards.get(params.metric, params.period);
        let page = board.page_after(params.select(&players), after, limit, |row| players.n_of(row));
        (Found { standings: standings(&players, &page.rows), total: page.total, generated_at }, page.next)
    };
    let next = next.map(|(points, n)| {
        let position = ListPosition::of_int((params.metric, params.period), points.into());
        cursor::encode(&ListPosition { n, ..position })
    });
    cursor::page(&envelope(&data_of(app, conn, params, found)?)?, next)
}

pub fn load(app: &App, conn: &mut Conn, params: &LeaderboardParams) -> Result<LeaderboardData, ApiError> {
    let page = params.page;
    let found = {
        let (players, boards) = (app.catalogue.players(), app.catalogue.leaderboards());
        let (board, generated_at) = boards.get(params.metric, params.period);
        let (rows, total) = board.page(params.select(&players), page.offset(), page.limit as usize);
        Found { standings: standings(&players, &rows), total, generated_at }
    };
    data_of(app, conn, params, found)
}

fn standings(players: &Players, rows: &[RankedRow]) -> Vec<(i64, u32, f64)> {
    rows.iter().map(|ranked| (players.n_of(ranked.row), ranked.rank, ranked.value)).collect()
}

fn data_of(app: &App, conn: &mut Conn, params: &LeaderboardParams, found: Found) -> Result<LeaderboardData, ApiError> {
    let numbers: Vec<i64> = found.standings.iter().map(|(n, _, _)| *n).collect();
    let rows = players::by_numbers(conn, &numbers)?;
    let pictures = &app.catalogue.pictures;
    let entries = rows.into_iter().filter_map(|row| {
        let (_, rank, value) = *found.standings.iter().find(|(n, _, _)| *n == row.n)?;
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
            generated_at: Timestamp(found.generated_at),
            entries: entries.collect(),
        },
        pagination: Pagination::new(params.page.page, params.page.limit, found.total),
    })
}

fn formatted(metric: LeaderboardMetric, value: f64) -> String {
    match metric {
        LeaderboardMetric::Best => score::format_score(value),
        LeaderboardMetric::Sessions | LeaderboardMetric::Servers => score::format_count(value as i64),
    }
}
