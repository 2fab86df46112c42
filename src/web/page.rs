//! Responses that pages are made of: rendered HTML with its security headers, redirects, and form routes.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::handler::Handler;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Response, StatusCode, Uri};
use axum::response::IntoResponse;
use axum::routing::MethodRouter;

use super::error_page::error_page;
use super::view::View;
use crate::app::App;
use crate::error::ApiError;
use crate::http::response::CachedResponse;
use rollcall_store::Conn;

pub const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// The result of a page handler.
pub type PageResult = Result<Response<Body>, PageRejection>;

/// A response that ends a handler early: an error page or a redirect.
pub struct PageRejection(Box<Response<Body>>);

impl IntoResponse for PageRejection {
    fn into_response(self) -> Response<Body> {
        *self.0
    }
}

impl From<Response<Body>> for PageRejection {
    fn from(response: Response<Body>) -> Self {
        Self(Box::new(response))
    }
}

impl From<ApiError> for PageRejection {
    fn from(error: ApiError) -> Self {
        error_page(&error).into()
    }
}

impl From<rollcall_store::Error> for PageRejection {
    fn from(error: rollcall_store::Error) -> Self {
        ApiError::from(error).into()
    }
}

/// Sources from which pages may load pictures: us, and the origin of `media.public_url`.
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

/// A public page: from the cache, else rendered. All that the page depends on is in its address, language and theme.
pub async fn cached(
    app: &App,
    headers: &HeaderMap,
    render: impl Future<Output = Result<String, ApiError>>,
) -> Response<Body> {
    cached_with_policy(app, headers, &content_security_policy("", "", ""), render).await
}

pub async fn cached_with_policy(
    app: &App,
    headers: &HeaderMap,
    policy: &str,
    render: impl Future<Output = Result<String, ApiError>>,
) -> Response<Body> {
    let view = View::current();
    let key = [view.language.code(), view.theme.code(), &view.address].concat();
    let page = app.page_cache.get(&key, render).await;
    respond_with_policy(page.as_deref(), headers, policy)
}

/// Reads the store and renders a public page, both on a store thread: neither blocks an async worker. A replica may answer.
pub async fn render_from_store(
    app: &Arc<App>,
    render: impl Fn(&App, &mut Conn) -> Result<String, ApiError> + Send + 'static,
) -> Result<String, ApiError> {
    let (view, work) = (View::current(), app.clone());
    app.pool.read_replicated(move |conn| Ok(view.clone().sync_scope(|| render(&work, conn)))).await?
}

/// [`render_from_store`] for a page of one user, who may have changed something on another node a moment ago.
pub async fn render_for_user(
    app: &Arc<App>,
    render: impl Fn(&App, &mut Conn) -> Result<String, ApiError> + Send + 'static,
) -> Result<String, ApiError> {
    let (view, work) = (View::current(), app.clone());
    app.pool.read(move |conn| Ok(view.clone().sync_scope(|| render(&work, conn)))).await?
}

/// A public page or an error page.
pub fn respond(page: Result<&CachedResponse, &ApiError>, headers: &HeaderMap) -> Response<Body> {
    respond_with_policy(page, headers, &content_security_policy("", "", ""))
}

