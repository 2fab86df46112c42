//! What keys are used for: a part of the pages of one key and of all keys, and a file for spreadsheets.

use std::collections::HashMap;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::http::Response;
use axum::http::header::{self, HeaderValue};

use crate::app::App;
use crate::http::query::Query;
use crate::web::page::{Outcome, RESOURCE_POLICY};
use crate::web::session::{By, Holder, Named};
use crate::web::usage::{Place, UsageView, Whose, csv};
use rollcall_model::usage::{Line, Report, Span};
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::{Result, usage};

pub fn span(query: Option<&str>) -> Span {
    let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
    Span::read(query.get("range"))
}

async fn lines(app: &App, keys: &[KeyRecord], span: Span, now: i64) -> Result<Vec<Line>> {
    let numbers: Vec<i64> = keys.iter().map(|key| key.n).collect();
    // A busy key's year takes a while to add up: two at once leave readers for everyone else.
    let _place = app.accounts.sums.acquire().await;
    app.ledger.read(move |conn| usage::of_keys(conn, &numbers, span, now)).await
}

/// Of one key, against its limits.
pub async fn of_key(app: &App, key: &KeyRecord, span: Span, now: i64) -> Result<UsageView> {
    let report = Report::new(span, now, &lines(app, std::slice::from_ref(key), span, now).await?);
    let whose = Whose::Key { name: key.name.clone(), limits: key.overrides.over(app.limits) };
    Ok(UsageView::new(report, whose, place(app, format!("/dashboard/keys/{}", key.id), "usage.csv")))
}

/// Of all keys of an account together.
pub async fn of_all(app: &App, keys: &[KeyRecord], span: Span, now: i64) -> Result<UsageView> {
    let report = Report::new(span, now, &lines(app, keys, span, now).await?);
    Ok(UsageView::new(report, Whose::AllKeys, place(app, "/dashboard".to_owned(), "usage.csv")))
}

fn place(app: &App, here: String, file: &str) -> Place {
    Place { csv: format!("{here}/{file}"), here, api: format!("{}/v1", app.public_url) }
}

pub async fn all_as_csv(State(app): State<Arc<App>>, By(holder): By<Holder>, RawQuery(query): RawQuery) -> Outcome {
    let n = holder.account.n;
    let keys = app.pool.read(move |conn| keys::of_account(conn, n)).await?;
    Ok(file(&app, &keys, span(query.as_deref()), holder.visitor.now).await?)
}

pub async fn key_as_csv(
    State(app): State<Arc<App>>,
    By(holder): By<Holder>,
    Named(id): Named,
    RawQuery(query): RawQuery,
) -> Outcome {
    let key = super::key::own(&app, &holder, &id).await?;
    Ok(file(&app, &[key], span(query.as_deref()), holder.visitor.now).await?)
}

async fn file(app: &App, keys: &[KeyRecord], span: Span, now: i64) -> Result<Response<Body>> {
    let lines = lines(app, keys, span, now).await?;
    let names: HashMap<i64, &str> = keys.iter().map(|key| (key.n, key.name.as_str())).collect();
    let text = csv(&lines, |n| names.get(&n).copied().unwrap_or_default());
    let mut response = Response::new(Body::from(text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/csv; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    let name = format!("attachment; filename=\"rollcall-usage-{}.csv\"", span.name());
    headers.insert(header::CONTENT_DISPOSITION, HeaderValue::from_str(&name).expect("plain text"));
    Ok(response)
}
