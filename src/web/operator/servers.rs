//! `/operator/servers`: all servers, with search; `/operator/add-server`: the form of a new one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::dashboard;
use super::searched_list::{ListControls, ListRequest, ROWS_PER_PAGE};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::tracked_servers;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::server_form::{EnteredServer, explain};
use rollcall_model::message::translatable;
use rollcall_model::trust::SourceTrust;
use rollcall_store::servers::{self, ServerListing};

#[derive(Template)]
#[template(path = "operator/servers.html")]
struct ServersPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    servers: Vec<ServerListing>,
    list: ListControls,
}

#[derive(Template)]
#[template(path = "operator/add_server.html")]
struct AddServerPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    entered: EnteredServer,
}

impl ServersPage {
    fn status(&self, server: &ServerListing) -> (&'static str, &'static str) {
        status(server)
    }

    fn trust(&self, server: &ServerListing) -> (&'static str, &'static str) {
        trust(server)
    }
}

/// The status of a server in words, and its CSS class.
pub fn status(server: &ServerListing) -> (&'static str, &'static str) {
    match (server.is_tracked, server.last_ping, server.is_online) {
        (false, ..) => (translatable("not tracked"), ""),
        (_, None, _) => (translatable("not pinged yet"), ""),
        (.., true) => (translatable("online"), "good"),
        (.., false) => (translatable("offline"), "bad"),
    }
}

/// The trust level in words, and its CSS class.
pub fn trust(server: &ServerListing) -> (&'static str, &'static str) {
    match server.trust() {
        SourceTrust::Verified => (translatable("verified"), "good"),
        SourceTrust::Sampled => (translatable("sampled"), ""),
        SourceTrust::Suspicious => (translatable("suspicious"), "warn"),
    }
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let request = ListRequest::parse(query.as_deref());
    let (search, after) = (request.search.clone(), request.before.clone().unwrap_or_default());
    let mut servers =
        app.pool.read(move |conn| servers::search(conn, &search, &after, ROWS_PER_PAGE as i64 + 1)).await?;
    let list = ListControls::new(request, &mut servers, |server| server.slug.clone());
    let dashboard = dashboard(&admin).with_success_from(query.as_deref());
    let layout = Layout::new("/dashboard");
    Ok(page::private(&ServersPage { layout, dashboard, current: "/operator/servers", servers, list }))
}

pub async fn show_form(admin: Admin) -> PageResult {
    Ok(render_form(dashboard(&admin), EnteredServer::new_server()))
}

fn render_form(dashboard: DashboardLayout, entered: EnteredServer) -> axum::http::Response<axum::body::Body> {
    let layout = Layout::new("/dashboard");
    page::private(&AddServerPage { layout, dashboard, current: "/operator/servers", entered })
}

pub async fn add(State(app): State<Arc<App>>, form: CsrfForm<Admin>) -> PageResult {
    let entered = EnteredServer::of_form(&form);
    let settings = match entered.differences(&EnteredServer::new_server()) {
        Ok(settings) => settings,
        Err(error) => {
            let response = render_form(dashboard(&form.sender).with_error(error), entered);
            return Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let (address, media, author) = (entered.address.clone(), app.media.clone(), form.sender.0.author());
    let added = app.pool.try_write(move |conn| tracked_servers::add(conn, &media, &address, &settings, &author)).await;
    match added {
        Ok(server) => {
            form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("server added {}", server.id)));
            Ok(page::redirect(&format!("/operator/servers/{}?done=server-added", server.slug)))
        }
        Err(error) => {
            let response = render_form(dashboard(&form.sender).with_error(explain(error)?), entered);
            Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
        }
    }
}
