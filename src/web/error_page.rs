//! Error pages for people. Programs get the JSON envelope or a line of text instead.

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use super::html_response::{self, content_security_policy};
use super::layout::Layout;
use crate::error::ApiError;
use crate::http::request_id::RequestId;
use crate::http::response::CachedResponse;
use crate::web::filters;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    layout: Layout,
    title: &'static str,
    text: &'static str,
}

/// An error page with this status.
pub fn with_message(status: StatusCode, title: &'static str, text: &'static str) -> Response<Body> {
    match html_response::render(&ErrorPage { layout: Layout::new(""), title, text }) {
        Ok(html) => {
            // Without request headers: an error page is never answered with 304.
            let page = CachedResponse::new(html.into_bytes());
            let response = html_response::public(&page, &HeaderMap::new(), &content_security_policy("", "", ""));
            html_response::with_status(response, status)
        }
        Err(_) => (status, text).into_response(),
    }
}

/// The error page for an [`ApiError`]. Causes are logged and not shown.
pub fn error_page(error: &ApiError) -> Response<Body> {
    let (title, text) = match error {
        ApiError::Busy | ApiError::RequestTimeout => {
            ("Service overloaded", "The service is handling too many requests. Try again in a moment.")
        }
        ApiError::Unavailable => {
            ("Service unavailable", "The service cannot reach its database right now. Try again in a moment.")
        }
        ApiError::PicturesUnavailable => (
            "Service unavailable",
            "Pictures cannot be loaded or stored right now. Nothing was changed; try again in a moment.",
        ),
        ApiError::BodyTooLarge => ("Form too large", "The submitted data exceeds the size limit. Nothing was changed."),
        ApiError::BodyTimeout => {
            ("Request timed out", "The form did not arrive in time. Nothing was changed; send it again.")
        }
        ApiError::TooManyConnections => {
            ("Too many connections", "Too many connections come from your IP address. Try again in a moment.")
        }
        ApiError::WrongHost => {
            ("Wrong host", "This site is not served at this address. Operators list its hosts in http.allowed_hosts.")
        }
        ApiError::NotFound(_) => return not_found(),
        ApiError::Moved(to) => return html_response::moved(to),
        ApiError::BadRequest(_) | ApiError::UriTooLong => {
            ("Bad request", "The address is too long or the request is malformed.")
        }
        error => {
            tracing::error!(id = %RequestId::current(), ?error, "cannot render a page");
            let text = "An unexpected error occurred on our side and was logged. Try again later.";
            return with_message(StatusCode::INTERNAL_SERVER_ERROR, "Internal server error", text);
        }
    };
    let mut response = with_message(error.status(), title, text);
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

pub fn not_found() -> Response<Body> {
    let text = "There is no page at this address. It may have moved, or the address may have a typo.";
    with_message(StatusCode::NOT_FOUND, "Page not found", text)
}

/// The fallback route: a page for people, a line for programs.
pub async fn fallback(headers: HeaderMap) -> Response<Body> {
    if accepts_html(&headers) { not_found() } else { (StatusCode::NOT_FOUND, "Not found.\n").into_response() }
}

/// Whether the client is a browser that shows a page.
pub fn accepts_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}
