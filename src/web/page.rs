//! What all pages have in common.

use askama::Template;
use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse;

use super::assets;
use crate::http::answer::Answer;
use crate::v1::ApiError;

/// Nothing but what comes from here; nothing inline; nobody may frame it.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The page around the content.
pub struct Frame {
    /// The door we came through.
    pub here: &'static str,
}

impl Frame {
    pub fn doors(&self) -> [(&'static str, &'static str); 2] {
        [("/docs", "Reference"), ("/dashboard", "Dashboard")]
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
    match page {
        Ok(page) => {
            let mut response = page.respond(headers, "text/html; charset=utf-8");
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
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

/// A page that is somebody's: nobody keeps it, and nothing of it reaches another site. A form in it says where it comes
/// from only if the page may say so itself.
pub fn private(page: &impl Template) -> Response<Body> {
    match render(page) {
        Ok(html) => {
            let mut response = Response::new(Body::from(html));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
            headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
            headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
            response
        }
        Err(error) => failed(&error),
    }
}

/// To another page of ours, to be looked at with GET.
pub fn go(to: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let to = HeaderValue::from_str(to).unwrap_or(HeaderValue::from_static("/"));
    response.headers_mut().insert(header::LOCATION, to);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// An answer that ends a handler early.
pub struct Told(Box<Response<Body>>);

/// What a handler comes to.
pub type Outcome = Result<Response<Body>, Told>;

impl IntoResponse for Told {
    fn into_response(self) -> Response<Body> {
        *self.0
    }
}

impl From<Response<Body>> for Told {
    fn from(response: Response<Body>) -> Self {
        Self(Box::new(response))
    }
}

impl From<ApiError> for Told {
    fn from(error: ApiError) -> Self {
        failed(&error).into()
    }
}

impl From<crate::store::Error> for Told {
    fn from(error: crate::store::Error) -> Self {
        ApiError::from(error).into()
    }
}

/// What went wrong on our side.
fn failed(error: &ApiError) -> Response<Body> {
    match error {
        ApiError::Busy | ApiError::Unavailable => {
            let text = "The service cannot reach its data right now. Try again in a moment.";
            trouble(StatusCode::SERVICE_UNAVAILABLE, "Back in a moment", text)
        }
        error => {
            tracing::error!(?error, "a page failed");
            let text = "Something went wrong on our side, and the log says what. Try again later.";
            trouble(StatusCode::INTERNAL_SERVER_ERROR, "That went wrong", text)
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

pub fn nothing_here() -> Response<Body> {
    let text = "There is no page at this address. It may have moved, or there may be a slip in the address.";
    trouble(StatusCode::NOT_FOUND, "There is nothing here", text)
}

/// For a path that is none of ours: a page for people, a line for programs.
pub async fn not_found(headers: HeaderMap) -> Response<Body> {
    let wants_page = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if wants_page { nothing_here() } else { (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response() }
}
