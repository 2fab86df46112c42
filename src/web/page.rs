//! What all pages have in common.

use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::handler::Handler;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::routing::MethodRouter;

use super::assets;
use crate::app::App;
use crate::error::ApiError;
use crate::http::request_id::RequestId;
use crate::http::response::Answer;

/// Nothing but what comes from here; nothing inline; nobody may frame it. A page may need more: whose scripts and styles
/// (each origin after a space), and directives of its own.
pub fn policy(scripts: &str, styles: &str, more: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'{scripts}; style-src 'self'{styles}; img-src 'self'; \
         connect-src 'self'{scripts}; {more}form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )
}

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The page around the content.
pub struct Frame {
    /// The door we came through.
    pub here: &'static str,
}

impl Frame {
    pub fn doors(&self) -> [(&'static str, &'static str); 3] {
        [("/docs", "Reference"), ("/playground", "Playground"), ("/dashboard", "Dashboard")]
    }

    pub fn style(&self) -> &'static str {
        assets::STYLE
    }

    pub fn script(&self) -> &'static str {
        assets::MAIN
    }

    pub fn human(&self) -> &'static str {
        assets::HUMAN
    }

    pub fn human_worker(&self) -> &'static str {
        assets::HUMAN_WORKER
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
            let mut response = page.respond(headers, "text/html; charset=utf-8", "Accept-Encoding").map(Body::from);
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

/// A page that is somebody's: nobody keeps it, and nothing of it reaches another site. A form in it says where it comes
/// from only if the page may say so itself.
pub fn private(page: &impl Template) -> Response<Body> {
    match render(page) {
        Ok(html) => {
            let mut response = Response::new(Body::from(html));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            // A proof of work is done by a worker.
            let policy = HeaderValue::from_str(&policy("", "", "worker-src 'self'; ")).expect("plain text");
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
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

/// Where a form is sent to. Whoever looks there without sending one (a reload, a bookmark) is led to the page it was on.
pub fn form<H, T>(handler: H) -> MethodRouter<Arc<App>>
where
    H: Handler<T, Arc<App>>,
    T: 'static,
{
    axum::routing::post(handler).get(|uri: Uri| async move { go(page_of(uri.path())) })
}

/// Of `/dashboard/keys/a1/rename` the first three parts, of `/operator/wishes/a1` the first.
fn page_of(path: &str) -> &str {
    let parts = |count: usize| path.match_indices('/').nth(count).map_or(path, |(end, _)| &path[..end]);
    match path.split('/').nth(1) {
        Some("dashboard") if path.starts_with("/dashboard/keys/") => parts(3),
        Some("dashboard") if path.starts_with("/dashboard/account/") => parts(2),
        Some("operator") if !path.starts_with("/operator/wishes") && !path.starts_with("/operator/inv") => parts(2),
        Some("operator") => parts(1),
        _ => "/dashboard",
    }
}

/// Says after how many seconds to try again.
pub fn wait(mut response: Response<Body>, seconds: i64) -> Response<Body> {
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
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

impl From<rollcall_store::Error> for Told {
    fn from(error: rollcall_store::Error) -> Self {
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
            tracing::error!(id = %RequestId::current(), ?error, "a page failed");
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

/// Whether a person waits for the answer.
pub fn wants_page(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/html"))
}

/// What the edge has to say, for people.
pub fn sorry(error: &ApiError) -> Response<Body> {
    let (title, text) = match error {
        ApiError::Busy | ApiError::Unavailable | ApiError::TookTooLong => {
            ("Back in a moment", "There is more to do right now than can be done. Try again in a moment.")
        }
        ApiError::TooLong => ("That is too much", "What was sent is longer than any form here."),
        ApiError::TooSlow => {
            ("That took too long", "The form did not arrive in time. Nothing was done; send it again.")
        }
        ApiError::Crowded => {
            ("Too many at once", "Too many connections come from your address. Try again in a moment.")
        }
        ApiError::BadRequest(_) | ApiError::UriTooLong => {
            ("That cannot be read", "The address is too long, or the request is not sound.")
        }
        _ => return failed(error),
    };
    let mut response = trouble(error.status(), title, text);
    if let Some(seconds) = error.retry_after() {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static(seconds));
    }
    response
}

/// For a path that is none of ours: a page for people, a line for programs.
pub async fn not_found(headers: HeaderMap) -> Response<Body> {
    if wants_page(&headers) {
        nothing_here()
    } else {
        (StatusCode::NOT_FOUND, "There is nothing here.\n").into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::page_of;

    #[test]
    fn forms_have_pages() {
        for (path, page) in [
            ("/dashboard/keys", "/dashboard"),
            ("/dashboard/keys/a1/rename", "/dashboard/keys/a1"),
            ("/dashboard/account/sign-ins/a1/end", "/dashboard/account"),
            ("/dashboard/account/password", "/dashboard/account"),
            ("/operator/wishes/a1", "/operator"),
            ("/operator/invitations", "/operator"),
            ("/operator/keys/a1/disable", "/operator/keys"),
            ("/operator/accounts/a1/disable", "/operator/accounts"),
            ("/sign-out", "/dashboard"),
        ] {
            assert_eq!(page_of(path), page, "{path}");
        }
    }
}
