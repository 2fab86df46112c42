//! `/operator`: pages for the people who run the service. Everyone else gets a 404.

mod accounts;
mod keys;
mod limit_requests;
mod log;
mod searched_list;

use std::sync::Arc;

use axum::Router;
use axum::routing::get;

use super::dashboard::DashboardLayout;
use super::page::form_route;
use super::session::Admin;
use crate::app::App;

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator", get(limit_requests::show))
        .route("/operator/wishes/{id}", form_route(limit_requests::decide))
        .route("/operator/invitations", form_route(limit_requests::invite))
        .route("/operator/accounts", get(accounts::show))
        .route("/operator/accounts/{id}/disable", form_route(accounts::disable))
        .route("/operator/accounts/{id}/enable", form_route(accounts::enable))
        .route("/operator/keys", get(keys::show))
        .route("/operator/keys/{id}/disable", form_route(keys::disable))
        .route("/operator/keys/{id}/enable", form_route(keys::enable))
        .route("/operator/log", get(log::show))
}

fn dashboard(admin: &Admin) -> DashboardLayout {
    DashboardLayout::new(&admin.0, "/operator")
}
