//! The usage report on the pages of one key and of all keys, and its CSV download.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::Response;
use axum::http::header::{self, HeaderValue};

use crate::app::App;
use crate::http::query::Query;
use crate::web::current_user::CurrentUser;
use crate::web::page::{PageResult, RESOURCE_POLICY};
use crate::web::usage::{UsageLinks, UsageScope, UsageView, csv};
use rollcall_model::usage::{UsageLine, UsageReport, UsageSpan};
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::{Result, usage};

pub fn parse_span(query: Option<&str>) -> UsageSpan {
    let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
    UsageSpan::parse(query.get("range"))
}

async fn load(app: &App, keys: &[KeyRecord], span: UsageSpan, now: i64) -> Result<Vec<UsageLine>> {
    let numbers: Vec<i64> = keys.iter().map(|key| key.n).collect();
    // A year of a busy key takes a while to sum up; the limit leaves readers for other requests.
    let _permit = app.accounts.usage_reports.acquire().await;
    app.ledger.read(move |conn| usage::of_keys(conn, &numbers, span, now)).await
}

/// The report of one key, compared with its limits.
pub async fn of_key(app: &App, key: &KeyRecord, span: UsageSpan, now: i64) -> Result<UsageView> {
    of_key_at(app, key, span, now, links(app, &format!("/dashboard/keys/{}", key.id), "/usage")).await
}

/// The same for a page elsewhere.
pub async fn of_key_at(app: &App, key: &KeyRecord, span: UsageSpan, now: i64, links: UsageLinks) -> Result<UsageView> {
    let report = UsageReport::new(span, now, &load(app, std::slice::from_ref(key), span, now).await?);
    let scope = UsageScope::Key { name: key.name.clone(), limits: key.overrides.apply_to(app.limits) };
    Ok(UsageView::new(report, scope, links))
}

/// The report of all keys of an account together.
pub async fn of_all(app: &App, keys: &[KeyRecord], span: UsageSpan, now: i64) -> Result<UsageView> {
    let report = UsageReport::new(span, now, &load(app, keys, span, now).await?);
    Ok(UsageView::new(report, UsageScope::AllKeys, links(app, "/dashboard", "")))
}

/// `tab` is where the section stands below the first page.
fn links(app: &App, root: &str, tab: &str) -> UsageLinks {
    let live = if tab.is_empty() { format!("{root}/live") } else { format!("{root}/live?tab=usage") };
    let api = format!("{}/v1", app.public_url);
    UsageLinks { page: format!("{root}{tab}"), live, csv: Some(format!("{root}/usage.csv")), api }
}

pub async fn download_all(State(app): State<Arc<App>>, user: CurrentUser, RawQuery(query): RawQuery) -> PageResult {
    let n = user.account.n;
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    Ok(csv_response(&app, &keys, parse_span(query.as_deref()), user.session.now).await?)
}

pub async fn csv_response(app: &App, keys: &[KeyRecord], span: UsageSpan, now: i64) -> Result<Response<Body>> {
    let lines = load(app, keys, span, now).await?;
    let names: HashMap<i64, &str> = keys.iter().map(|key| (key.n, key.name.as_str())).collect();
    let text = csv(&lines, |n| names.get(&n).copied().unwrap_or_default());
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    let name = format!("attachment; filename=\"rollcall-usage-{}.csv\"", span.name());
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).expect("a file name is ASCII text"));
    Ok(response)
}
