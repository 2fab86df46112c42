//! Pictures, badges and widgets for other sites: without a key, cacheable by anyone for a minute, limited per client IP.

mod player;
mod request;
mod size;
mod texture;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/render/face/{file}", get(player::face))
        .route("/render/head/{file}", get(player::head))
        .route("/render/body/{file}", get(player::body))
        .route("/render/skin/{file}", get(texture::skin))
        .route("/render/cape/{file}", get(texture::cape))
}
