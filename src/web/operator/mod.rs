//! `/operator`: pages for operators. Everyone else gets a 404.

mod account;
mod accounts;
mod invitations;
mod key;
mod keys;
mod limit_requests;
mod log;
mod overview;
mod searched_list;
mod server;
mod servers;
mod service_state;

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;

use super::csrf_form::CsrfForm;
use super::current_user::Admin;
use super::dashboard::DashboardLayout;
use super::error_page;
use super::form_route::form_route;
use super::page::PageRejection;
use crate::app::App;
use rollcall_model::message::translatable;

/// Pages with forms.
const ACCOUNT: &str = "/operator/accounts/{id}";
const KEY: &str = "/operator/keys/{id}";

pub fn routes() -> Router<Arc<App>> {
    Router::new()
        .route("/operator", get(overview::show))
        .route("/operator/live", get(overview::refresh))
        .route("/operator/limit-requests", get(limit_requests::show))
        .route("/operator/limit-requests/{id}", form_route("/operator/limit-requests", limit_requests::decide))
        .route("/operator/invitations", get(invitations::show).post(invitations::create))
        .route("/operator/invitations/{id}/revoke", form_route("/operator/invitations", invitations::revoke))
        .route("/operator/accounts", get(accounts::show))
        .route(ACCOUNT, get(account::show))
        .route("/operator/accounts/{id}/sign-out", form_route(ACCOUNT, account::sign_out))
        .route("/operator/accounts/{id}/password", form_route(ACCOUNT, account::reset_password))
        .route("/operator/accounts/{id}/delete", form_route(ACCOUNT, account::delete))
        .route("/operator/accounts/{id}/role", form_route(ACCOUNT, account::set_role))
        .route("/operator/accounts/{id}/trust", form_route(ACCOUNT, account::set_trusted))
        .route("/operator/accounts/{id}/disable", form_route(ACCOUNT, accounts::disable))
        .route("/operator/accounts/{id}/enable", form_route(ACCOUNT, accounts::enable))
        .route("/operator/keys", get(keys::show))
        .route(KEY, get(key::show))
        .route("/operator/keys/{id}/live", get(key::refresh))
        .route("/operator/keys/{id}/usage.csv", get(key::download))
        .route("/operator/keys/{id}/limits", form_route(KEY, key::set_limits))
        .route("/operator/keys/{id}/disable", form_route(KEY, keys::disable))
        .route("/operator/keys/{id}/enable", form_route(KEY, keys::enable))
        .route("/operator/servers", get(servers::show).post(servers::add))
        .route("/operator/add-server", get(servers::show_form))
        .route("/operator/servers/{slug}", get(server::show).post(server::save))
        .route("/operator/servers/{slug}/remove", form_route("/operator/servers/{slug}", server::remove))
        .route("/operator/log", get(log::show))
}

/// An act that takes something away must be confirmed in its form (`web/templates/operator/confirm.html`).
fn require_confirmation<U>(form: &CsrfForm<U>) -> Result<(), PageRejection> {
    if form.text("sure") == "yes" {
        return Ok(());
    }
    let text = translatable("Nothing was changed. Go back and check the box to confirm.");
    Err(error_page::with_message(StatusCode::UNPROCESSABLE_ENTITY, translatable("Not confirmed"), text).into())
}

fn dashboard(admin: &Admin) -> DashboardLayout {
    DashboardLayout::new(&admin.0, "/operator")
}
