//! `/dashboard/keys/{id}`: quota and the last hour; `/usage` below it: all usage; `/live`: what changed on any of the tabs.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::HeaderMap;

use super::super::{DashboardLayout, usage_page};
use super::{KeyHead, KeyTab, find_own};
use crate::app::App;
use crate::error::ApiError;
use crate::http::query::Query;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::KeyView;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use crate::web::usage::UsageSection;
use rollcall_model::usage::UsageSpan;

#[derive(Template)]
#[template(path = "dashboard/key_overview.html")]
struct OverviewPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: KeyHead,
    quota: LivePart,
    /// The totals and the chart of the last hour.
    last_hour: Vec<LivePart>,
}

#[derive(Template)]
#[template(path = "dashboard/key_usage.html")]
struct UsagePage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: KeyHead,
    usage: UsageSection,
}

#[derive(Template)]
#[template(path = "live/key_quota.html")]
struct Quota<'a> {
    view: &'a KeyView,
}

/// The remaining quota of a key.
pub fn quota_part(view: &KeyView) -> Result<LivePart, ApiError> {
    LivePart::new("key-quota", &Quota { view })
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let (key, now) = (find_own(&app, &user, &id).await?, user.session.now);
    let usage = usage_page::of_key(&app, &key, UsageSpan::Hour, now).await?;
    let head = KeyHead::load(&app, key, KeyTab::Overview, now).await?;
    Ok(page::private(&OverviewPage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard").with_success_from(query.as_deref()),
        quota: quota_part(&head.view)?,
        last_hour: usage.summary_parts()?,
        head,
    }))
}

pub async fn show_usage(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let (key, now, span) =
        (find_own(&app, &user, &id).await?, user.session.now, usage_page::parse_span(query.as_deref()));
    let usage = usage_page::of_key(&app, &key, span, now).await?.into_section()?;
    let mut head = KeyHead::load(&app, key, KeyTab::Usage, now).await?;
    head.live = usage.live_link();
    Ok(page::private(&UsagePage {
        layout: Layout::new("/dashboard"),
        dashboard: DashboardLayout::new(&user, "/dashboard").with_success_from(query.as_deref()),
        head,
        usage,
    }))
}

pub async fn download_usage(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let key = find_own(&app, &user, &id).await?;
    Ok(usage_page::csv_response(&app, &[key], usage_page::parse_span(query.as_deref()), user.session.now).await?)
}

pub async fn refresh(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let (key, now) = (find_own(&app, &user, &id).await?, user.session.now);
    let span = usage_page::parse_span(query.as_deref());
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    let tab = KeyTab::parse(query.get("tab"));
    let usage = match tab {
        KeyTab::Overview => usage_page::of_key(&app, &key, UsageSpan::Hour, now).await?.summary_parts()?,
        KeyTab::Usage => usage_page::of_key(&app, &key, span, now).await?.into_section()?.parts,
        KeyTab::Security | KeyTab::Settings => Vec::new(),
    };
    let head = KeyHead::load(&app, key, tab, now).await?;
    let mut parts = usage;
    if tab == KeyTab::Overview {
        parts.push(quota_part(&head.view)?);
    }
    parts.push(head.state);
    Ok(live_part::respond(&parts, &query, &headers))
}
