//! `GET /servers/top`

use crate::catalogue::{ServerFilter, ServerSort};
use crate::model::resources::{TopServer, TopServers};
use crate::v1::endpoint::{Call, Endpoint, Plan, data, envelope};
use crate::v1::error::ApiError;
use crate::v1::params::{Choice, Int, Text, limit};

const SORT: Choice<(&str, ServerSort)> = Choice {
    name: "sort",
    about: "What to be top in.",
    values: &[
        ("votes", ("votes", ServerSort::Votes)),
        ("hot", ("hot", ServerSort::Hot)),
        ("players", ("players", ServerSort::Players)),
        ("rating", ("rating", ServerSort::Rating)),
        ("trending", ("trending", ServerSort::Trending)),
    ],
    default: Some("votes"),
};
const LIMIT: Int = limit(10);
const COUNTRY: Text = Text { name: "country", about: "Country name." };
const GAME_MODE: Text = Text { name: "gameMode", about: "Game mode." };

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/top",
    name: "topServers",
    tag: "Servers",
    summary: "Top servers",
    description: "The first servers by votes, hot score, players, rating or trend.",
    path_param: None,
    params: &[&SORT, &LIMIT, &COUNTRY, &GAME_MODE],
    max_age: 30,
    data: data::<TopServers>,
    plan,
};

#[derive(Debug)]
struct TopServersParams {
    sort: (&'static str, ServerSort),
    limit: i64,
    filter: ServerFilter,
}

fn plan(call: &Call) -> Result<Plan, ApiError> {
    let query = &call.query;
    let params = TopServersParams {
        sort: SORT.pick(query)?,
        limit: LIMIT.read(query)?.unwrap_or_default(),
        filter: ServerFilter { country: COUNTRY.read(query), mode: GAME_MODE.read(query), ..ServerFilter::default() },
    };
    Plan::new(params, |app, params| async move {
        let pictures = &app.catalogue.pictures;
        let servers = app.catalogue.servers();
        let (entries, total) = servers.page(&params.filter, params.sort.1, 0, params.limit as usize);
        let top = entries.into_iter().map(|entry| {
            let row = &entry.row;
            TopServer {
                id: row.id.clone(),
                slug: row.slug.clone(),
                name: row.name.clone(),
                ip: row.ip.clone(),
                icon_url: pictures.url(&row.icon),
                banner_url: pictures.url(&row.banner),
                motd_image_url: pictures.url(&row.motd_image),
                current_players: row.current_players,
                max_players: row.max_players,
                is_online: row.is_online,
                country: row.country.clone(),
                total_votes: row.total_votes,
                uptime: row.uptime,
                trend: row.trend,
                recent_votes: servers.recent_votes(row.n),
                hot_score: servers.hot_score(row.n),
            }
        });
        envelope(&TopServers { servers: top.collect(), total, sort: params.sort.0 })
    })
}
