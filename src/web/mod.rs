//! The pages: server-rendered, usable without scripts, under a strict content security policy.

mod assets;
mod captcha;
mod chart;
mod code_sample;
mod contribution_status;
mod csrf_form;
mod current_user;
mod dashboard;
mod docs;
mod error_page;
mod examples;
mod filters;
mod form_rejection;
mod form_route;
mod html_response;
mod images;
mod language;
mod layout;
mod live_part;
mod moderation;
mod moderation_item;
mod operator;
mod page;
mod passkey;
mod path_segment;
mod playground;
mod server_form;
mod session;
mod session_cookies;
mod sign_in;
mod sign_up;
mod site;
mod theme;
mod translation;
mod upload_form;
mod usage;
mod view;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{any, get};

pub use error_page::{accepts_html, error_page, fallback};
pub use translation::collect_untranslated_texts;
pub use view::View;

use form_route::form_route;

use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/docs", get(docs::show))
        .route("/docs/guides/{name}", get(docs::show_guide))
        .route("/playground", get(playground::page::show))
        .route("/playground/pass", any(playground::pass::issue))
        .route("/playground/v1", any(playground::run::run))
        .route("/playground/v1/", any(playground::run::run))
        .route("/playground/v1/{*path}", any(playground::run::run))
        .route("/human/challenge", get(captcha::challenge))
        .route("/sign-in", get(sign_in::show).post(sign_in::submit))
        .route("/sign-in/code", get(sign_in::code::show).post(sign_in::code::submit))
        .route("/sign-in/passkey", form_route("/sign-in", sign_in::passkey::submit))
        .route("/passkeys/challenge", form_route("/dashboard", passkey::challenge))
        .route("/sign-up", get(sign_up::show).post(sign_up::submit))
        .route("/sign-out", form_route("/dashboard", sign_in::sign_out))
        .route("/theme", get(theme::choose))
        .merge(site::routes())
        .merge(images::routes())
        .merge(dashboard::routes())
        .merge(moderation::routes())
        .merge(operator::routes())
        .route("/assets/{name}", get(assets::show))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { assets::serve(assets::LOGO, &headers) }))
}
