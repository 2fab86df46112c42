//! `/moderation`: the queue in which moderators review user content. Everyone else gets a 404.

mod item;
mod picture;
mod queue;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::page::form_route;
use super::view::language;
use crate::app::App;
use crate::moderation::explain;
use rollcall_model::message::translatable;
use rollcall_store::moderation::{ItemKind, ItemState};

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/moderation", get(queue::show))
        .route("/moderation/next", form_route(queue::take_next))
        .route("/moderation/{id}", get(item::show))
        .route("/moderation/{id}/picture.png", get(picture::show))
        .route("/moderation/{id}/figure.png", get(picture::show_figure))
        .route("/moderation/{id}/take", form_route(item::take))
        .route("/moderation/{id}/give-back", form_route(item::give_back))
        .route("/moderation/{id}/decide", form_route(item::decide))
}

/// The label of a kind of content.
pub fn kind_name(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Server => translatable("Server"),
        ItemKind::Dispute => translatable("Dispute"),
        ItemKind::Review => translatable("Review"),
        ItemKind::Post => translatable("Post"),
        ItemKind::Report => translatable("Reported review"),
        ItemKind::TextureReport => translatable("Reported skin or cape"),
        ItemKind::Name => translatable("Name"),
        ItemKind::Upload => translatable("Skin or cape"),
    }
}

pub fn state_name(state: ItemState) -> &'static str {
    match state {
        ItemState::Open => translatable("Waiting for a moderator"),
        ItemState::Approved => translatable("Approved"),
        ItemState::Rejected => translatable("Rejected"),
        ItemState::Hidden => translatable("Hidden"),
    }
}

pub fn state_class(state: ItemState) -> &'static str {
    match state {
        ItemState::Open => "warn",
        ItemState::Approved => "good",
        ItemState::Rejected | ItemState::Hidden => "bad",
    }
}

/// Why an item is in the queue.
pub fn why(why: &str) -> String {
    language().message(&explain(why))
}
