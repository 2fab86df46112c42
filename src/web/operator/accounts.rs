//! `/operator/accounts`: all accounts, with search.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};

use super::searched_list::{ListControls, ListRequest, ROWS_PER_PAGE, back_to};
use super::{dashboard, require_confirmation};
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use rollcall_model::time;
use rollcall_store::accounts::{self, Account};

#[derive(Template)]
#[template(path = "operator/accounts.html")]
struct AccountsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    /// Each with its number of keys.
    accounts: Vec<(Account, i64)>,
    list: ListControls,
}

impl AccountsPage {
    fn created_at(&self, account: &Account) -> String {
        time::iso(account.created_at)
    }
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    let request = ListRequest::parse(query.as_deref());
    let (search, before) = (request.search.clone(), request.before_number());
    let found = app.pool.read(move |conn| accounts::page(conn, &search, before, ROWS_PER_PAGE as i64 + 1));
    let mut accounts = found.await?;
    let list = ListControls::new(request, &mut accounts, |(account, _)| account.n.to_string());
    let dashboard = dashboard(&admin).with_success_from(query.as_deref());
    let layout = Layout::new("/dashboard");
    Ok(page::private(&AccountsPage { layout, dashboard, current: "/operator/accounts", accounts, list }))
}

pub async fn disable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    require_confirmation(&form)?;
    set_disabled(&app, &id, &form, true).await
}

pub async fn enable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    set_disabled(&app, &id, &form, false).await
}

async fn set_disabled(app: &App, id: &str, form: &CsrfForm<Admin>, disabled: bool) -> PageResult {
    let (account, operator, author) = (id.to_owned(), form.sender.0.account.n, form.sender.0.author());
    let changed =
        app.pool.write(move |conn| crate::accounts::set_disabled(conn, &account, disabled, operator, &author)).await?;
    or_not_found(changed)?;
    let done = if disabled { "account-disabled" } else { "account-enabled" };
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("{done} {id}")));
    Ok(back_to("/operator/accounts", id, done, form))
}
