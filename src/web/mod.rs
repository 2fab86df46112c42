//! The pages: server-rendered, whole without scripts, under a strict policy.

mod assets;
mod chart;
mod cookies;
mod dashboard;
mod docs;
mod home;
mod kept;
mod operator;
mod page;
mod playground;
mod sent;
mod sign_in;
mod sign_up;
mod usage;
mod visitor;

use std::sync::Arc;

use axum::Router;
use axum::http::HeaderMap;
use axum::routing::{any, get};

pub use kept::Kept;
pub use operator::invitation_link;
pub use page::{not_found, sorry, wants_page};

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
        .route("/sign-in", get(sign_in::look).post(sign_in::send))
        .route("/sign-in/code", get(sign_in::look_code).post(sign_in::send_code))
        .route("/sign-up", get(sign_up::look).post(sign_up::send))
        .route("/sign-out", page::form(sign_in::sign_out))
        .merge(dashboard::routes())
        .merge(operator::routes())
        .route("/assets/{name}", get(assets::respond))
        .route("/favicon.ico", get(|headers: HeaderMap| async move { assets::serve(assets::MARK, &headers) }))
}
