//! `/operator/log`: the audit log of all accounts, or of one.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::dashboard;
use super::searched_list::ListRequest;
use crate::app::App;
use crate::web::current_user::Admin;
use crate::web::dashboard::{AuditLog, DashboardLayout};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use rollcall_store::accounts;

/// The number of no account.
const NOBODY: i64 = 0;

#[derive(Template)]
#[template(path = "operator/log.html")]
struct FullLogPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    log: AuditLog,
    all_accounts: bool,
    /// The username whose entries are shown.
    search: String,
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let ListRequest { search, .. } = ListRequest::parse(query.as_deref());
    let name = search.clone();
    let account = match name.is_empty() {
        true => None,
        false => Some(app.pool.read(move |conn| accounts::find_name(conn, &name)).await?.map_or(NOBODY, |(n, _)| n)),
    };
    let before = AuditLog::parse_before(query.as_deref());
    let link = ListRequest { search: search.clone(), before: None }.link("");
    let link = if link.is_empty() { "?before=".to_owned() } else { format!("{link}&before=") };
    Ok(page::private(&FullLogPage {
        layout: Layout::new("/dashboard"),
        dashboard: dashboard(&admin),
        current: "/operator/log",
        log: AuditLog::load(&app, account, before, &link).await?,
        all_accounts: true,
        search,
    }))
}
