//! `GET /search`

use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, Int, RequiredText, limit};
use rollcall_model::resources::{FoundPlayer, FoundServer, SearchData, SearchResults, Timestamp};
use rollcall_store::Conn;
use rollcall_store::players;
use utoipa::PartialSchema;

const Q: RequiredText = RequiredText {
    name: "q",
    about: "Text anywhere in a server's name, short description, MOTD, address or tags, or in a player's nickname, \
            case- and accent-insensitive.",
    min: 2,
    max: 100,
};
const LIMIT: Int = limit(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    All,
    Servers,
    Players,
}

const TYPE: Choice<Scope> = Choice {
    name: "type",
    about: "Which results to return.",
    values: &[("all", Scope::All), ("servers", Scope::Servers), ("players", Scope::Players)],
    default: Some("all"),
};

const FIELDS: ItemFields = ItemFields(&[
    ("/results/servers", <FoundServer as PartialSchema>::schema),
    ("/results/players", <FoundPlayer as PartialSchema>::schema),
]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/search",
    name: "search",
    tag: "Search",
    summary: "Search servers and players",
    description: "Better matches first (exact name, prefix, start of a word, inside the name, other fields), then the more \
                  popular. At most `limit` servers and `limit` players.",
    path_param: None,
    params: &[&Q, &TYPE, &LIMIT, &FIELDS],
    max_age: 30,
    per_account: false,
    units: Units::One,
    data: data::<SearchData>,
    plan,
};

#[derive(Clone, Debug)]
pub struct SearchParams {
    pub query: String,
    pub scope: Scope,
    pub limit: usize,
}

/// Reads and checks the parameters.
pub fn params(query: &Query) -> Result<SearchParams, ApiError> {
    Ok(SearchParams {
        query: Q.read(query)?,
        scope: TYPE.read_or_default(query)?,
        limit: LIMIT.read(query)?.unwrap_or_default() as usize,
    })
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    Plan::reading(params(&call.query)?, |app, conn, params| envelope(&load(app, conn, params)?))
}

pub fn load(app: &App, conn: &mut Conn, params: SearchParams) -> Result<SearchData, ApiError> {
    let players = if params.scope == Scope::Servers {
        Vec::new()
    } else {
        let numbers = app.catalogue.players().search(&params.query, params.limit);
        players::search_results(conn, &numbers)?
    };
    let players = players.into_iter().map(|row| FoundPlayer {
        id: row.id,
        game_uuid: row.game_uuid,
        main_nickname: row.nickname,
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
    });
    let mut found = SearchResults { servers: Vec::new(), players: players.collect() };
    if params.scope != Scope::Players {
        let pictures = &app.catalogue.pictures;
        let servers = app.catalogue.servers();
        found.servers.extend(servers.search(&params.query, params.limit).into_iter().map(|entry| {
            let stats = &entry.stats;
            FoundServer {
                id: entry.id().to_owned(),
                slug: entry.slug().to_owned(),
                name: entry.name().to_owned(),
                icon_url: pictures.url(entry.icon()),
                banner_url: pictures.url(entry.banner()),
                current_players: stats.current_players,
                max_players: stats.max_players,
                is_online: stats.is_online,
                rating: stats.rating,
            }
        }));
    }
    Ok(SearchData { results: found, query: params.query })
}
