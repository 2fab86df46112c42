//! `/dashboard/log`: the audit log of an account and its keys.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::DashboardLayout;
use crate::app::App;
use crate::http::query::Query;
use crate::web::current_user::CurrentUser;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::view::language;
use rollcall_model::time;
use rollcall_store::audit::{self, AuditEntry};

const ENTRIES_PER_PAGE: i64 = 50;

/// One page of the audit log, newest entries first.
pub struct AuditLog {
    pub entries: Vec<AuditEntry>,
    /// The link to the next page.
    pub older: Option<String>,
}

impl AuditLog {
    /// Of one account, or of all accounts. `link` is the address of the log up to the number of an entry.
    pub async fn load(
        app: &App,
        account: Option<i64>,
        before: Option<i64>,
        link: &str,
    ) -> rollcall_store::Result<Self> {
        // One entry more than shown tells whether there is another page.
        let mut entries = app.pool.read(move |conn| audit::list(conn, account, before, ENTRIES_PER_PAGE + 1)).await?;
        let more = entries.len() > ENTRIES_PER_PAGE as usize;
        entries.truncate(ENTRIES_PER_PAGE as usize);
        let older = entries.last().filter(|_| more).map(|entry| format!("{link}{}", entry.n));
        Ok(Self { entries, older })
    }

    /// The entry that a page of the log begins after.
    pub fn parse_before(query: Option<&str>) -> Option<i64> {
        let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
        query.get("before").and_then(|text| text.parse().ok())
    }

    pub fn actor<'a>(&self, entry: &'a AuditEntry) -> &'a str {
        actor_name(&entry.actor)
    }

    pub fn time(&self, entry: &AuditEntry) -> String {
        time::iso(entry.at)
    }
}

/// A username, or words for an actor without an account. Usernames have no spaces and are not translated.
pub fn actor_name(actor: &str) -> &str {
    if actor.contains(' ') { language().translate(actor) } else { actor }
}

#[derive(Template)]
#[template(path = "dashboard/log.html")]
struct LogPage {
    layout: Layout,
    dashboard: DashboardLayout,
    log: AuditLog,
    /// The operator's view also shows the account and the IP address of each entry.
    all_accounts: bool,
}

pub async fn show(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let log = AuditLog::load(&app, Some(user.account.n), AuditLog::parse_before(query.as_deref()), "?before=").await?;
    Ok(page::private(&LogPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard/log"),
        log,
        all_accounts: false,
    }))
}
