//! `/dashboard/servers`: the servers that an account manages.

mod list;
mod overview;
mod votes;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;
use crate::error::ApiError;
use crate::web::error_page;
use crate::web::page::{PageRejection, form_route};
use crate::web::session::CurrentUser;
use rollcall_store::server_access::{self, ManagedServer};

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard/servers", get(list::show))
        .route("/dashboard/votes", get(list::show_votes))
        .route("/dashboard/servers/{slug}", get(overview::show))
        .route("/dashboard/servers/{slug}/live", get(overview::refresh))
        .route("/dashboard/servers/{slug}/token", form_route(overview::create_token))
        .route("/dashboard/servers/{slug}/token/revoke", form_route(overview::revoke_tokens))
        .route("/dashboard/servers/{slug}/votes", get(votes::show))
        .route("/dashboard/servers/{slug}/votes.csv", get(votes::download))
        .route("/dashboard/servers/{slug}/votes/receiver", form_route(votes::set_receiver))
        .route("/dashboard/servers/{slug}/votes/receiver/remove", form_route(votes::remove_receiver))
        .route("/dashboard/servers/{slug}/votes/test", form_route(votes::send_test))
        .route("/dashboard/servers/{slug}/votes/{id}/resend", form_route(votes::resend))
}

/// The server of a request. 404 for everyone who may not manage it, so that the pages do not reveal themselves.
async fn managed(app: &App, user: &CurrentUser, slug: &str) -> Result<ManagedServer, PageRejection> {
    let (slug, account_n, is_operator) = (slug.to_owned(), user.account.n, user.account.operator);
    let found = app.pool.read(move |conn| server_access::find(conn, &slug, account_n, is_operator)).await;
    found.map_err(ApiError::from)?.ok_or_else(|| error_page::not_found().into())
}
