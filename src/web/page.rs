//! Responses of page handlers: public and private pages, or the page of an error.

use std::future::Future;
use std::sync::Arc;

use askama::Template;
use axum::body::Body;
use axum::http::Response;
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::response::IntoResponse;

use super::error_page::error_page;
use super::html_response;
use super::view::View;
use crate::app::App;
use crate::error::ApiError;
use crate::http::response::CachedResponse;
use rollcall_store::Conn;

pub use super::html_response::{
    content_security_policy, picture_sources, redirect, render, with_retry_after, with_status,
};

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
fn respond_with_policy(page: Result<&CachedResponse, &ApiError>, headers: &HeaderMap, policy: &str) -> Response<Body> {
    match page {
        Ok(page) => html_response::public(page, headers, policy),
        Err(error) => error_page(error),
    }
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

/// Whether an address is a path of this site. Browsers take `//host` and `/\host` for another one.
pub fn is_own_path(address: &str) -> bool {
    address.strip_prefix('/').is_some_and(|rest| !rest.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_page_answers_500_for_our_faults_and_503_while_overloaded() {
        for (error, status) in [
            (ApiError::Internal("no such table".into()), 500),
            (ApiError::Busy, 503),
            (ApiError::Unavailable, 503),
            (ApiError::RequestTimeout, 503),
        ] {
            let response = respond_with_policy(Err(&error), &HeaderMap::new(), "");
            assert_eq!(response.status(), status, "{error:?}");
            assert_eq!(response.headers().contains_key(header::RETRY_AFTER), status == 503, "{error:?}");
        }
    }
}