pub fn respond_with_policy(
    page: Result<&CachedResponse, &ApiError>,
    headers: &HeaderMap,
    policy: &str,
) -> Response<Body> {
    let page = match page {
        Ok(page) => page,
        Err(error) => return error_page(error),
    };
    let mut response =
        page.respond(headers, "text/html; charset=utf-8", "Accept-Encoding, Accept-Language, Cookie").map(Body::from);
    let headers = response.headers_mut();
    let policy = HeaderValue::from_str(policy).expect("a policy is ASCII text");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// A page for one user: it is never cached and shares nothing with other sites. The referrer policy must allow the own
/// origin, or browsers would send no `Origin` with its forms.
pub fn private(page: &impl Template) -> Response<Body> {
    match render(page) {
        Ok(html) => private_html(html),
        Err(error) => error_page(&error),
    }
}

/// [`private`] for a page that is rendered already.
pub fn private_html(html: String) -> Response<Body> {
    let mut response = Response::new(Body::from(html));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    // The proof of work runs in a web worker.
    let policy = content_security_policy("", "", "worker-src 'self'; ");
    let policy = HeaderValue::from_str(&policy).expect("a policy is ASCII text");
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(RESOURCE_POLICY, HeaderValue::from_static("same-origin"));
    headers.insert(OPENER_POLICY, HeaderValue::from_static("same-origin"));
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

/// A route that takes a form. GET (a reload, a bookmark) redirects to the page with the form.
pub fn form_route<H, T>(handler: H) -> MethodRouter<Arc<App>>
where
    H: Handler<T, Arc<App>>,
    T: 'static,
{
    axum::routing::post(handler).get(|uri: Uri| async move { redirect(&page_with_form(uri.path())) })
}

/// `/dashboard/keys/a1/rename` → `/dashboard/keys/a1/settings`; `/operator/keys/a1/disable` → `/operator/keys/a1`.
pub fn page_with_form(path: &str) -> Cow<'_, str> {
    let first_segments =
        |count: usize| Cow::from(path.match_indices('/').nth(count).map_or(path, |(end, _)| &path[..end]));
    match path.split('/').nth(1) {
        Some("dashboard") if path.starts_with("/dashboard/keys/") => {
            let tab = match path.split('/').nth(4) {
                Some("rotate" | "end-old" | "restrict") => "security",
                _ => "settings",
            };
            format!("{}/{tab}", first_segments(3)).into()
        }
        Some("dashboard") if path.starts_with("/dashboard/account/") || path.starts_with("/dashboard/player/") => {
            first_segments(2)
        }
        Some("dashboard") if path.starts_with("/dashboard/servers/") => {
            let tab = match path.split('/').nth(4) {
                Some("votes") => "/votes",
                Some("claim") => "/claim",
                Some("settings") => "/settings",
                Some("posts") => "/posts",
                Some("reviews") => "/reviews",
                _ => "",
            };
            format!("{}{tab}", first_segments(3)).into()
        }
        Some("dashboard") if path.starts_with("/dashboard/webhooks/") => {
            let tab = match path.split('/').nth(4) {
                Some("deliveries" | "test" | "replay") => "",
                _ => "/settings",
            };
            format!("{}{tab}", first_segments(3)).into()
        }
        Some("dashboard") if path == "/dashboard/webhooks" => path.into(),
        Some("dashboard")
            if path.starts_with("/dashboard/contributions/") || path.starts_with("/dashboard/favorites/") =>
        {
            first_segments(2)
        }
        Some("moderation") => "/moderation".into(),
        Some("servers") => first_segments(3),
        Some("skins" | "capes") => first_segments(2),
        Some("operator") => match path.split('/').nth(2) {
            Some("limit-requests" | "invitations") => first_segments(2),
            _ => first_segments(3),
        },
        _ => "/dashboard".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn get_on_a_form_route_leads_to_its_page() {
        for (path, page) in [
            ("/dashboard/keys", "/dashboard"),
            ("/dashboard/keys/a1/rename", "/dashboard/keys/a1/settings"),
            ("/dashboard/keys/a1/rotate", "/dashboard/keys/a1/security"),
            ("/dashboard/account/sign-ins/a1/end", "/dashboard/account"),
            ("/dashboard/account/password", "/dashboard/account"),
            ("/operator/limit-requests/a1", "/operator/limit-requests"),
            ("/operator/invitations/a1/revoke", "/operator/invitations"),
            ("/operator/keys/a1/disable", "/operator/keys/a1"),
            ("/operator/accounts/a1/disable", "/operator/accounts/a1"),
            ("/sign-out", "/dashboard"),
            ("/dashboard/contributions/a1/appeal", "/dashboard/contributions"),
            ("/dashboard/servers/a1/posts/b2/delete", "/dashboard/servers/a1/posts"),
            ("/dashboard/webhooks", "/dashboard/webhooks"),
            ("/dashboard/webhooks/a1/test", "/dashboard/webhooks/a1"),
            ("/dashboard/webhooks/a1/deliveries/7/resend", "/dashboard/webhooks/a1"),
            ("/dashboard/webhooks/a1/rotate", "/dashboard/webhooks/a1/settings"),
            ("/moderation/a1/decide", "/moderation"),
            ("/servers/a1/review/delete", "/servers/a1/review"),
            ("/skins/a1/like", "/skins/a1"),
            ("/dashboard/favorites/a1/rename", "/dashboard/favorites"),
        ] {
            assert_eq!(page_with_form(path), page, "{path}");
        }
    }

    #[test]
    fn a_public_page_answers_500_for_our_faults_and_503_while_overloaded() {
        for (error, status) in [
            (ApiError::Internal("no such table".into()), 500),
            (ApiError::Busy, 503),
            (ApiError::Unavailable, 503),
            (ApiError::RequestTimeout, 503),
        ] {
            let response = respond(Err(&error), &HeaderMap::new());
            assert_eq!(response.status(), status, "{error:?}");
            assert_eq!(response.headers().contains_key(header::RETRY_AFTER), status == 503, "{error:?}");
        }
    }
}
