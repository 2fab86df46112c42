//! `/operator/log`: the audit log of all accounts.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::dashboard;
use crate::app::App;
use crate::web::dashboard::{AuditLog, DashboardLayout};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::Admin;

#[derive(Template)]
#[template(path = "operator/log.html")]
struct FullLogPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    log: AuditLog,
    all_accounts: bool,
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let log = AuditLog::load(&app, None, query.as_deref()).await?;
    let layout = Layout::new("/dashboard");
    let page = FullLogPage { layout, dashboard: dashboard(&admin), current: "/operator/log", log, all_accounts: true };
    Ok(page::private(&page))
}
