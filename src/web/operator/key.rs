//! `/operator/keys/{id}`: one API key of any account: its state, quota, usage and limits.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode};

use super::searched_list::{ListRequest, back_to};
use super::{dashboard, keys::is_disabled};
use crate::accounts::api_keys;
use crate::app::App;
use crate::http::query::Query;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::{
    DashboardLayout, KeyView, csv_response, load_key_views, of_key_at, parse_span, quota_part, state_part,
};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::live_part::{self, LivePart};
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{PathId, or_not_found};
use crate::web::usage::{UsageLinks, UsageSection};
use rollcall_model::message::{Message, translatable};
use rollcall_model::usage::UsageSpan;
use rollcall_store::accounts::{self, Account};
use rollcall_store::keys::{self, KeyRecord, LimitOverrides};

#[derive(Template)]
#[template(path = "operator/key.html")]
struct KeyPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    /// The list that led here.
    list: ListRequest,
    view: KeyView,
    owner: Option<Account>,
    limits: [LimitField; 3],
    restrictions: Vec<(&'static str, String)>,
    state: LivePart,
    quota: LivePart,
    usage: UsageSection,
}

/// A limit of the key; empty for the configured one.
struct LimitField {
    name: &'static str,
    label: &'static str,
    own: String,
    configured: i64,
}

impl KeyPage {
    fn is_disabled(&self) -> bool {
        is_disabled(&self.view)
    }
}

async fn find(app: &App, id: &str) -> Result<KeyRecord, PageRejection> {
    let id = id.to_owned();
    or_not_found(app.pool.read(move |conn| keys::find(conn, &id)).await?)
}

fn links(app: &App, list: &ListRequest, id: &str) -> UsageLinks {
    let page = format!("/operator/keys/{id}");
    UsageLinks {
        page: list.link(&page),
        live: format!("{page}/live"),
        csv: Some(format!("{page}/usage.csv")),
        api: format!("{}/v1", app.public_url),
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    admin: Admin,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let key = find(&app, &id).await?;
    let layout = dashboard(&admin).with_success_from(query.as_deref());
    let entered = entered_limits(key.overrides);
    let list = ListRequest::parse(query.as_deref());
    render(&app, &admin, key, layout, list, parse_span(query.as_deref()), entered).await
}

/// The limits as the form shows them.
fn entered_limits(overrides: LimitOverrides) -> [String; 3] {
    let LimitOverrides { per_minute, per_day, per_month } = overrides;
    [per_minute, per_day, per_month].map(|limit| limit.map(|limit| limit.to_string()).unwrap_or_default())
}

async fn render(
    app: &App,
    admin: &Admin,
    key: KeyRecord,
    dashboard: DashboardLayout,
    list: ListRequest,
    span: UsageSpan,
    entered: [String; 3],
) -> PageResult {
    let now = admin.0.session.now;
    let usage = of_key_at(app, &key, span, now, links(app, &list, &key.id)).await?.into_section()?;
    let owner = match key.account {
        Some(n) => app.pool.read(move |conn| accounts::by_number(conn, n)).await?,
        None => None,
    };
    let field = |name, label, own, configured: u32| LimitField { name, label, own, configured: i64::from(configured) };
    let [minute, day, month] = entered;
    let restrictions = restrictions(&key);
    let view = or_not_found(load_key_views(app, vec![key], now).await?.pop())?;
    Ok(page::private(&KeyPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        current: "/operator/keys",
        list,
        owner,
        limits: [
            field("per_minute", translatable("Requests per minute"), minute, app.limits.per_minute),
            field("per_day", translatable("Requests per day"), day, app.limits.per_day),
            field("per_month", translatable("Requests per month"), month, app.limits.per_month),
        ],
        restrictions,
        state: state_part(&view)?,
        quota: quota_part(&view)?,
        usage,
        view,
    }))
}

/// Each kind of restriction with its list.
fn restrictions(key: &KeyRecord) -> Vec<(&'static str, String)> {
    let Some(restrictions) = &key.restrictions else { return Vec::new() };
    let networks: Vec<String> = restrictions.networks.iter().map(ToString::to_string).collect();
    let lists = [
        (translatable("IP ranges"), networks.join(", ")),
        (translatable("Origins"), restrictions.origins.join(", ")),
        (translatable("Endpoints"), restrictions.endpoints.join(", ")),
    ];
    lists.into_iter().filter(|(_, list)| !list.is_empty()).collect()
}

pub async fn refresh(
    State(app): State<Arc<App>>,
    admin: Admin,
    PathId(id): PathId,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> PageResult {
    let (key, now) = (find(&app, &id).await?, admin.0.session.now);
    let links = links(&app, &ListRequest::default(), &id);
    let span = parse_span(query.as_deref());
    let mut parts = of_key_at(&app, &key, span, now, links).await?.into_section()?.parts;
    let view = or_not_found(load_key_views(&app, vec![key], now).await?.pop())?;
    parts.extend([state_part(&view)?, quota_part(&view)?]);
    let query = Query::parse(query.as_deref().unwrap_or_default()).unwrap_or_default();
    Ok(live_part::respond(&parts, &query, &headers))
}

pub async fn download(
    State(app): State<Arc<App>>,
    admin: Admin,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let key = find(&app, &id).await?;
    Ok(csv_response(&app, &[key], parse_span(query.as_deref()), admin.0.session.now).await?)
}

/// Sets the limits of a key. An empty field means the configured one.
pub async fn set_limits(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    let key = find(&app, &id).await?;
    let overrides = match parse_overrides(&form) {
        Ok(overrides) => overrides,
        Err(error) => {
            let layout = dashboard(&form.sender).with_error(error);
            let entered = LIMIT_FIELDS.map(|name| form.text(name).to_owned());
            let list = ListRequest::of_form(&form);
            let response = render(&app, &form.sender, key, layout, list, UsageSpan::default(), entered).await?;
            return Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let (n, author) = (key.n, form.sender.0.author());
    app.pool.write(move |conn| keys::set_overrides(conn, n, overrides, &author)).await?;
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("limits set {id}")));
    Ok(back_to("/operator/keys", &id, "limits-set", &form))
}

const LIMIT_FIELDS: [&str; 3] = ["per_minute", "per_day", "per_month"];

fn parse_overrides(form: &CsrfForm<Admin>) -> Result<LimitOverrides, Message> {
    let limit = |name| match form.text(name) {
        "" => Ok(None),
        text => api_keys::parse_limit(text).map(Some),
    };
    let [minute, day, month] = LIMIT_FIELDS.map(limit);
    Ok(LimitOverrides { per_minute: minute?, per_day: day?, per_month: month? })
}
