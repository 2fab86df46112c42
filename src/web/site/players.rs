//! `/players`: the directory with every sort order of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::flag::flag_url;
use super::list_query::ListQuery;
use super::paging::Paging;
use super::player_link::PlayerLinks;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::players::list;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use rollcall_model::resources::PlayerSummary;

#[derive(Template)]
#[template(path = "site/players.html")]
struct PlayersPage {
    layout: Layout,
    query: Query,
    players: Vec<PlayerSummary>,
    links: PlayerLinks,
    paging: Paging,
    error: Option<String>,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &Arc<App>) -> Result<String, ApiError> {
    page::render_from_store(app, |app, conn| {
        let list_query = ListQuery::current("/players")?;
        let (params, error) = list_query.params(list::params)?;
        let found = list::load(app, conn, &params)?;
        page::render(&PlayersPage {
            layout: list_query.layout(),
            links: PlayerLinks::load(conn, found.players.iter().map(|player| player.main_nickname.as_str()))?,
            players: found.players,
            paging: list_query.paging(&found.pagination),
            query: list_query.query,
            error,
        })
    })
    .await
}

impl PlayersPage {
    fn value(&self, name: &str) -> &str {
        self.query.get(name).unwrap_or_default()
    }

    fn sorts(&self) -> [(&'static str, &'static str); 5] {
        [("recent", "Newest"), ("name", "Name"), ("playtime", "Play time"), ("sessions", "Sessions"), ("tier", "Tier")]
    }

    fn is_sort(&self, sort: &str) -> bool {
        self.query.get("sort").unwrap_or("recent") == sort
    }

    fn path(&self, player: &PlayerSummary) -> String {
        self.links.path(&player.id, &player.main_nickname)
    }

    fn flag(&self, country: &str) -> Option<&'static str> {
        flag_url(country)
    }
}
