//! Routes every request and applies the common steps: request id, concurrency limit, timeout, panic handling,
//! common headers, request log.

use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::http::header::{self, HeaderValue};
use axum::http::{Request, Response, Version};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::Either;
use hyper::body::Incoming;
use tower::ServiceExt;
use tower::util::MapRequestLayer;

use super::health::HEALTH;
use super::reports::{self, ReportRoute};
use super::request_context::{RequestContext, log_request};
use super::{request_check, routes};
use crate::app::App;
use crate::config::{Http, Roles};
use crate::error::ApiError;
use crate::http::allowed_hosts::AllowedHosts;
use crate::http::client_ip::ClientIp;
use crate::http::common_headers::Hsts;
use crate::http::response_body::ResponseBody;
use crate::http::route_label::{RouteLabel, RouteNote};
use crate::http::{Handler, envelope, error_response};
use crate::limits::{ConcurrencyLimit, PausablePermit, Permit};
use crate::v1;
use crate::web::{self, View};

struct RequestLimits {
    concurrency: Arc<ConcurrencyLimit>,
    timeout: Duration,
}

impl RequestLimits {
    fn new(limits: &Http) -> Self {
        Self::with(limits.max_requests, Duration::from_secs(limits.request_timeout))
    }

    fn with(max_requests: usize, timeout: Duration) -> Self {
        Self { concurrency: Arc::new(ConcurrencyLimit::new(max_requests)), timeout }
    }
}

pub struct Router {
    /// `None` for a listener that has only health checks or metrics.
    app: Option<Arc<App>>,
    /// Whether `/v1` and the endpoints for reports are served. They get most requests and go around `others`.
    serves_api: bool,
    others: axum::Router,
    limits: RequestLimits,
    hosts: AllowedHosts,
    hsts: Hsts,
}

impl Router {
    /// `is_https`: clients use HTTPS, to us or to a proxy in front of us.
    pub fn new(app: Arc<App>, roles: Roles, limits: &Http, is_https: bool) -> Arc<Self> {
        let others = routes::others(&app, roles);
        let hosts = AllowedHosts::new(&app.public_url, &limits.allowed_hosts);
        let hsts = hsts(limits, is_https);
        Arc::new(Self {
            app: Some(app),
            serves_api: roles.api,
            others,
            limits: RequestLimits::new(limits),
            hosts,
            hsts,
        })
    }

    /// Any other routes behind the same limits, over plain HTTP.
    pub fn without_api(others: axum::Router, limits: &Http, public_url: &str) -> Arc<Self> {
        let hosts = AllowedHosts::new(public_url, &limits.allowed_hosts);
        let others = others.route_layer(MapRequestLayer::new(RouteNote::write));
        let limits = RequestLimits::new(limits);
        Arc::new(Self { app: None, serves_api: false, others, limits, hosts, hsts: Hsts::Off })
    }

