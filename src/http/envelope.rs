//! `{"success":…}` for our own pages: unlike the API's answers, no other site may read them and nobody keeps them.

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};

use super::request_id::RequestId;
use crate::error::ApiError;

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

pub fn success(data: Value) -> Response<Body> {
    answer(StatusCode::OK, &json!({"success": true, "data": data}))
}

pub fn failure(status: StatusCode, message: &str) -> Response<Body> {
    let mut response = answer(status, &json!({"success": false, "error": message}));
    if status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    response
}

/// After too many attempts; `seconds` until the next.
pub fn too_many(message: &str, seconds: i64) -> Response<Body> {
    let mut response = failure(StatusCode::TOO_MANY_REQUESTS, message);
    response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    response
}

pub fn wrong_method(message: &str, allowed: &'static str) -> Response<Body> {
    let mut response = failure(StatusCode::METHOD_NOT_ALLOWED, message);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An error of the API or the store, to our own page.
pub fn api_failure(error: &ApiError) -> Response<Body> {
    if let ApiError::Internal(cause) = error {
        tracing::error!(id = %RequestId::current(), cause, "a request failed");
    }
    failure(error.status(), error.message())
}

/// Takes back what the API allows to every site.
pub fn close_to_others(headers: &mut HeaderMap) {
    headers.remove(header::ACCESS_CONTROL_ALLOW_ORIGIN);
    headers.remove(header::ACCESS_CONTROL_EXPOSE_HEADERS);
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
}

fn answer(status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    close_to_others(headers);
    response
}
