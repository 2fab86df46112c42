//! `POST /playground/pass` with `{"solution": "…"}`

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, Response, StatusCode, header};
use serde::Deserialize;
use serde_json::json;

use super::OFF;
use crate::app::App;
use crate::captcha::TOO_MANY;
use crate::http::client_ip::client;
use crate::http::{envelope, same_origin};
use crate::limits::bucket;
use crate::playground::{Issued, Refusal};
use rollcall_model::time;

/// A solution in its wrapping.
const LONGEST: usize = 16 * 1024;

#[derive(Deserialize)]
struct Solved {
    solution: String,
}

pub async fn respond(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    let (now, client) = (app.clock.now(), client(&request));
    if !app.playground.is_open() {
        return envelope::failure(OFF.0, OFF.1);
    }
    if request.method() != Method::POST {
        return envelope::wrong_method("A solution is sent by POST", "POST");
    }
    if !same_origin::is_own(request.headers(), &app.public_url) {
        return envelope::failure(StatusCode::FORBIDDEN, "Only the playground of this site may ask for a pass");
    }
    // Another site's page cannot send this type without asking first.
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    if kind.split(';').next().unwrap_or_default().trim() != "application/json" {
        return envelope::failure(StatusCode::UNSUPPORTED_MEDIA_TYPE, "A solution is sent as application/json");
    }
    if let Some(seconds) = app.human.attempt(bucket(client), now) {
        return envelope::too_many(TOO_MANY, seconds);
    }
    // It is there: the edge waits for bodies, and not for long.
    let Ok(body) = to_bytes(request.into_body(), LONGEST).await else {
        return envelope::failure(StatusCode::PAYLOAD_TOO_LARGE, "A solution must not exceed 16 KiB");
    };
    let Ok(Solved { solution }) = serde_json::from_slice(&body) else {
        return envelope::failure(StatusCode::BAD_REQUEST, "A solution is sent as {\"solution\": \"…\"}");
    };
    match app.playground.issue(&app.human, &solution, client, now).await {
        Ok(Issued { token, runs, expires_at }) => {
            envelope::success(json!({"pass": token, "runs": runs, "expiresAt": time::iso(expires_at)}))
        }
        Err(Refusal::Human(refused)) => envelope::failure(refused.status(), refused.message()),
        Err(Refusal::Store(error)) => envelope::api_failure(&error),
    }
}
