//! `/search/suggest?q=`: the first results while a reader types, as JSON for the script of the search fields. Needs no key;
//! limited per IP.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Response;
use axum::http::header::{self, HeaderValue};
use serde::Serialize;

use super::search;
use super::server_tile::media_path;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::client_ip;
use crate::http::envelope;
use crate::http::query::Query;
use crate::limits::bucket;
use crate::v1::search::{Scope, SearchParams, params};
use crate::web::page;
use crate::web::view::View;

/// Of each kind.
const SUGGESTIONS: usize = 5;
/// Names are the same for every reader, so that browsers and CDNs may keep them.
const CACHE_CONTROL: HeaderValue = HeaderValue::from_static("public, max-age=30");

#[derive(Serialize)]
struct Suggestions {
    servers: Vec<Suggestion>,
    players: Vec<Suggestion>,
}

#[derive(Serialize)]
struct Suggestion {
    path: String,
    name: String,
    picture: String,
    /// Players online; missing for players and for servers that are offline.
    #[serde(skip_serializing_if = "Option::is_none")]
    players: Option<i64>,
}

pub async fn show(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    if let Err(seconds) = app.suggestions.take(bucket(client_ip(&request)), app.clock.now()) {
        return envelope::rate_limited("Too many suggestions from your IP address", seconds);
    }
    let raw = request.uri().query().unwrap_or_default().to_owned();
    let headers = request.headers();
    let found = app.page_cache.get(&View::current().address, render(&app, raw)).await;
    match found {
        Ok(found) => {
            let mut response = found.respond(headers, "application/json", "Accept-Encoding").map(Body::from);
            response.headers_mut().insert(header::CACHE_CONTROL, CACHE_CONTROL);
            response.headers_mut().insert(envelope::RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
            response
        }
        Err(error) => envelope::api_failure(&error),
    }
}

async fn render(app: &Arc<App>, raw: String) -> Result<String, ApiError> {
    let query = params(&Query::parse(&raw)?)?.query;
    page::render_from_store(app, move |app, conn| {
        let query = query.clone();
        let found = search::load(app, conn, SearchParams { query, scope: Scope::All, limit: SUGGESTIONS })?;
        let servers = found.servers.into_iter().map(|server| Suggestion {
            path: format!("/servers/{}", server.slug),
            picture: media_path(&server.icon_url.0).to_owned(),
            players: server.is_online.then_some(server.current_players),
            name: server.name,
        });
        let players = found.players.into_iter().map(|player| Suggestion {
            path: player.path,
            picture: format!("/render/face/{}.png?size=64", player.game_uuid),
            players: None,
            name: player.nickname,
        });
        let suggestions = Suggestions { servers: servers.collect(), players: players.collect() };
        serde_json::to_string(&suggestions).map_err(|error| ApiError::Internal(error.to_string()))
    })
    .await
}
