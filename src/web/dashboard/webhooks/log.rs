//! `/dashboard/webhooks/{id}`: what was sent, a test, and events of a time once more.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::fields::type_label;
use super::{WebhookHead, delivery_state, find_own};
use crate::app::App;
use crate::http::query::Query;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::CurrentUser;
use crate::web::dashboard::DashboardLayout;
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::PathId;
use crate::web::view::language;
use rollcall_model::event::RETENTION;
use rollcall_model::message::{Message, translatable};
use rollcall_model::time::{HOUR, iso, parse_iso};
use rollcall_store::Conn;
use rollcall_store::webhooks::deliveries::AttemptOutcome;
use rollcall_store::webhooks::delivery_log::{self, DeliveryRecord};
use rollcall_store::webhooks::{Webhook, WebhookState, fan_out};

const PER_PAGE: usize = 50;
/// States that the log can be reduced to.
const FILTERS: [&str; 3] = ["delivered", "waiting", "failed"];

#[derive(Template)]
#[template(path = "dashboard/webhook_log.html")]
struct LogPage {
    layout: Layout,
    dashboard: DashboardLayout,
    head: WebhookHead,
    /// Result of the test.
    test: Option<(bool, String)>,
    counts: Vec<(String, i64)>,
    deliveries: Vec<DeliveryRecord>,
    /// The state that the log is reduced to.
    filter: Option<&'static str>,
    older: Option<String>,
    from: String,
    to: String,
}

impl LogPage {
    fn state(&self, delivery: &DeliveryRecord) -> (&'static str, &'static str) {
        delivery_state(&delivery.state, delivery.attempts)
    }

    fn count_state(&self, state: &str) -> (&'static str, &'static str) {
        delivery_state(state, 0)
    }

    fn label(&self, delivery: &DeliveryRecord) -> &'static str {
        delivery.kind.map_or("", type_label)
    }

    /// Path, label and whether it is chosen.
    fn filters(&self) -> Vec<(String, &'static str, bool)> {
        let root = format!("/dashboard/webhooks/{}", self.head.webhook.id);
        let all = (root.clone(), translatable("All"), self.filter.is_none());
        let others = FILTERS
            .map(|state| (format!("{root}?state={state}"), delivery_state(state, 0).0, self.filter == Some(state)));
        std::iter::once(all).chain(others).collect()
    }
}

pub async fn show(
    State(app): State<Arc<App>>,
    user: CurrentUser,
    PathId(id): PathId,
    RawQuery(query): RawQuery,
) -> PageResult {
    let webhook = find_own(&app, &user, &id).await?;
    let dashboard = DashboardLayout::new(&user, "/dashboard/webhooks").with_success_from(query.as_deref());
    render(&app, &user, dashboard, webhook, query.as_deref(), None).await
}

async fn render(
    app: &App,
    user: &CurrentUser,
    dashboard: DashboardLayout,
    webhook: Webhook,
    query: Option<&str>,
    test: Option<(bool, String)>,
) -> PageResult {
    let query = Query::parse(query.unwrap_or_default()).unwrap_or_default();
    let filter = FILTERS.into_iter().find(|state| query.get("state") == Some(state));
    let before = query.get("before").and_then(|before| {
        let (at, n) = before.split_once('.')?;
        Some((at.parse().ok()?, n.parse().ok()?))
    });
    let (n, now) = (webhook.n, user.session.now);
    let load = move |conn: &mut Conn| {
        // One more than shown tells whether there is another page.
        let deliveries = delivery_log::page(conn, n, before, filter, PER_PAGE as i64 + 1)?;
        Ok((deliveries, delivery_log::count_by_state(conn, n)?))
    };
    let (mut deliveries, counts) = app.pool.read(load).await?;
    let is_more = deliveries.len() > PER_PAGE;
    deliveries.truncate(PER_PAGE);
    let state = filter.map(|state| format!("state={state}&")).unwrap_or_default();
    let older =
        deliveries.last().filter(|_| is_more).map(|last| format!("?{state}before={}.{}", last.updated_at, last.n));
    Ok(page::private(&LogPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        head: WebhookHead { webhook, tab: "", now },
        test,
        counts,
        deliveries,
        filter,
        older,
        from: minute(now - HOUR),
        to: minute(now),
    }))
}

/// As `<input type="datetime-local">` has it.
fn minute(at: i64) -> String {
    iso(at)[..16].to_owned()
}

/// Sends a test now and shows what came of it.
pub async fn send_test(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let webhook = find_own(&app, user, &id).await?;
    let attempt = app.webhooks.send_test(&webhook).await?;
    let text = match attempt.outcome {
        AttemptOutcome::Delivered => {
            language().message(&Message::new("The test arrived: the receiver answered {}.", &[&attempt.status]))
        }
        _ => language().message(&Message::new("The test failed: {}", &[&attempt.error])),
    };
    let dashboard = DashboardLayout::new(user, "/dashboard/webhooks");
    let webhook = find_own(&app, user, &id).await?;
    render(&app, user, dashboard, webhook, None, Some((attempt.outcome == AttemptOutcome::Delivered, text))).await
}

/// Sends the events of a time once more.
pub async fn replay(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<CurrentUser>) -> PageResult {
    let user = &form.sender;
    let webhook = find_own(&app, user, &id).await?;
    match parse_range(form.text("from"), form.text("to"), user.session.now) {
        Ok(_) if webhook.state != WebhookState::Active => {
            reject(&app, user, webhook, translatable("Enable the webhook first.").into()).await
        }
        Ok(range) => {
            let (author, id) = (user.author(), webhook.id.clone());
            app.pool.write(move |conn| fan_out::start_replay(conn, &webhook, range, &author)).await?;
            Ok(page::redirect(&format!("/dashboard/webhooks/{id}?done=webhook-replayed")))
        }
        Err(error) => reject(&app, user, webhook, error).await,
    }
}

async fn reject(app: &App, user: &CurrentUser, webhook: Webhook, error: Message) -> PageResult {
    let dashboard = DashboardLayout::new(user, "/dashboard/webhooks").with_error(error);
    let response = render(app, user, dashboard, webhook, None, None).await?;
    Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY))
}

fn parse_range(from: &str, to: &str, now: i64) -> Result<(i64, i64), Message> {
    let parse = |text: &str| {
        let seconds = if text.len() == 16 { ":00" } else { "" };
        parse_iso(&format!("{text}{seconds}.000Z")).ok_or_else(|| {
            let shown: String = text.chars().take(19).collect();
            Message::new("Enter a day and a time in UTC, such as 2026-01-31T09:30, not “{}”.", &[&shown])
        })
    };
    let (from, to) = (parse(from)?, parse(to)?);
    if from > to {
        return Err(translatable("The start must be before the end.").into());
    }
    if to < now - RETENTION {
        return Err(translatable("Events are kept for 30 days. Choose a later end.").into());
    }
    Ok((from, to))
}
