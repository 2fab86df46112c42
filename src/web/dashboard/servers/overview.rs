//! `/dashboard/servers/{slug}`: the token of a server, and its last report, which follows live.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;

use super::managed;
use crate::app::App;
use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::PathId;
use rollcall_model::server_token::ServerToken;
use rollcall_store::outages::{self, Outage};
use rollcall_store::reports::{self, LastReport};
use rollcall_store::server_access::ManagedServer;
use rollcall_store::server_tokens::{self, TokenInfo};
use rollcall_store::{Conn, servers};

const OUTAGES: i64 = 5;

#[derive(Template)]
#[template(path = "dashboard/server_overview.html")]
struct OverviewPage {
    layout: Layout,
    dashboard: DashboardLayout,
    server: ManagedServer,
    tokens: Vec<TokenInfo>,
    /// A token that was just created; it is shown once.
    new_token: Option<String>,
    base_url: String,
    report: LivePart,
    outages: Vec<Outage>,
}

impl OverviewPage {
    fn tab(&self) -> &'static str {
        "overview"
    }
}

/// The part of the page that follows live.
#[derive(Template)]
#[template(path = "live/server_report.html")]
struct ReportPart {
    report: Option<LastReport>,
    /// The ticks per second that the public page shows.
    tps: Option<f64>,
    now: i64,
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/servers").with_success_from(query.as_deref());
    render(&app, &user, dashboard, server, None).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    server: ManagedServer,
    new_token: Option<String>,
) -> PageResult {
    let (n, now) = (server.n, user.session.now);
    let (tokens, outages) = app
        .pool
        .read(move |conn| Ok((server_tokens::of_server(conn, n, now)?, outages::of_server(conn, n, OUTAGES)?)))
        .await?;
    Ok(page::private(&OverviewPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        report: report_part(app, n, now).await?,
        server,
        tokens,
        new_token,
        base_url: app.public_url.clone(),
        outages,
    }))
}

async fn report_part(app: &App, server_n: i64, now: i64) -> Result<LivePart, PageRejection> {
    let read = move |conn: &mut Conn| {
        let tps = servers::by_number(conn, server_n)?.and_then(|server| server.tps);
        Ok((reports::of_server(conn, server_n)?, tps))
    };
    let (report, tps) = app.pool.read(read).await?;
    Ok(LivePart::new("server-report", &ReportPart { report, tps, now })?)
}

/// `/dashboard/servers/{slug}/live`: the last report, if it changed.
pub async fn refresh(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(slug): PathId,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let server = managed(&app, &user, &slug).await?;
    let parts = [report_part(&app, server.n, user.session.now).await?];
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    Ok(live_part::respond(&parts, &query, &headers))
}

pub async fn create_token(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (token, author, n) = (ServerToken::generate(), user.author(), server.n);
    let issued = token.clone();
    app.pool.write(move |conn| server_tokens::issue(conn, n, &issued, &author)).await?;
    let dashboard = DashboardLayout::new(user, "/dashboard/servers");
    render(&app, user, dashboard, server, Some(token.reveal().to_owned())).await
}

pub async fn revoke_tokens(
    State(app): State<Arc<App>>,
    PathId(slug): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let user = &form.sender;
    let server = managed(&app, user, &slug).await?;
    let (author, n) = (user.author(), server.n);
    app.pool.write(move |conn| server_tokens::revoke_all(conn, n, &author)).await?;
    Ok(page::redirect(&format!("/dashboard/servers/{}?done=tokens-revoked", server.slug)))
}
