//! `/operator/servers/{slug}`: one server: its state, its settings and its removal.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::searched_list::{ListRequest, back_to_list};
use super::servers::{status, trust};
use super::{dashboard, require_confirmation};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::tracked_servers;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::server_form::{EnteredServer, explain};
use crate::web::session::{PathId, or_not_found};
use rollcall_store::outages::{self, Outage};
use rollcall_store::servers::{self, ServerListing, ServerRow};
use rollcall_store::{Conn, Result, tracking};

const SHOWN_OUTAGES: i64 = 10;

#[derive(Template)]
#[template(path = "operator/server.html")]
struct ServerPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    /// The list that led here.
    list: ListRequest,
    server: ServerState,
    entered: EnteredServer,
}

/// Data of the store about a server.
struct ServerState {
    listing: ServerListing,
    row: ServerRow,
    /// Implausible values of its last status.
    note: String,
    outages: Vec<Outage>,
}

impl ServerState {
    fn load(conn: &mut Conn, slug: &str) -> Result<Option<Self>> {
        let Some(listing) = servers::list(conn, Some(slug))?.pop() else { return Ok(None) };
        let Some(row) = servers::by_number(conn, listing.n)? else { return Ok(None) };
        let note = tracking::note(conn, listing.n)?;
        let outages = outages::of_server(conn, listing.n, SHOWN_OUTAGES)?;
        Ok(Some(Self { listing, row, note, outages }))
    }

    fn stored(&self) -> EnteredServer {
        EnteredServer::stored(&self.listing, &self.row)
    }
}

impl ServerPage {
    fn status(&self) -> (&'static str, &'static str) {
        status(&self.server.listing)
    }

    fn trust(&self) -> (&'static str, &'static str) {
        trust(&self.server.listing)
    }
}

async fn find(app: &App, slug: &str) -> std::result::Result<ServerState, PageRejection> {
    let slug = slug.to_owned();
    or_not_found(app.pool.read(move |conn| ServerState::load(conn, &slug)).await?)
}

pub async fn show(
    State(app): State<Arc<App>>,
    admin: Admin,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = find(&app, &slug).await?;
    let dashboard = dashboard(&admin).with_success_from(query.as_deref());
    let entered = server.stored();
    render(dashboard, ListRequest::parse(query.as_deref()), server, entered)
}

fn render(dashboard: DashboardLayout, list: ListRequest, server: ServerState, entered: EnteredServer) -> PageResult {
    let layout = Layout::new("/dashboard");
    Ok(page::private(&ServerPage { layout, dashboard, current: "/operator/servers", list, server, entered }))
}

pub async fn save(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<Admin>) -> PageResult {
    let server = find(&app, &slug).await?;
    let (entered, list) = (EnteredServer::of_form(&form), ListRequest::of_form(&form));
    let error = match entered.differences(&server.stored()) {
        Err(error) => error,
        Ok(settings) => {
            let (media, author, changed) = (app.media.clone(), form.sender.0.author(), slug.clone());
            let work = move |conn: &mut Conn| tracked_servers::change(conn, &media, &changed, &settings, &author);
            match app.pool.try_write(work).await {
                Ok(slug) => {
                    let id = &server.listing.id;
                    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("server changed {id}")));
                    return Ok(back_to_list(&format!("/operator/servers/{slug}"), "server-changed", &form));
                }
                Err(error) => explain(error)?,
            }
        }
    };
    let response = render(dashboard(&form.sender).with_error(error), list, server, entered)?;
    Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
}

pub async fn remove(State(app): State<Arc<App>>, PathId(slug): PathId, form: CsrfForm<Admin>) -> PageResult {
    require_confirmation(&form)?;
    let id = find(&app, &slug).await?.listing.id;
    let author = form.sender.0.author();
    or_not_found(app.pool.write(move |conn| tracked_servers::remove(conn, &slug, &author)).await?)?;
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("server removed {id}")));
    Ok(back_to_list("/operator/servers", "server-removed", &form))
}
