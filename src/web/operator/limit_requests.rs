//! `/operator/limit-requests`: open limit requests.

use std::sync::Arc;

use askama::Template;
use axum::extract::{RawQuery, State};
use axum::http::StatusCode;

use super::dashboard;
use crate::accounts::api_keys;
use crate::app::App;
use crate::security_log::SecurityEventKind;
use crate::web::csrf_form::CsrfForm;
use crate::web::current_user::Admin;
use crate::web::dashboard::{DashboardLayout, parse_limits};
use crate::web::filters;
use crate::web::layout::Layout;
use crate::web::page::{self, PageResult};
use crate::web::session::{PathId, or_not_found};
use crate::web::view::language;
use rollcall_model::message::Message;
use rollcall_model::quota::Limits;
use rollcall_model::time;
use rollcall_store::limit_requests::{self, LimitRequest};

#[derive(Template)]
#[template(path = "operator/limit_requests.html")]
struct LimitRequestsPage {
    layout: Layout,
    dashboard: DashboardLayout,
    current: &'static str,
    requests: Vec<LimitRequest>,
    /// The limits of keys without their own.
    default_limits: Limits,
}

impl LimitRequestsPage {
    fn current_limits(&self, request: &LimitRequest) -> String {
        let language = language();
        let Limits { per_minute, per_day, per_month } = request.current.apply_to(self.default_limits);
        let [minute, day, month] = [per_minute, per_day, per_month].map(|limit| language.count(limit.into()));
        language.fill("Current limits: {} requests per minute, {} per day, {} per month.", &[&minute, &day, &month])
    }

    fn time(&self, request: &LimitRequest) -> String {
        time::iso(request.created_at)
    }
}

pub async fn show(State(app): State<Arc<App>>, admin: Admin, RawQuery(query): RawQuery) -> PageResult {
    render(&app, dashboard(&admin).with_success_from(query.as_deref())).await
}

async fn render(app: &App, dashboard: DashboardLayout) -> PageResult {
    let requests = app.pool.read(limit_requests::list_open).await?;
    Ok(page::private(&LimitRequestsPage {
        layout: Layout::new("/dashboard"),
        dashboard,
        current: "/operator/limit-requests",
        requests,
        default_limits: app.limits,
    }))
}

pub async fn decide(State(app): State<Arc<App>>, PathId(id): PathId, form: CsrfForm<Admin>) -> PageResult {
    let reply = form.text("answer").to_owned();
    let decision = match form.text("decision") {
        "grant" => parse_limits(&form).map(Some),
        "refuse" => Ok(None),
        other => Err(Message::new("Grant or decline the limit request, not “{}”.", &[&other])),
    };
    let granted = match api_keys::check_reply(&reply).and(decision) {
        Ok(granted) => granted,
        Err(error) => {
            let response = render(&app, dashboard(&form.sender).with_error(error)).await?;
            return Ok(page::with_status(response, StatusCode::UNPROCESSABLE_ENTITY));
        }
    };
    let (author, request) = (form.sender.0.author(), id.clone());
    let decided = app.pool.write(move |conn| limit_requests::decide(conn, &request, granted, &reply, &author)).await?;
    or_not_found(decided.then_some(()))?;
    let act = if granted.is_some() { "limit request granted" } else { "limit request declined" };
    form.sender.0.record(SecurityEventKind::OperatorAct, Some(&format!("{act} {id}")));
    let done = if granted.is_some() { "granted" } else { "refused" };
    Ok(page::redirect(&format!("/operator/limit-requests?done={done}")))
}
