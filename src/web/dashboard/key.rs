//! `/dashboard/keys/{id}`: one API key and its settings.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::key_view::{self, KeyView};
use super::{DashboardLayout, secret, usage_page};
use crate::accounts::api_keys::{self, GracePeriod, MAX_REASON_CHARS};
use crate::app::App;
use crate::web::csrf_form::CsrfForm;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageRejection, PageResult};
use crate::web::session::{CurrentUser, PathId, ProvedUser, or_not_found};
use crate::web::usage::UsageView;
use crate::web::view::language;
use rollcall_model::api_key::ApiKeySecret;
use rollcall_model::id;
use rollcall_model::message::{Message, translatable};
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_model::usage::UsageSpan;
use rollcall_store::audit::Author;
use rollcall_store::keys::{self, KeyRecord};
use rollcall_store::limit_requests::{self, LimitRequest};
use rollcall_store::{Conn, Result};

#[derive(Template)]
#[template(path = "dashboard/key.html")]
struct KeyPage {
    layout: Layout,
    dashboard: DashboardLayout,
    view: KeyView,
    limit_request: Option<LimitRequest>,
    request_is_open: bool,
    /// The last day of validity.
    expires: String,
    today: String,
    max_reason_chars: usize,
    usage: UsageView,
    /// Rotating and deleting need a fresh proof first.
    must_confirm: bool,
}

impl KeyPage {
    fn grace_periods(&self) -> [(&'static str, &'static str, bool); 4] {
        GracePeriod::ALL.map(|period| {
            let label = match period {
                GracePeriod::None => translatable("revoke immediately"),
                GracePeriod::Hour => translatable("valid for 1 hour"),
                GracePeriod::Day => translatable("valid for 24 hours"),
                GracePeriod::Week => translatable("valid for 7 days"),
            };
            (period.name(), label, period == GracePeriod::DEFAULT)
        })
    }

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
    render(&app, &user, key, dashboard, usage_page::parse_span(query.as_deref())).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    key: KeyRecord,
    dashboard: DashboardLayout,
    span: UsageSpan,
) -> PageResult {
    let (n, now) = (key.n, user.session.now);
    let expires = key.expires_at.map(|end| time::day(end - 1)).unwrap_or_default();
    let limit_request = app.pool.read(move |conn| limit_requests::newest(conn, n)).await?;
    let usage = usage_page::of_key(app, &key, span, now).await?;
    let view = key_view::load_key_views(app, vec![key], now).await?.pop();
    Ok(page::private(&KeyPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        view: or_not_found(view)?,
        request_is_open: limit_request.as_ref().is_some_and(|request| request.status == "open"),
        limit_request,
        expires,
        today: time::day(now),
        max_reason_chars: MAX_REASON_CHARS,
        usage,
        must_confirm: !user.is_freshly_proved(),
    }))
}

/// A key of the current user; 404 for keys of others.
pub async fn find_own(app: &App, user: &CurrentUser, id: &str) -> std::result::Result<KeyRecord, PageRejection> {
    let id = id.to_owned();
    let key = app.pool.read(move |conn| keys::find(conn, &id)).await?;
    or_not_found(key.filter(|key| key.account == Some(user.account.n)))
}

/// Shows the page again with an error message.
async fn reject(app: &App, user: &CurrentUser, key: KeyRecord, error: impl Into<Message>) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard").with_error(error);
    let response = render(app, user, key, dashboard, UsageSpan::Day).await?;
    Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
}

/// Changes a key and redirects to its page with a message.
async fn change(
    app: &App,
    form: &CsrfForm<CurrentUser>,
    key: &KeyRecord,
    done: &str,
    work: impl FnOnce(&mut Conn, i64, &Author) -> Result<()> + Send + 'static,
) -> PageResult {
    let (n, author) = (key.n, form.sender.author());
    app.pool.write(move |conn| work(conn, n, &author)).await?;
    Ok(page::redirect(&format!("/dashboard/keys/{}?done={done}", key.id)))
}

pub async fn rename(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    let name = form.text("name").to_owned();
    if let Err(error) = api_keys::check_name(&name) {
        return reject(&app, &form.sender, key, error).await;
    }
    change(&app, &form, &key, "renamed", move |conn, n, author| keys::rename(conn, n, &name, author)).await
}

pub async fn set_expiry(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    match api_keys::parse_expiry_day(form.text("expires"), form.sender.session.now) {
        Ok(end) => {
            change(&app, &form, &key, "expiry", move |conn, n, author| keys::set_expiry(conn, n, end, author)).await
        }
        Err(error) => reject(&app, &form.sender, key, error).await,
    }
}

/// A new secret is shown to users who have just proved who they are only.
pub async fn rotate(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<ProvedUser>) -> PageResult {
    let user = &form.sender.0;
    let key = find_own(&app, user, &id).await?;
    let grace = match GracePeriod::parse(form.text("grace")) {
        Ok(grace) => grace,
        Err(error) => return reject(&app, user, key, error).await,
    };
    let (author, newest) = (user.author(), form.text("newest").to_owned());
    let (secret, old_ends_at) = (ApiKeySecret::generate(), author.at + grace.millis());
    let (record, new) = (key.clone(), secret.clone());
    let rotated =
        app.pool.write(move |conn| api_keys::rotate_once(conn, &record, &newest, &new, old_ends_at, &author)).await?;
    if !rotated {
        return Ok(page::redirect(&format!("/dashboard/keys/{}?done=rotated-before", key.id)));
    }
    let old_until = (grace != GracePeriod::None).then(|| time::iso(old_ends_at));
    Ok(secret::show(user, (&key.id, &key.name), translatable("API key rotated"), &secret, old_until))
}

pub async fn revoke_old_secret(
    State(app): State<Arc<App>>,
    PathId(id): PathId,
    form: CsrfForm<CurrentUser>,
) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    change(&app, &form, &key, "ended", |conn, n, author| keys::revoke_old(conn, n, author).map(drop)).await
}

pub async fn disable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    change(&app, &form, &key, "disabled", |conn, n, author| keys::set_disabled(conn, n, true, author)).await
}

pub async fn enable(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let key = find_own(&app, &form.sender, &id).await?;
    if let Err(error) = api_keys::check_may_enable(&key) {
        return reject(&app, &form.sender, key, error).await;
    }
    change(&app, &form, &key, "enabled", |conn, n, author| keys::set_disabled(conn, n, false, author)).await
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
    change(&app, &form, &key, "asked", move |conn, n, author| {
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
    change(&app, &form, &key, "withdrawn", limit_requests::withdraw).await
}

/// The three limits of a form.
pub fn parse_limits<U>(form: &CsrfForm<U>) -> std::result::Result<Limits, Message> {
    let limit = |name: &str| api_keys::parse_limit(form.text(name));
    Ok(Limits { per_minute: limit("per_minute")?, per_day: limit("per_day")?, per_month: limit("per_month")? })
}
