//! `GET /servers`

use crate::catalogue::{ListPosition, ServerFilter, ServerSort};
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::cursor::{self, AFTER, CursorPosition};
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, listing};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, Flag, Int, MAX_INT, Number, PAGE, PageParams, Text, check_range, limit};
use rollcall_model::resources::{Pagination, ServerList, ServerSummary};
use utoipa::PartialSchema;

const LIMIT: Int = limit(20);
const SORT: Choice<ServerSort> = Choice {
    name: "sort",
    about: "Sort order: newest first, highest value first, or by name.",
    values: &[
        ("recent", ServerSort::Recent),
        ("players", ServerSort::Players),
        ("votes", ServerSort::Votes),
        ("rating", ServerSort::Rating),
        ("uptime", ServerSort::Uptime),
        ("trending", ServerSort::Trending),
        ("name", ServerSort::Name),
    ],
    default: Some("recent"),
};
const SEARCH: Text = Text {
    name: "search",
    about: "Text anywhere in the name, short description, MOTD, address or tags, case- and accent-insensitive.",
};
const COUNTRY: Text = Text {
    name: "country",
    about: "Country name in English, whole, case-insensitive: a value of `/servers/countries`.",
};
const VERSION: Text = Text {
    name: "version",
    about: "Game version, or its beginning up to a dot: `1.21` matches `1.21.4`, not `1.210`.",
};
const TAG: Text = Text { name: "tag", about: "A tag of the server, whole, case-insensitive." };
const MODE: Text = Text { name: "mode", about: "Game mode such as `Survival`, whole, case-insensitive." };
const MIN_PLAYERS: Int =
    Int { name: "minPlayers", about: "Minimum players online now.", min: 0, max: MAX_INT, default: None };
const MAX_PLAYERS: Int = Int {
    name: "maxPlayers",
    about: "Maximum players online now; not below `minPlayers`.",
    min: 0,
    max: MAX_INT,
    default: None,
};
const MIN_UPTIME: Number =
    Number { name: "minUptime", about: "Minimum uptime of the last 30 days, in percent.", min: 0.0, max: 100.0 };
const MIN_VOTES: Int =
    Int { name: "minVotes", about: "Minimum votes since the server was added.", min: 0, max: MAX_INT, default: None };
const MIN_RATING: Number = Number {
    name: "minRating",
    about: "Minimum mean rating; servers without reviews are left out.",
    min: 1.0,
    max: 5.0,
};
const ONLINE_ONLY: Flag = Flag { name: "onlineOnly", about: "Only servers that are online." };

const FIELDS: ItemFields = ItemFields(&[("/servers", <ServerSummary as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers",
    name: "listServers",
    tag: "Servers",
    summary: "List servers",
    description: "A page of the public servers. Filters are combined with AND; text filters compare whole values, \
                  case-insensitive.",
    path_param: None,
    params: &[
        &PAGE,
        &LIMIT,
        &SORT,
        &SEARCH,
        &COUNTRY,
        &VERSION,
        &TAG,
        &MODE,
        &MIN_PLAYERS,
        &MAX_PLAYERS,
        &MIN_UPTIME,
        &MIN_VOTES,
        &MIN_RATING,
        &ONLINE_ONLY,
        &FIELDS,
        &AFTER,
    ],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<ServerList>,
    plan,
};

#[derive(Debug)]
pub struct ListServersParams {
    pub page: PageParams,
    pub sort: ServerSort,
    pub filter: ServerFilter,
}

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<ListServersParams, ApiError> {
    let params = ListServersParams {
        page: PageParams::read(query, &LIMIT)?,
        sort: SORT.read_or_default(query)?,
        filter: ServerFilter {
            search: SEARCH.read(query),
            country: COUNTRY.read(query),
            version: VERSION.read(query),
            tag: TAG.read(query),
            mode: MODE.read(query),
            min_players: MIN_PLAYERS.read(query)?,
            max_players: MAX_PLAYERS.read(query)?,
            min_uptime: MIN_UPTIME.read(query)?,
            min_votes: MIN_VOTES.read(query)?,
            min_rating: MIN_RATING.read(query)?,
            online_only: ONLINE_ONLY.read(query)?,
        },
    };
    check_range((&MIN_PLAYERS, params.filter.min_players), (&MAX_PLAYERS, params.filter.max_players))?;
    Ok(params)
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = params(&call.query)?;
    let position: Option<CursorPosition<ListPosition<ServerSort>>> = AFTER.read_sorted(&call.query, params.sort)?;
    Plan::new((params, position), |app, (params, position)| async move {
        let page = params.page;
        let servers = app.catalogue.servers();
        if let Some(position) = position {
            let found = servers.page_after(&params.filter, params.sort, position.after().as_ref(), page.limit as usize);
            let pagination = Pagination::new(page.page, page.limit, found.total);
            let body = listing("servers", found.items.iter().map(|entry| &entry.summary[..]), &pagination)?;
            return cursor::page(&body, found.next.as_ref().map(cursor::encode));
        }
        let (entries, total) = servers.page(&params.filter, params.sort, page.offset(), page.limit as usize);
        let pagination = Pagination::new(page.page, page.limit, total);
        listing("servers", entries.iter().map(|entry| &entry.summary[..]), &pagination)
    })
}
