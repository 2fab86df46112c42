//! `/dashboard/servers`: the servers that an account submits, claims and manages.

mod add;
mod claim;
mod list;
mod overview;
mod post_form;
mod posts;
mod reviews;
mod settings;
mod votes;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use crate::app::App;
use crate::error::ApiError;
use crate::web::current_user::CurrentUser;
use crate::web::form_route::form_route;
use crate::web::page::PageRejection;
use crate::web::session::or_not_found;
use rollcall_store::server_access::{self, ManagedServer};

/// Pages with forms.
const OVERVIEW: &str = "/dashboard/servers/{slug}";
const POSTS: &str = "/dashboard/servers/{slug}/posts";
const REVIEWS: &str = "/dashboard/servers/{slug}/reviews";
const VOTES: &str = "/dashboard/servers/{slug}/votes";
const CLAIM: &str = "/dashboard/servers/{slug}/claim";
const SETTINGS: &str = "/dashboard/servers/{slug}/settings";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/dashboard/servers", get(list::show))
        .route("/dashboard/votes", get(list::show_votes))
        .route("/dashboard/add-server", get(add::show).post(add::submit))
        .route(OVERVIEW, get(overview::show))
        .route("/dashboard/servers/{slug}/live", get(overview::refresh))
        .route("/dashboard/servers/{slug}/token", form_route(OVERVIEW, overview::create_token))
        .route("/dashboard/servers/{slug}/token/revoke", form_route(OVERVIEW, overview::revoke_tokens))
        .route("/dashboard/servers/{slug}/posts", get(posts::show).post(posts::save))
        .route("/dashboard/servers/{slug}/posts/{id}", get(posts::show_one))
        .route("/dashboard/servers/{slug}/posts/{id}/delete", form_route(POSTS, posts::delete))
        .route(REVIEWS, get(reviews::show))
        .route("/dashboard/servers/{slug}/reviews/{id}/reply", form_route(REVIEWS, reviews::reply))
        .route("/dashboard/servers/{slug}/reviews/{id}/report", form_route(REVIEWS, reviews::report))
        .route(VOTES, get(votes::show))
        .route("/dashboard/servers/{slug}/votes.csv", get(votes::download))
        .route("/dashboard/servers/{slug}/votes/receiver", form_route(VOTES, votes::set_receiver))
        .route("/dashboard/servers/{slug}/votes/receiver/remove", form_route(VOTES, votes::remove_receiver))
        .route("/dashboard/servers/{slug}/votes/test", form_route(VOTES, votes::send_test))
        .route("/dashboard/servers/{slug}/votes/{id}/resend", form_route(VOTES, votes::resend))
        .route("/dashboard/servers/{slug}/claim", get(claim::show).post(claim::start))
        .route("/dashboard/servers/{slug}/claim/check", form_route(CLAIM, claim::check))
        .route("/dashboard/servers/{slug}/claim/token", form_route(CLAIM, claim::create_token))
        .route("/dashboard/servers/{slug}/claim/live", get(claim::refresh))
        .route("/dashboard/servers/{slug}/settings", get(settings::show).post(settings::save))
        .route("/dashboard/servers/{slug}/settings/address", form_route(SETTINGS, claim::move_server))
        .route("/dashboard/servers/{slug}/settings/address/cancel", form_route(SETTINGS, claim::cancel_move))
        .route("/dashboard/servers/{slug}/settings/editors", form_route(SETTINGS, settings::add_editor))
        .route("/dashboard/servers/{slug}/settings/editors/remove", form_route(SETTINGS, settings::remove_editor))
        .route("/dashboard/servers/{slug}/settings/banner", form_route(SETTINGS, settings::upload_banner))
        .route("/dashboard/servers/{slug}/settings/banner/remove", form_route(SETTINGS, settings::remove_banner))
        .route("/dashboard/servers/{slug}/settings/archive", form_route(SETTINGS, settings::archive))
        .route("/dashboard/servers/{slug}/settings/restore", form_route(SETTINGS, settings::restore))
        .route("/dashboard/servers/{slug}/settings/delete", form_route(SETTINGS, settings::delete))
}

/// The server of a request, if the user has any role. 404 for everyone else, so that the pages do not reveal themselves.
async fn accessible(app: &App, user: &CurrentUser, slug: &str) -> Result<ManagedServer, PageRejection> {
    let (slug, account_n, is_operator) = (slug.to_owned(), user.account.n, user.account.operator);
    let found = app.pool.read(move |conn| server_access::find(conn, &slug, account_n, is_operator)).await;
    or_not_found(found.map_err(ApiError::from)?)
}

/// [`accessible`] for those who proved that they run the server, and their editors.
async fn managed(app: &App, user: &CurrentUser, slug: &str) -> Result<ManagedServer, PageRejection> {
    let server = accessible(app, user, slug).await?;
    or_not_found(server.role.can_manage().then_some(server))
}

/// [`accessible`] for the owner.
async fn owned(app: &App, user: &CurrentUser, slug: &str) -> Result<ManagedServer, PageRejection> {
    let server = accessible(app, user, slug).await?;
    or_not_found(server.role.can_give_away().then_some(server))
}
