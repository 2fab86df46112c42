//! `POST /playground/pass` with `{"solution": "…"}`: exchanges a CAPTCHA solution for a pass.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, Response, StatusCode, header};
use serde::Deserialize;
use serde_json::json;

use super::SWITCHED_OFF;
use crate::app::App;
use crate::captcha::TOO_MANY_ATTEMPTS;
use crate::error::ApiError;
use crate::http::client_ip::client_ip;
use crate::http::{envelope, same_origin};
use crate::limits::bucket;
use crate::playground::{IssuedPass, PassError};
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_model::time;

const MAX_BODY_BYTES: usize = 16 * 1024;

#[derive(Deserialize)]
struct PassRequest {
    solution: String,
}

pub async fn issue(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (now, client) = (app.clock.now(), client_ip(&request));
    if !app.playground.is_enabled() {
        return envelope::failure(SWITCHED_OFF.0, SWITCHED_OFF.1);
    }
    if request.method() != Method::POST {
        return envelope::method_not_allowed("Send the solution with POST", "POST");
    }
    if !same_origin::is_own(request.headers(), &app.public_url) {
        return envelope::failure(StatusCode::FORBIDDEN, "Only the playground page of this site may request a pass");
    }
    // Other sites cannot send this type without a CORS preflight.
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim() != "application/json" {
        return envelope::failure(StatusCode::UNSUPPORTED_MEDIA_TYPE, "Send the solution as application/json");
    }
    let event = EventFields { client: Some(client), ..EventFields::default() };
    if let Some(seconds) = app.captcha.count_attempt(bucket(client), now) {
        app.security_log.record(SecurityEventKind::CaptchaThrottled, event, now);
        return envelope::rate_limited(TOO_MANY_ATTEMPTS, seconds);
    }
    let (parts, body) = request.into_parts();
    let body = match app.body_reader.read(body, MAX_BODY_BYTES, &parts.extensions).await {
        Ok(body) => body,
        Err(ApiError::BodyTooLarge) => {
            return envelope::failure(StatusCode::PAYLOAD_TOO_LARGE, "The solution must not exceed 16 KiB");
        }
        Err(error) => return envelope::api_failure(&error),
    };
    let Ok(PassRequest { solution }) = serde_json::from_slice(&body) else {
        return envelope::failure(StatusCode::BAD_REQUEST, "The body must be {\"solution\": \"…\"}");
    };
    match app.playground.issue_pass(&app.captcha, &solution, client, now).await {
        Ok(IssuedPass { token, runs, expires_at }) => {
            envelope::success(json!({"pass": token, "runs": runs, "expiresAt": time::iso(expires_at)}))
        }
        Err(PassError::Captcha(error)) => {
            app.security_log.record(SecurityEventKind::CaptchaFailed, event, now);
            envelope::failure(error.status(), error.message())
        }
        Err(PassError::Store(error)) => envelope::api_failure(&error),
    }
}
