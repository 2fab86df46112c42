//! `GET /search`

use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, data, envelope};
use crate::v1::params::{Choice, Int, RequiredText, limit};
use rollcall_model::resources::{Found, FoundPlayer, FoundServer, SearchData, Timestamp};
use rollcall_store::players;

const Q: RequiredText = RequiredText {
    name: "q",
    about: "Text anywhere in a server's name, short description, MOTD, address or tags, or in a player's nickname, \
            without regard to case and accents.",
    min: 2,
    max: 100,
};
const LIMIT: Int = limit(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    All,
    Servers,
    Players,
}

const TYPE: Choice<Scope> = Choice {
    name: "type",
    about: "What to search.",
    values: &[("all", Scope::All), ("servers", Scope::Servers), ("players", Scope::Players)],
    default: Some("all"),
};

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/search",
    name: "search",
    tag: "Search",
    summary: "Search servers and players",
    description: "Better matches first (the whole name, its beginning, the beginning of a word, inside it, elsewhere), \
                  then the more popular. At most `limit` servers and `limit` players.",
    path_param: None,
    params: &[&Q, &TYPE, &LIMIT],
    max_age: 30,
    per_account: false,
    data: data::<SearchData>,
    plan,
};

#[derive(Debug)]
struct SearchParams {
    query: String,
    scope: Scope,
    limit: usize,
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let params = SearchParams {
        query: Q.read(&call.query)?,
        scope: TYPE.pick(&call.query)?,
        limit: LIMIT.read(&call.query)?.unwrap_or_default() as usize,
    };
    Plan::reading(params, |app, conn, params| {
        let players = if params.scope == Scope::Servers {
            Vec::new()
        } else {
            let numbers = app.catalogue.players().search(&params.query, params.limit);
            players::found(conn, &numbers)?
        };
        let players = players.into_iter().map(|row| FoundPlayer {
            id: row.id,
            game_uuid: row.game_uuid,
            main_nickname: row.nickname,
            created_at: Timestamp(row.created_at),
            updated_at: Timestamp(row.updated_at),
        });
        let mut found = Found { servers: Vec::new(), players: players.collect() };
        if params.scope != Scope::Players {
            let pictures = &app.catalogue.pictures;
            let servers = app.catalogue.servers();
            found.servers.extend(servers.search(&params.query, params.limit).into_iter().map(|entry| {
                let figures = &entry.figures;
                FoundServer {
                    id: entry.id().to_owned(),
                    slug: entry.slug().to_owned(),
                    name: entry.name().to_owned(),
                    icon_url: pictures.url(entry.icon()),
                    banner_url: pictures.url(entry.banner()),
                    current_players: figures.current_players,
                    max_players: figures.max_players,
                    is_online: figures.is_online,
                    rating: figures.rating,
                }
            }));
        }
        envelope(&SearchData { results: found, query: params.query })
    })
}
