//! `GET /servers/top`

use crate::catalogue::{ServerFilter, ServerSort};
use crate::error::ApiError;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data, envelope};
use crate::v1::item_fields::ItemFields;
use crate::v1::params::{Choice, Int, Text, limit};
use rollcall_model::resources::{TopServer, TopServers};
use utoipa::PartialSchema;

const SORT: Choice<(&str, ServerSort)> = Choice {
    name: "sort",
    about: "Ranking criterion, highest value first; `hot` favours recent votes and players.",
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
const COUNTRY: Text = Text {
    name: "country",
    about: "Country name in English, whole, case-insensitive: a value of `/servers/countries`.",
};
const GAME_MODE: Text = Text { name: "gameMode", about: "Game mode such as `Survival`, whole, case-insensitive." };

const FIELDS: ItemFields = ItemFields(&[("/servers", <TopServer as PartialSchema>::schema)]);

pub const ENDPOINT: Endpoint = Endpoint {
    path: "/servers/top",
    name: "topServers",
    tag: "Servers",
    summary: "Top servers",
    description: "The top servers by votes, hot score, players, rating or trend.",
    path_param: None,
    params: &[&SORT, &LIMIT, &COUNTRY, &GAME_MODE, &FIELDS],
    max_age: 30,
    per_account: false,
    units: Units::One,
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
        sort: SORT.read_or_default(query)?,
        limit: LIMIT.read(query)?.unwrap_or_default(),
        filter: ServerFilter { country: COUNTRY.read(query), mode: GAME_MODE.read(query), ..ServerFilter::default() },
    };
    Plan::new(params, |app, params| async move {
        let pictures = &app.catalogue.pictures;
        let servers = app.catalogue.servers();
        let (entries, total) = servers.page(&params.filter, params.sort.1, 0, params.limit as usize);
        let top = entries.into_iter().map(|entry| {
            let stats = &entry.stats;
            TopServer {
                id: entry.id().to_owned(),
                slug: entry.slug().to_owned(),
                name: entry.name().to_owned(),
                ip: entry.ip().to_owned(),
                icon_url: pictures.url(entry.icon()),
                banner_url: pictures.url(entry.banner()),
                motd_image_url: pictures.url(entry.motd_image()),
                current_players: stats.current_players,
                max_players: stats.max_players,
                is_online: stats.is_online,
                country: servers.country(entry).to_owned(),
                total_votes: stats.total_votes,
                uptime: stats.uptime,
                trend: stats.trend,
                recent_votes: servers.recent_votes(entry.n),
                hot_score: servers.hot_score(entry.n),
            }
        });
        envelope(&TopServers { servers: top.collect(), total, sort: params.sort.0 })
    })
}
