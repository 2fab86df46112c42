//! What all pages have in common.

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use super::assets;
use crate::http::answer::Answer;

/// Nothing but what comes from here; nothing inline; nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The page around the content.
pub struct Frame {
    /// The door we came through.
    pub here: &'static str,
}

impl Frame {
    pub fn doors(&self) -> [(&'static str, &'static str); 1] {
        [("/docs", "Reference")]
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

/// A page as an answer; how long it may be kept is the caller's to say.
pub fn render(page: &impl Template, headers: &HeaderMap) -> Response<Body> {
    match page.render() {
        Ok(html) => {
            let mut response = Answer::new(html.into_bytes()).respond(headers, "text/html; charset=utf-8");
            dress(response.headers_mut());
            response
        }
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

pub fn dress(headers: &mut HeaderMap) {
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
}

#[derive(Template)]
#[template(path = "trouble.html")]
struct Trouble {
    frame: Frame,
    title: &'static str,
    text: &'static str,
}

/// What went wrong, in words, on a page of its own.
pub fn trouble(status: StatusCode, title: &'static str, text: &'static str, headers: &HeaderMap) -> Response<Body> {
    let mut response = render(&Trouble { frame: Frame { here: "" }, title, text }, headers);
    if response.status() == StatusCode::OK {
        *response.status_mut() = status;
    }
    response
}

/// For a path that is none of ours: a page for people, a line for programs.
pub async fn not_found(headers: HeaderMap) -> Response<Body> {
    let wants_page = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if wants_page {
        let text = "There is no page at this address. It may have moved, or there may be a slip in the address.";
        trouble(StatusCode::NOT_FOUND, "There is nothing here", text, &headers)
    } else {
        (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response()
    }
}
