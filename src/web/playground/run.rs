//! `GET /playground/v1/…` with `X-Playground-Pass`: one call of the API, made anew from the path and the query alone.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Response, StatusCode};

use super::OFF;
use crate::app::App;
use crate::error::ApiError;
use crate::http::client_ip::client;
use crate::http::query::Query;
use crate::http::{envelope, same_origin};
use crate::v1::{self, LIMIT_DAY, LIMIT_MINUTE, REMAINING_DAY, REMAINING_MINUTE};
use rollcall_model::quota::Standing;
use rollcall_store::playground_passes::Run;

/// Where the playground's doors to the API are.
const BELOW: &str = "/playground";
const PASS: &str = "x-playground-pass";
const RUNS_LEFT: HeaderName = HeaderName::from_static("x-playground-runs-left");

const NO_PASS: &str = "This pass is not good (any more): it was used up, has expired or is another visitor's; solve the \
                       check again";
const FULL_MINUTE: &str = "The playground lets each visitor make a few calls a minute; wait a moment, or use a key";
const FULL_DAY: &str = "The playground's calls for today are used up; come back tomorrow, or use a key";

pub async fn respond(State(app): State<Arc<App>>, request: Request) -> Response<Body> {
    if !app.playground.is_open() {
        return envelope::failure(OFF.0, OFF.1);
    }
    if !same_origin::is_own(request.headers(), &app.public_url) {
        return envelope::failure(StatusCode::FORBIDDEN, "Only the playground of this site may call from a browser");
    }
    if request.method() != Method::GET {
        return envelope::wrong_method("The playground makes GET requests only", "GET");
    }
    let fresh = match fresh(&request) {
        Ok(fresh) => fresh,
        Err(error) => return envelope::api_failure(&error),
    };
    let token = request.headers().get(PASS).and_then(|pass| pass.to_str().ok()).unwrap_or_default().to_owned();
    if token.is_empty() {
        return envelope::failure(StatusCode::UNAUTHORIZED, "The playground needs a pass; solve the check again");
    }
    let (client, now) = (client(&request), app.clock.now());
    match app.playground.take(&token, client, now).await {
        Ok(Run::Taken { runs_left, standing }) => {
            let mut response = v1::respond_without_key(app, fresh).await;
            let headers = response.headers_mut();
            envelope::close_to_others(headers);
            headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding, X-Playground-Pass"));
            headers.insert(RUNS_LEFT, runs_left.into());
            tell(&standing, headers);
            response
        }
        Ok(Run::Full(standing)) => {
            let message = if standing.remaining_day == 0 { FULL_DAY } else { FULL_MINUTE };
            let mut response = envelope::too_many(message, standing.retry_after.unwrap_or(1));
            tell(&standing, response.headers_mut());
            response
        }
        Ok(Run::NoPass) => envelope::failure(StatusCode::UNAUTHORIZED, NO_PASS),
        Err(error) => envelope::api_failure(&error.into()),
    }
}

/// Of the visitor's request only the path, the query without a key, and which encodings it reads. Nothing but a documented
/// endpoint is let through, before anything is used up.
fn fresh(request: &Request) -> Result<Request, ApiError> {
    let unknown = || ApiError::NotFound("There is no such path; /openapi.json lists them all".into());
    let path = request.uri().path().strip_prefix(BELOW).ok_or_else(unknown)?;
    v1::route(path.strip_prefix("/v1").ok_or_else(unknown)?)?.ok_or_else(unknown)?;
    let query = Query::without_api_key(request.uri().query().unwrap_or_default());
    let mut fresh = Request::get(format!("{path}?{query}"));
    if let Some(accepted) = request.headers().get(header::ACCEPT_ENCODING) {
        fresh = fresh.header(header::ACCEPT_ENCODING, accepted);
    }
    fresh.body(Body::empty()).map_err(|_| unknown())
}

/// The playground's own limits, as they are.
fn tell(standing: &Standing, headers: &mut HeaderMap) {
    headers.insert(LIMIT_MINUTE, standing.limits.per_minute.into());
    headers.insert(REMAINING_MINUTE, standing.remaining_minute.into());
    headers.insert(LIMIT_DAY, standing.limits.per_day.into());
    headers.insert(REMAINING_DAY, standing.remaining_day.into());
}
