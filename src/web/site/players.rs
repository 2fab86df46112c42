//! `/players`: the directory with every sort order of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::flag::flag_url;
use super::paging::Paging;
use super::player_link::PlayerLinks;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::players::list;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view::View;
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
    let raw = View::current().query().to_owned();
    page::render_from_store(app, move |app, conn| {
        let query = Query::parse(&raw)?;
        // A wrong value in the form is told on the page, with everything else as it was.
        let (params, error) = match list::params(&query) {
            Ok(params) => (params, None),
            Err(ApiError::BadRequest(message)) => (list::params(&Query::default())?, Some(message)),
            Err(error) => return Err(error),
        };
        let found = list::load(app, conn, &params)?;
        let canonical = format!("/players{}", query.with("page", query.get("page")));
        page::render(&PlayersPage {
            layout: Layout::public("/players", canonical.clone()).with_json(format!("/v1{canonical}")),
            links: PlayerLinks::load(conn, found.players.iter().map(|player| player.main_nickname.as_str()))?,
            players: found.players,
            paging: Paging::new("/players", Query::parse(&raw)?, &found.pagination),
            query,
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
