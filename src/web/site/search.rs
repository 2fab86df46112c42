//! `/search`: servers and players that match a text, in the order of the API.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use axum::http::header::HeaderMap;

use super::player_link::PlayerLinks;
use super::server_tile::media_path;
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::v1::search::{self, Scope};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page;
use crate::web::view::View;
use rollcall_model::resources::{FoundServer, SearchData};
use rollcall_store::Conn;

/// Results of each kind; the API returns 10 by default.
const LIMIT: &str = "20";
const MIN_CHARACTERS: usize = 2;

#[derive(Template)]
#[template(path = "site/search.html")]
struct SearchPage {
    layout: Layout,
    query: Query,
    scope: Scope,
    /// `None` before the first search and after a wrong one.
    found: Option<Found>,
    problem: Option<Problem>,
}

/// Error in the URL.
enum Problem {
    TooShort,
    /// In the words of the API.
    Parameter(String),
}

pub struct Found {
    pub servers: Vec<FoundServer>,
    pub players: Vec<FoundLink>,
}

/// A player with the address of their page.
pub struct FoundLink {
    pub path: String,
    pub game_uuid: String,
    pub nickname: String,
}

pub async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Response<Body> {
    page::cached(&app, &headers, render(&app)).await
}

async fn render(app: &Arc<App>) -> Result<String, ApiError> {
    let raw = View::current().query().to_owned();
    page::render_from_store(app, move |app, conn| {
        let query = Query::parse(&raw)?;
        let with_limit = if query.get("limit").is_some() { raw.clone() } else { format!("{raw}&limit={LIMIT}") };
        let (scope, found, problem) = match search::params(&Query::parse(&with_limit)?) {
            Ok(params) => (params.scope, Some(load(app, conn, params)?), None),
            Err(ApiError::BadRequest(message)) => (Scope::All, None, problem(&query, message)),
            Err(error) => return Err(error),
        };
        // Results have addresses without end; search engines get the page with the empty form.
        let layout = match found {
            Some(_) => Layout::new("").with_json(format!("/v1/search{}", query.with("limit", Some(LIMIT)))),
            None => Layout::public("", "/search"),
        };
        page::render(&SearchPage { layout, query, scope, found, problem })
    })
    .await
}

fn problem(query: &Query, message: String) -> Option<Problem> {
    let text = query.given("q").map(str::trim);
    match text {
        None => None,
        Some(text) if text.chars().count() < MIN_CHARACTERS => Some(Problem::TooShort),
        Some(_) => Some(Problem::Parameter(message)),
    }
}

/// The results of the API, with the addresses of the players' pages.
pub fn load(app: &App, conn: &mut Conn, params: search::SearchParams) -> Result<Found, ApiError> {
    let SearchData { results, .. } = search::load(app, conn, params)?;
    let links = PlayerLinks::load(conn, results.players.iter().map(|player| player.main_nickname.as_str()))?;
    let players = results.players.into_iter().map(|player| FoundLink {
        path: links.path(&player.id, &player.main_nickname),
        game_uuid: player.game_uuid,
        nickname: player.main_nickname,
    });
    Ok(Found { players: players.collect(), servers: results.servers })
}

impl SearchPage {
    fn text(&self) -> &str {
        self.query.get("q").unwrap_or_default()
    }

    fn scopes(&self) -> [(Scope, &'static str, &'static str); 3] {
        [
            (Scope::All, "all", "Everything"),
            (Scope::Servers, "servers", "Servers"),
            (Scope::Players, "players", "Players"),
        ]
    }

    fn scope_url(&self, scope: &str) -> String {
        format!("/search{}", self.query.with("type", (scope != "all").then_some(scope)))
    }

    fn icon<'a>(&self, server: &'a FoundServer) -> &'a str {
        media_path(&server.icon_url.0)
    }
}