    /// Cached responses are returned without a boxed future: those of the slower paths are large.
    pub fn respond<'a, B>(
        &'a self,
        request: Request<B>,
        client: ClientIp,
    ) -> impl Future<Output = Response<ResponseBody>> + use<'a, B>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let context = RequestContext::new(&request, client, self.hsts);
        if let Some((endpoint, mut response)) = self.respond_from_cache(&request, &context) {
            self.announce_stop(request.version(), &mut response);
            let response = response.map(ResponseBody::Bytes);
            log_request(&request, &context, &response, || RouteLabel::Api(endpoint));
            return Either::Left(ready(response));
        }
        let (head, body) = request.into_parts();
        let request = Request::from_parts(head, ());
        Either::Right(match self.report_route(request.uri().path()) {
            Some((app, route)) => {
                Either::Left(Box::pin(self.respond_report(app, route, request, Body::new(body), context)))
            }
            None => Either::Right(Box::pin(self.respond_slowly(request, body, context))),
        })
    }

    fn report_route(&self, path: &str) -> Option<(&App, ReportRoute)> {
        let app = self.app.as_deref().filter(|_| self.serves_api)?;
        Some((app, reports::route(path)?))
    }

    fn respond_from_cache<B>(
        &self,
        request: &Request<B>,
        context: &RequestContext,
    ) -> Option<(&'static str, Response<Bytes>)> {
        let app = self.app.as_ref().filter(|_| self.serves_api && is_api(request.uri().path()))?;
        if request_check::check(request, &self.hosts).is_err() || !self.limits.concurrency.has_room() {
            return None;
        }
        // A panic here happens again on the slow path, which logs and answers it.
        catch_unwind(AssertUnwindSafe(|| v1::respond_from_cache(app, request, &context.common_headers))).ok()?
    }

    async fn respond_slowly<B>(&self, request: Request<()>, body: B, context: RequestContext) -> Response<ResponseBody>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        match &self.app {
            Some(app) if is_api(request.uri().path()) => {
                let response = self.respond_api(app, &request, &context).await;
                self.finish(response, &request, &context, || v1::route_label(request.uri().path()))
            }
            _ => {
                let note = RouteNote::default();
                let response = self.respond_page(&request, body, &context, &note).await;
                self.finish(response, &request, &context, || note.read())
            }
        }
    }

    /// Thousands of reports may come a second: their requests are not copied, and only an error page needs a view.
    async fn respond_report(
        &self,
        app: &App,
        route: ReportRoute,
        mut request: Request<()>,
        body: Body,
        context: RequestContext,
    ) -> Response<ResponseBody> {
        request.extensions_mut().insert(context.client);
        let outcome = match request_check::check(&request, &self.hosts).and_then(|()| self.admit(&mut request)) {
            Ok(_permit) => {
                let work = self.with_timeout(reports::respond(app, route.format, &request, body));
                context.common_headers.id.scope(work).await
            }
            Err(error) => Err(error),
        };
        let response = outcome.unwrap_or_else(|error| self.view(&request).sync_scope(|| failure(&request, &error)));
        self.finish(response, &request, &context, || RouteLabel::Report(route.path))
    }

    /// The steps that are common to all responses but cached ones. `route` is called only if a log or metric wants it.
    fn finish(
        &self,
        mut response: Response<Body>,
        request: &Request<()>,
        context: &RequestContext,
        route: impl FnOnce() -> RouteLabel,
    ) -> Response<ResponseBody> {
        context.common_headers.write(response.headers_mut());
        self.announce_stop(request.version(), &mut response);
        log_request(request, context, &response, route);
        response.map(ResponseBody::Body)
    }

    /// Before the service stops, each response ends its connection, so that a load balancer does not send a request over a
    /// connection that is being closed. HTTP/2 has GOAWAY for that.
    fn announce_stop<B>(&self, version: Version, response: &mut Response<B>) {
        if version < Version::HTTP_2 && self.app.as_ref().is_some_and(|app| app.is_stopping()) {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
    }

    /// No endpoint of the API takes a body.
    async fn respond_api(&self, app: &Arc<App>, request: &Request<()>, context: &RequestContext) -> Response<Body> {
        let outcome = match request_check::check(request, &self.hosts) {
            Ok(()) if !self.serves_api => Err(ApiError::NotFound("This node does not serve the API".into())),
            Ok(()) => context.common_headers.id.scope(self.call_api(app, request, context.client)).await,
            Err(error) => Err(error),
        };
        outcome.unwrap_or_else(|error| failure(request, &error))
    }

    async fn respond_page<B>(
        &self,
        request: &Request<()>,
        body: B,
        context: &RequestContext,
        note: &RouteNote,
    ) -> Response<Body>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let view = self.view(request);
        let outcome = match request_check::check(request, &self.hosts) {
            Ok(()) => {
                let mut request = request.clone().map(|()| Body::new(body));
                request.extensions_mut().insert(context.client);
                request.extensions_mut().insert(note.clone());
                context.common_headers.id.scope(view.clone().scope(self.call_route(request))).await
            }
            Err(error) => Err(error),
        };
        let mut response = outcome.unwrap_or_else(|error| view.clone().sync_scope(|| failure(request, &error)));
        view.remember(&mut response);
        response
    }

    fn view(&self, request: &Request<()>) -> View {
        self.app.as_ref().map_or_else(View::default, |app| View::of(request, app))
    }

    async fn call_api(
        &self,
        app: &Arc<App>,
        request: &Request<()>,
        client: ClientIp,
    ) -> Result<Response<Body>, ApiError> {
        let _permit: Permit = self.limits.concurrency.try_acquire().ok_or(ApiError::Busy)?;
        self.with_timeout(v1::respond(app, request, client.0)).await
    }

    async fn call_route(&self, mut request: Request<Body>) -> Result<Response<Body>, ApiError> {
        let _permit = self.admit(&mut request)?;
        let response = self.others.clone().oneshot(request);
        self.with_timeout(async { response.await.unwrap_or_else(|never| match never {}) }).await
    }

    /// A permit for a request; health checks need none. Also part of the request, so that a route that reads a body can
    /// pause it meanwhile.
    fn admit<B>(&self, request: &mut Request<B>) -> Result<Option<Arc<PausablePermit>>, ApiError> {
        let permit = PausablePermit::try_acquire(&self.limits.concurrency);
        match &permit {
            Some(permit) => {
                request.extensions_mut().insert(permit.clone());
            }
            None if request.uri().path() == HEALTH => {}
            None => return Err(ApiError::Busy),
        }
        Ok(permit)
    }

    async fn with_timeout(&self, work: impl Future<Output = Response<Body>>) -> Result<Response<Body>, ApiError> {
        // Its timer begins to run only if the work is not done at the first poll.
        let work = tokio::time::timeout(self.limits.timeout, AssertUnwindSafe(work).catch_unwind());
        let outcome = work.await.map_err(|_| ApiError::RequestTimeout)?;
        outcome.map_err(|_| ApiError::Internal("a panic; the message is logged above".into()))
    }
}

