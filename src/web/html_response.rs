//! Rendered HTML with its security headers, and redirects. Page handlers use them through [`super::page`].

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};

use super::view::View;
use crate::error::ApiError;
use crate::http::response::CachedResponse;

/// Where pages may load pictures from: us, and the origin of `media.public_url`.
pub fn picture_sources() -> String {
    format!("'self' {}", View::current().picture_origin).trim_end().to_owned()
}

/// A content security policy that allows our own origin, nothing inline, and no framing. A page may add origins for
/// scripts and styles (each after a space) and whole directives.
pub fn content_security_policy(scripts: &str, styles: &str, directives: &str) -> String {
    let pictures = picture_sources();
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src {pictures}; \
         connect-src 'self'{scripts}; {directives}form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

pub fn render(page: &impl Template) -> Result<String, ApiError> {
    page.render().map_err(|error| ApiError::Internal(error.to_string()))
}

/// A page that is the same for everyone with this language and theme.
pub fn public(page: &CachedResponse, headers: &HeaderMap, policy: &str) -> Response<Body> {
    let mut response =
        page.respond(headers, "text/html; charset=utf-8", "Accept-Encoding, Accept-Language, Cookie").map(Body::from);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_str(policy).expect("a policy is ASCII text");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// `303 See Other`: the browser follows with GET.
pub fn redirect(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, to);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// `308 Permanent Redirect` to the one address of a page. Search engines follow it for good; browsers ask again, because names
/// in addresses can change hands.
pub fn moved(to: &str) -> Response<Body> {
    let mut response = with_status(redirect(to), StatusCode::PERMANENT_REDIRECT);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

pub fn with_status(mut response: Response<Body>, status: StatusCode) -> Response<Body> {
    *response.status_mut() = status;
    response
}

pub fn with_retry_after(mut response: Response<Body>, seconds: i64) -> Response<Body> {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}
