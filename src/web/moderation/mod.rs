//! `/moderation`: the queue in which moderators review user content. Everyone else gets a 404.

mod item;
mod picture;
mod queue;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::form_route::form_route;
use super::view::language;
use crate::app::App;
use crate::moderation::explain;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/moderation", get(queue::show))
        .route("/moderation/next", form_route("/moderation", queue::take_next))
        .route("/moderation/{id}", get(item::show))
        .route("/moderation/{id}/picture.png", get(picture::show))
        .route("/moderation/{id}/figure.png", get(picture::show_figure))
        .route("/moderation/{id}/take", form_route("/moderation/{id}", item::take))
        .route("/moderation/{id}/give-back", form_route("/moderation/{id}", item::give_back))
        .route("/moderation/{id}/decide", form_route("/moderation/{id}", item::decide))
}

/// Why an item is in the queue.
pub fn why(why: &str) -> String {
    language().message(&explain(why))
}
