//! `GET /players`

use crate::app::App;
use crate::catalogue::{ListPosition, PlayerSort};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, Int, PAGE, PageParams, Text, limit};
use rollcall_model::resources::{Pagination, Pictures, PlayerList, PlayerSummary, Timestamp};
use rollcall_store::Conn;
use rollcall_store::players::{self, PlayerRow};
use utoipa::PartialSchema;

const LIMIT: Int = limit(20);
const SORT: Choice<PlayerSort> = Choice {
    name: "sort",
    about: "Sort order: newest first, by name, or highest value first.",
    values: &[
        ("recent", PlayerSort::Recent),
        ("name", PlayerSort::Name),
        ("playtime", PlayerSort::Playtime),
        ("sessions", PlayerSort::Sessions),
        ("tier", PlayerSort::Tier),
    ],
    default: Some("recent"),
};
const SEARCH: Text = Text { name: "search", about: "Text anywhere in the nickname, case- and accent-insensitive." };

const FIELDS: ItemFields = ItemFields(&[("/players", <PlayerSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/players",
    name: "listPlayers",
    tag: "Players",
    summary: "List players",
    description: "A page of the player directory.",
    path_param: None,
    params: &[&PAGE, &LIMIT, &SORT, &SEARCH, &FIELDS, &AFTER],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<PlayerList>,
    plan,
};

#[derive(Clone, Debug)]
pub struct ListPlayersParams {
    pub page: PageParams,
    pub sort: PlayerSort,
    pub search: Option<String>,
}

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<ListPlayersParams, ApiError> {
    Ok(ListPlayersParams {
        page: PageParams::read(query, &LIMIT)?,
        sort: SORT.read_or_default(query)?,
        search: SEARCH.read(query),
    })
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = params(&call.query)?;
    match AFTER.read_sorted(&call.query, params.sort)? {
        None => Plan::reading(params, |app, conn, params| envelope(&load(app, conn, &params)?)),
        Some(position) => {
            Plan::reading((params, position), |app, conn, (params, position)| load_after(app, conn, &params, position))
        }
    }
}

fn load_after(
    app: &App,
    conn: &mut Conn,
    params: &ListPlayersParams,
    position: CursorPosition<ListPosition<PlayerSort>>,
) -> Result<Vec<u8>, ApiError> {
    let (page, after) = (params.page, position.after());
    let found = {
        let players = app.catalogue.players();
        players.page_after(params.search.as_deref(), params.sort, after.as_ref(), page.limit as usize)
    };
    let rows = players::by_numbers(conn, &found.items)?;
    let list = PlayerList {
        players: rows.into_iter().map(|row| summary(row, &app.catalogue.pictures)).collect(),
        pagination: Pagination::new(page.page, page.limit, found.total),
    };
    cursor::page(&envelope(&list)?, found.next.as_ref().map(cursor::encode))
}

pub fn load(app: &App, conn: &mut Conn, params: &ListPlayersParams) -> Result<PlayerList, ApiError> {
    let page = params.page;
    let (numbers, total) =
        app.catalogue.players().page(params.search.as_deref(), params.sort, page.offset(), page.limit as usize);
    let rows = players::by_numbers(conn, &numbers)?;
    Ok(PlayerList {
        players: rows.into_iter().map(|row| summary(row, &app.catalogue.pictures)).collect(),
        pagination: Pagination::new(page.page, page.limit, total),
    })
}

pub(super) fn summary(row: PlayerRow, pictures: &Pictures) -> PlayerSummary {
    PlayerSummary {
        id: row.id,
        game_uuid: row.game_uuid,
        main_nickname: row.nickname,
        skin_url: pictures.url(&row.skin),
        linked_skin_png_path: pictures.url(&row.linked_skin_png),
        skin_model: row.skin_model,
        country: row.country,
        tier_overall: row.tier_overall,
        tier_points: row.tier_points,
        tier_rank: row.tier_rank,
        last_tier_sync_at: row.last_tier_sync_at.map(Timestamp),
        created_at: Timestamp(row.created_at),
        total_play_time: row.total_play_time,
        session_count: row.session_count,
    }
}
