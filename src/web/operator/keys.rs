//! `/operator/keys`: all API keys, with search.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::searched_list::{ListControls, ListRequest, ROWS_PER_PAGE, back_to};
use super::{dashboard, require_confirmation};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::{DashboardLayout, KeyView, load_key_views};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_store::keys;

#[derive(Template)]
#[template(path = "operator/keys.html")]
struct AllKeysPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    keys: Vec<KeyView>,
    list: ListControls,
}

impl AllKeysPage {
    fn is_disabled(&self, view: &KeyView) -> bool {
        is_disabled(view)
    }
}

/// Whether the operator's switch is off. Keys without an account have one switch only.
pub fn is_disabled(view: &KeyView) -> bool {
    view.key.blocked || (view.key.disabled && view.key.account.is_none())
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let request = ListRequest::parse(query.as_deref());
    let (search, before) = (request.search.clone(), request.before_number());
    let mut keys = app.pool.read(move |conn| keys::page(conn, &search, before, ROWS_PER_PAGE as i64 + 1)).await?;
    let list = ListControls::new(request, &mut keys, |key| key.n.to_string());
    let keys = load_key_views(&app, keys, admin.0.session.now).await?;
    let dashboard = dashboard(&admin).with_success_from(query.as_deref());
    let layout = Layout::new("/dashboard");
    Ok(page::private(&AllKeysPage { layout, dashboard, current: "/operator/keys", keys, list }))
}

pub async fn disable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    require_confirmation(&form)?;
    set_blocked(&app, &id, &form, true).await
}

pub async fn enable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    set_blocked(&app, &id, &form, false).await
}

async fn set_blocked(app: &App, id: &str, form: &CsrfForm<Admin>, blocked: bool) -> PageResult {
    let (key, author) = (id.to_owned(), form.sender.0.author());
    let changed = app.pool.write(move |conn| {
        keys::find(conn, &key)?.map(|key| keys::set_blocked(conn, key.n, blocked, &author)).transpose()
    });
    or_not_found(changed.await?)?;
    let done = if blocked { "disabled" } else { "enabled" };
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("key {done} {id}")));
    Ok(back_to("/operator/keys", id, done, form))
}
