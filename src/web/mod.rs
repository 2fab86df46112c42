//! The pages: server-rendered, whole without scripts, under a strict policy.

mod assets;
mod chart;
mod docs;
mod home;
mod kept;
mod page;
mod playground;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{any, get};

pub use kept::Kept;
pub use page::not_found;

use crate::app::App;
use crate::human;
use crate::playground::{respond_pass, respond_run};

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::respond))
        .route("/docs", get(docs::respond))
        .route("/playground", get(playground::respond))
        .route("/playground/pass", any(respond_pass))
        .route("/playground/v1", any(respond_run))
        .route("/playground/v1/", any(respond_run))
        .route("/playground/v1/{*path}", any(respond_run))
        .route("/human/challenge", get(human::respond))
        .route("/assets/{name}", get(assets::respond))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { assets::serve(assets::MARK, &headers) }))
}
