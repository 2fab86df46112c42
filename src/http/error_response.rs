//! An [`ApiError`] as the JSON envelope of the API.

use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderValue};

use super::request_id::RequestId;
use crate::error::ApiError;

const EXPOSED: &str = "X-RateLimit-Limit-Minute, X-RateLimit-Remaining-Minute, X-RateLimit-Limit-Day, \
                       X-RateLimit-Remaining-Day, X-RateLimit-Limit-Month, X-RateLimit-Remaining-Month, \
                       Retry-After, ETag, Link, X-Request-Id";

pub fn failure(error: &ApiError) -> Response<Body> {
    if let ApiError::Internal(cause) = error {
        tracing::error!(id = %RequestId::current(), cause, "request failed");
    }
    let mut response = Response::new(Body::from(error.body()));
    *response.status_mut() = error.status();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    allow_all_origins(headers);
    if matches!(error, ApiError::MissingKey | ApiError::InvalidKey | ApiError::ExpiredKey) {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey"));
    }
    if *error == ApiError::MethodNotAllowed {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS"));
    }
    if let Some(seconds) = error.retry_after() {
        headers.insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

/// CORS: any site may read the response.
pub fn allow_all_origins(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
}
