//! `GET /playground/v1/…` with `X-Playground-Pass`: one API call, rebuilt from path and query alone.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Response, StatusCode};

use super::SWITCHED_OFF;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::client_ip;
use crate::http::query::Query;
use crate::http::{envelope, same_origin};
use crate::security_log::{EventFields, SecurityEventKind};
use crate::v1;
use crate::v1::rate_limit_headers::{LIMIT_DAY, LIMIT_MINUTE, REMAINING_DAY, REMAINING_MINUTE};
use rollcall_model::quota::QuotaStatus;
use rollcall_store::playground_passes::RunOutcome;

const PREFIX: &str = "/playground";
const PASS_HEADER: &str = "x-playground-pass";
const RUNS_LEFT: HeaderName = HeaderName::from_static("x-playground-runs-left");

const INVALID_PASS: &str = "This pass is not valid: it is used up, expired or belongs to another visitor; solve the CAPTCHA \
                            again";
const MINUTE_LIMIT: &str = "You have reached the playground's limit per minute; wait a moment, or use an API key";
const DAY_LIMIT: &str = "You have reached the playground's limit for today; come back tomorrow, or use an API key";

pub async fn run(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    if !app.playground.is_enabled() {
        return envelope::failure(SWITCHED_OFF.0, SWITCHED_OFF.1);
    }
    if !same_origin::is_own(request.headers(), &app.public_url) {
        return envelope::failure(StatusCode::FORBIDDEN, "Only the playground page of this site may make this call");
    }
    if request.method() != Method::GET {
        return envelope::method_not_allowed("The playground supports GET requests only", "GET");
    }
    let api_request = match api_request(&request) {
        Ok(request) => request,
        Err(error) => return envelope::api_failure(&error),
    };
    let token = request.headers().get(PASS_HEADER).and_then(|pass| pass.to_str().ok()).unwrap_or_default().to_owned();
    if token.is_empty() {
        return envelope::failure(StatusCode::UNAUTHORIZED, "The playground needs a pass; solve the CAPTCHA again");
    }
    let (client, now) = (client_ip(&request), app.clock.now());
    match app.playground.take_run(&token, client, now).await {
        Ok(RunOutcome::Accepted { runs_left, quota_status }) => {
            let mut response = v1::respond_without_key(app, api_request).await;
            let headers = response.headers_mut();
            envelope::make_same_origin(headers);
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, X-Playground-Pass"));
            headers.insert(RUNS_LEFT, runs_left.into());
            write_limits(&quota_status, headers);
            response
        }
        Ok(RunOutcome::QuotaExhausted(quota_status)) => {
            let fields = EventFields { client: Some(client), ..EventFields::default() };
            app.security_log.record(SecurityEventKind::PlaygroundThrottled, fields, now);
            let message = if quota_status.remaining_day == 0 { DAY_LIMIT } else { MINUTE_LIMIT };
            let mut response = envelope::rate_limited(message, quota_status.retry_after.unwrap_or(1));
            write_limits(&quota_status, response.headers_mut());
            response
        }
        Ok(RunOutcome::NoPass) => envelope::failure(StatusCode::UNAUTHORIZED, INVALID_PASS),
        Err(error) => envelope::api_failure(&error.into()),
    }
}

/// Copies only the path, the query without a key, and the accepted encodings. Rejects paths that are not documented
/// endpoints, and endpoints that need a key, before a run is used up.
fn api_request(request: &Request) -> Result<Request, ApiError> {
    let unknown = || ApiError::NotFound("Path not found; /openapi.json lists all paths".into());
    let path = request.uri().path().strip_prefix(PREFIX).ok_or_else(unknown)?;
    let (endpoint, _) = v1::route(path.strip_prefix("/v1").ok_or_else(unknown)?)?.ok_or_else(unknown)?;
    if endpoint.needs_own_key() {
        return Err(ApiError::MissingKey);
    }
    let query = Query::without_api_key(request.uri().query().unwrap_or_default());
    let mut copy = Request::get(format!("{path}?{query}"));
    if let Some(accepted) = request.headers().get(header::ACCEPT_ENCODING) {
        copy = copy.header(header::ACCEPT_ENCODING, accepted);
    }
    copy.body(Body::empty()).map_err(|_| unknown())
}

/// Writes the playground's own limits into the rate limit headers.
fn write_limits(quota_status: &QuotaStatus, headers: &mut HeaderMap) {
    headers.insert(LIMIT_MINUTE, quota_status.limits.per_minute.into());
    headers.insert(REMAINING_MINUTE, quota_status.remaining_minute.into());
    headers.insert(LIMIT_DAY, quota_status.limits.per_day.into());
    headers.insert(REMAINING_DAY, quota_status.remaining_day.into());
}
