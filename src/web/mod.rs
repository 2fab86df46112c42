//! The pages: server-rendered, whole without scripts, under a strict policy.

mod assets;
mod captcha;
mod chart;
mod cookies;
mod csrf_form;
mod dashboard;
mod docs;
mod home;
mod operator;
mod page;
mod playground;
mod session;
mod sign_in;
mod sign_up;
mod usage;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{any, get};

pub use operator::invitation_link;
pub use page::{not_found, sorry, wants_page};

use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/", get(home::respond))
        .route("/docs", get(docs::respond))
        .route("/playground", get(playground::page::respond))
        .route("/playground/pass", any(playground::pass::respond))
        .route("/playground/v1", any(playground::run::respond))
        .route("/playground/v1/", any(playground::run::respond))
        .route("/playground/v1/{*path}", any(playground::run::respond))
        .route("/human/challenge", get(captcha::respond))
        .route("/sign-in", get(sign_in::look).post(sign_in::send))
        .route("/sign-in/code", get(sign_in::look_code).post(sign_in::send_code))
        .route("/sign-up", get(sign_up::look).post(sign_up::send))
        .route("/sign-out", page::form(sign_in::sign_out))
        .merge(dashboard::routes())
        .merge(operator::routes())
        .route("/assets/{name}", get(assets::respond))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { assets::serve(assets::MARK, &headers) }))
}
