//! `{"success":…}` for the scripts of our own pages. Unlike API responses, these are same-origin and never cached.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use serde::Serialize;

use super::request_id::RequestId;
use crate::error::ApiError;

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

#[derive(Serialize)]
struct Success<T> {
    success: bool,
    data: T,
}

#[derive(Serialize)]
struct Failure<'a> {
    success: bool,
    error: &'a str,
}

pub fn success(data: impl Serialize) -> Response<Body> {
    json_response(StatusCode::OK, &Success { success: true, data })
}

pub fn failure(status: StatusCode, message: &str) -> Response<Body> {
    let mut response = json_response(status, &Failure { success: false, error: message });
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// A 429; `seconds` until the next attempt.
pub fn rate_limited(message: &str, seconds: i64) -> Response<Body> {
    let mut response = failure(StatusCode::TOO_MANY_REQUESTS, message);
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}

pub fn method_not_allowed(message: &str, allowed: &'static str) -> Response<Body> {
    let mut response = failure(StatusCode::METHOD_NOT_ALLOWED, message);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An error of the API or the store, for the script of our own page.
pub fn api_failure(error: &ApiError) -> Response<Body> {
    if let ApiError::Internal(cause) = error {
        tracing::error!(id = %RequestId::current(), cause, "request failed");
    }
    let mut response = failure(error.status(), error.message());
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

/// Removes the CORS headers of the API: only our own pages may read the response.
pub fn make_same_origin(headers: &mut HeaderMap) {
    headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
}

fn json_response(status: StatusCode, body: &impl Serialize) -> Response<Body> {
    let mut response = Response::new(Body::from(serde_json::to_vec(body).expect("text and numbers serialize")));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    make_same_origin(headers);
    response
}
