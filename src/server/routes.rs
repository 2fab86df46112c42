//! The routes besides `/v1` and reports: those of the pages, of votes that game servers claim, of pictures and of health checks.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::Response;
use axum::http::header::{self, HeaderMap};
use axum::response::IntoResponse;
use axum::routing::get;
use tower::util::MapRequestLayer;

use super::{health, media, vote_claims};
use crate::app::App;
use crate::config::Roles;
use crate::http::route_label::RouteNote;
use crate::web;

/// The routes that a node with these roles has.
pub fn others(app: &Arc<App>, roles: Roles) -> axum::Router {
    let asked = app.clone();
    let mut routes = axum::Router::new()
        .route("/openapi.json", get(openapi))
        .route("/media/{kind}/{name}", get(picture))
        .merge(health::routes(move || {
            let app = asked.clone();
            async move { app.readiness().await }
        }));
    if roles.api {
        routes = routes.merge(vote_claim_routes());
    }
    if roles.web {
        routes = routes.merge(web::routes());
    }
    routes.route_layer(MapRequestLayer::new(RouteNote::write)).fallback(web::fallback).with_state(app.clone())
}

/// Game servers ask for votes. Their reports go around this router, see [`reports::route`](super::reports::route).
fn vote_claim_routes() -> axum::Router<Arc<App>> {
    axum::Router::new()
        .route("/api", get(vote_claims::respond).post(vote_claims::respond))
        .route("/api/", get(vote_claims::respond).post(vote_claims::respond))
}

async fn openapi(State(app): State<Arc<App>>, headers: HeaderMap) -> impl IntoResponse {
    let response = app.openapi.respond(&headers, "application/json", "Accept-Encoding");
    let headers = [(header::CACHE_CONTROL, "public, max-age=300"), (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, response.map(Body::from))
}

async fn picture(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Response<Body> {
    // A path that is not UTF-8 names no picture.
    let path = path.map_or_else(|_| String::new(), |Path((kind, name))| format!("{kind}/{name}"));
    media::respond(&app, &path, &headers).await
}