fn hsts(settings: &Http, is_https: bool) -> Hsts {
    Hsts::new(is_https, settings.hsts_include_subdomains)
}

impl Handler for Router {
    fn handle(
        &self,
        request: Request<Incoming>,
        client: ClientIp,
    ) -> impl Future<Output = Response<ResponseBody>> + Send {
        self.respond(request, client)
    }
}

fn is_api(path: &str) -> bool {
    path.strip_prefix("/v1").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// An error outside of any handler: a page for browsers, the JSON envelope for everyone else.
fn failure(request: &Request<()>, error: &ApiError) -> Response<Body> {
    if is_api(request.uri().path()) {
        error_response::failure(error)
    } else if web::accepts_html(request.headers()) {
        web::error_page(error)
    } else {
        envelope::api_failure(error)
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;

    use super::*;
    use crate::server::request_check::MAX_URI_BYTES;

    async fn respond(path: &str, limits: RequestLimits) -> Response<ResponseBody> {
        let others: axum::Router = axum::Router::new()
            .route(HEALTH, get(|| async { "ok\n" }))
            .route("/page", get(|| async { [(header::CONTENT_SECURITY_POLICY, "default-src 'self'")] }))
            .route("/v1/never", get(std::future::pending::<()>))
            .route("/never", get(std::future::pending::<()>))
            .fallback(|| async { panic!("the secret cause") as () });
        let request = Request::builder().uri(path).header(header::HOST, "localhost");
        let request = request.body(Body::empty()).expect("a valid request");
        let client = ClientIp(std::net::Ipv4Addr::LOCALHOST.into());
        let hosts = AllowedHosts::new("http://localhost", &[]);
        let response = Router { app: None, serves_api: false, others, limits, hosts, hsts: Hsts::Off }
            .respond(request, client)
            .await;
        assert!(response.headers().contains_key("x-request-id"));
        response
    }

    fn limits(max_requests: usize) -> RequestLimits {
        RequestLimits::with(max_requests, Duration::from_millis(1))
    }

    async fn read(path: &str, limits: RequestLimits) -> (u16, String) {
        let response = respond(path, limits).await;
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(Body::new(response.into_body()), MAX_URI_BYTES).await.expect("a short body");
        (status, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn a_panic_is_a_500_without_its_cause() {
        let envelope = r#"{"success":false,"error":"Internal server error, try again later"}"#;
        assert_eq!(read("/v1/servers", limits(1)).await, (500, envelope.to_owned()));
        assert_eq!(read("/elsewhere", limits(1)).await, (500, envelope.to_owned()));
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_a_503() {
        let envelope = r#"{"success":false,"error":"The request timed out, try again in a moment"}"#;
        assert_eq!(read("/v1/never", limits(1)).await, (503, envelope.to_owned()));
        assert_eq!(read("/never", limits(1)).await, (503, envelope.to_owned()));
        assert_eq!(respond("/v1/never", limits(1)).await.headers()[header::RETRY_AFTER], "1");
    }

    #[tokio::test]
    async fn too_many_concurrent_requests_are_a_503_but_the_health_check_answers() {
        let envelope = r#"{"success":false,"error":"The service is overloaded, try again in a moment"}"#;
        assert_eq!(read("/v1/servers", limits(0)).await, (503, envelope.to_owned()));
        assert_eq!(respond("/v1/servers", limits(0)).await.headers()[header::RETRY_AFTER], "1");
        assert_eq!(read(HEALTH, limits(0)).await, (200, "ok\n".to_owned()));
    }

    #[tokio::test]
    async fn a_page_may_set_its_own_content_security_policy() {
        let policy = async |path| respond(path, limits(1)).await.headers()[header::CONTENT_SECURITY_POLICY].clone();
        assert_eq!(policy("/page").await, "default-src 'self'");
        assert_eq!(policy(HEALTH).await, "default-src 'none'; frame-ancestors 'none'");
    }
}
