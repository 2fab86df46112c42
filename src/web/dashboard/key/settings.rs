//! `/dashboard/keys/{id}/settings`: name, expiry, the switch, limit requests and deletion.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::super::DashboardLayout;
use super::{KeyHead, KeyTab, change, find_own};
use crate::accounts::api_keys::{self, MAX_REASON_CHARS};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::{CurrentUser, ProvedUser};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use crate::web::view::language;
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::limit_requests::{self, LimitRequest};

#[derive(Template)]
#[template(path = "dashboard/key_settings.html")]
struct SettingsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: KeyHead,
    limit_request: Option<LimitRequest>,
    request_is_open: bool,
    /// The last day of validity.
    expires: String,
    today: String,
    max_reason_chars: usize,
    /// Deleting needs a fresh proof first.
    must_confirm: bool,
}

impl SettingsPage {
    fn requested(&self, request: &LimitRequest) -> String {
        let language = language();
        let Limits { per_minute, per_day, per_month } = request.requested;
        let [minute, day, month] = [per_minute, per_day, per_month].map(|limit| language.count(limit.into()));
        language.fill("You requested {} requests per minute, {} per day and {} per month.", &[&minute, &day, &month])
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let key = find_own(&app, &user, &id).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard").with_success_from(query.as_deref());
    render(&app, &user, key, dashboard).await
}

async fn render(app: &App, user: &CurrentUser, key: KeyRecord, dashboard: DashboardLayout) -> PageResult {
    let (n, now) = (key.n, user.session.now);
    let expires = key.expires_at.map(|end| time::day(end - 1)).unwrap_or_default();
    let limit_request = app.pool.read(move |conn| limit_requests::newest(conn, n)).await?;
    Ok(page::private(&SettingsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        head: KeyHead::load(app, key, KeyTab::Settings, now).await?,
        request_is_open: limit_request.as_ref().is_some_and(|request| request.status == "open"),
        limit_request,
        expires,
        today: time::day(now),
        max_reason_chars: MAX_REASON_CHARS,
        must_confirm: !user.is_freshly_proved(),
    }))
}

/// Shows the page again with an error message.
async fn reject(app: &App, user: &CurrentUser, key: KeyRecord, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard").with_error(error);
    Ok(page::with_status(render(app, user, key, dashboard).await?, StatusCode::UNPROCESSABLE_ENTITY))
}

pub async fn rename(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    let name = form.text("name").to_owned();
    if let Err(error) = api_keys::check_name(&name) {
        return reject(&app, &form.sender, key, error).await;
    }
    change(&app, &form, &key, "settings?done=renamed", move |conn, n, author| keys::rename(conn, n, &name, author))
        .await
}

pub async fn set_expiry(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    match api_keys::parse_expiry_day(form.text("expires"), form.sender.session.now) {
        Ok(end) => {
            change(&app, &form, &key, "settings?done=expiry", move |conn, n, author| {
                keys::set_expiry(conn, n, end, author)
            })
            .await
        }
        Err(error) => reject(&app, &form.sender, key, error).await,
    }
}

pub async fn disable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    change(&app, &form, &key, "settings?done=disabled", |conn, n, author| keys::set_disabled(conn, n, true, author))
        .await
}

pub async fn enable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    if let Err(error) = api_keys::check_may_enable(&key) {
        return reject(&app, &form.sender, key, error).await;
    }
    change(&app, &form, &key, "settings?done=enabled", |conn, n, author| keys::set_disabled(conn, n, false, author))
        .await
}

pub async fn delete(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let key = find_own(&app, user, &id).await?;
    if form.text("sure") != "yes" {
        return reject(&app, user, key, translatable("Check the box to confirm the deletion.")).await;
    }
    let (n, author) = (key.n, user.author());
    app.pool.write(move |conn| keys::delete(conn, n, &author)).await?;
    Ok(page::redirect("/dashboard?done=deleted"))
}

pub async fn request_limits(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    let reason = form.text("reason").to_owned();
    let checked = parse_limits(&form).and_then(|wanted| {
        api_keys::check_limit_request(key.overrides.apply_to(app.limits), wanted, &reason).map(|()| wanted)
    });
    let wanted = match checked {
        Ok(wanted) => wanted,
        Err(error) => return reject(&app, &form.sender, key, error).await,
    };
    let request_id = id::encode(rand::random());
    change(&app, &form, &key, "settings?done=asked", move |conn, n, author| {
        limit_requests::create(conn, &request_id, n, wanted, &reason, author).map(drop)
    })
    .await
}

pub async fn withdraw_limit_request(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    change(&app, &form, &key, "settings?done=withdrawn", limit_requests::withdraw).await
}

/// The three limits of a form.
pub fn parse_limits<U>(form: &CsrfForm<U>) -> std::result::Result<Limits, Message> {
    let limit = |name: &str| api_keys::parse_limit(form.text(name));
    Ok(Limits { per_minute: limit("per_minute")?, per_day: limit("per_day")?, per_month: limit("per_month")? })
}
