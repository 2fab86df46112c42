//! What all pages have in common.

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use super::assets;
use crate::http::answer::Answer;
use crate::v1::ApiError;

/// Nothing but what comes from here; nothing inline; nobody may frame it. A page may need more: whose scripts and styles
/// (each origin after a space), and directives of its own.
pub fn policy(scripts: &str, styles: &str, more: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src 'self'; \
         connect-src 'self'{scripts}; {more}form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

/// The page around the content.
pub struct Frame {
    /// The door we came through.
    pub here: &'static str,
}

impl Frame {
    pub fn doors(&self) -> [(&'static str, &'static str); 2] {
        [("/docs", "Reference"), ("/playground", "Playground")]
    }

    pub fn style(&self) -> &'static str {
        assets::STYLE
    }

    pub fn script(&self) -> &'static str {
        assets::MAIN
    }

    pub fn mark(&self) -> &'static str {
        assets::MARK
    }
}

pub fn render(page: &impl Template) -> Result<String, ApiError> {
    page.render().map_err(|error| ApiError::Internal(error.to_string()))
}

/// A page as an answer, or what went wrong in words.
pub fn respond(page: Result<&Answer, &ApiError>, headers: &HeaderMap) -> Response<Body> {
    respond_allowing(page, headers, &policy("", "", ""))
}

/// The same under a policy of the page's own.
pub fn respond_allowing(page: Result<&Answer, &ApiError>, headers: &HeaderMap, policy: &str) -> Response<Body> {
    match page {
        Ok(page) => {
            let mut response = page.respond(headers, "text/html; charset=utf-8");
            let headers = response.headers_mut();
            let policy = HeaderValue::from_str(policy).expect("a policy is plain text");
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
            response
        }
        Err(error) => {
            tracing::debug!(?error, "a page could not be made");
            let text = "The service cannot reach its data right now. Try again in a moment.";
            trouble(StatusCode::SERVICE_UNAVAILABLE, "Back in a moment", text)
        }
    }
}

#[derive(Template)]
#[template(path = "trouble.html")]
struct Trouble {
    frame: Frame,
    title: &'static str,
    text: &'static str,
}

/// What went wrong, in words, on a page of its own.
pub fn trouble(status: StatusCode, title: &'static str, text: &'static str) -> Response<Body> {
    match render(&Trouble { frame: Frame { here: "" }, title, text }) {
        Ok(html) => {
            // Nothing is "not modified" about trouble.
            let mut response = respond(Ok(&Answer::new(html.into_bytes())), &HeaderMap::new());
            *response.status_mut() = status;
            response
        }
        Err(_) => (status, text).into_response(),
    }
}

/// For a path that is none of ours: a page for people, a line for programs.
pub async fn not_found(headers: HeaderMap) -> Response<Body> {
    let wants_page = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if wants_page {
        let text = "There is no page at this address. It may have moved, or there may be a slip in the address.";
        trouble(StatusCode::NOT_FOUND, "There is nothing here", text)
    } else {
        (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response()
    }
}
