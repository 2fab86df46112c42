//! The pages: server-rendered, whole without scripts, under a strict policy.

mod assets;
mod chart;
mod docs;
mod home;
mod kept;
mod page;
pub mod usage;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::get;

pub use kept::Kept;
pub use page::not_found;

use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::respond))
        .route("/docs", get(docs::respond))
        .route("/assets/{name}", get(assets::respond))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { assets::serve(assets::MARK, &headers) }))
}
