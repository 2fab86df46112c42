//! Which room a path belongs to, and what every answer has in common.

use std::future::{Future, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::body::{Body, HttpBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode, Version};
use axum::response::IntoResponse;
use axum::routing::get;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::Either;
use hyper::body::Incoming;
use tokio::sync::Semaphore;
use tower::ServiceExt;

use super::media;
use crate::app::App;
use crate::config::Http;
use crate::error::ApiError;
use crate::http::body::Payload;
use crate::http::client_ip::{self, ClientAddress};
use crate::http::common_headers::EdgeHeaders;
use crate::http::request_id::RequestId;
use crate::http::{Handler, envelope, error_response, metrics};
use crate::limits::{ConcurrencyLimit, PerIpLimit, Permit};
use crate::v1;
use crate::web;
use rollcall_model::api_key::mask;

/// Must answer however much there is to do: it says that the process lives.
const HEALTH: &str = "/healthz";
/// Bytes of path and query.
const MAX_URI: usize = 8 * 1024;

/// What every request is held to, and whether clients come by https.
struct RequestLimits {
    requests: ConcurrencyLimit,
    arriving: Semaphore,
    arriving_per_address: Arc<PerIpLimit>,
    patience: Duration,
    secure: bool,
}

impl RequestLimits {
    fn new(limits: &Http, secure: bool) -> Self {
        Self::with(limits.max_requests, Duration::from_secs(limits.request_timeout), secure)
    }

    fn with(requests: usize, patience: Duration, secure: bool) -> Self {
        Self {
            requests: ConcurrencyLimit::new(requests),
            arriving: Semaphore::new(ARRIVING),
            arriving_per_address: PerIpLimit::new(ARRIVING_PER_ADDRESS),
            patience,
            secure,
        }
    }
}

/// Who asks, and since when, if anybody wants to know.
struct RequestContext {
    edge_headers: EdgeHeaders,
    client: ClientAddress,
    came_at: Option<Instant>,
}

impl RequestContext {
    fn new(client: ClientAddress, by_https: bool) -> Self {
        let is_asked_for = metrics::are_read() || tracing::enabled!(tracing::Level::DEBUG);
        let edge_headers = EdgeHeaders { id: RequestId::random(), by_https };
        Self { edge_headers, client, came_at: is_asked_for.then(Instant::now) }
    }
}

/// Where requests go.
pub struct Router {
    /// The API's, which is asked for most by far and needs no way to be found.
    api: Option<Arc<App>>,
    others: axum::Router,
    bounds: RequestLimits,
}

impl Router {
    /// `secure`: clients come by https, to us or to a proxy in front.
    pub fn new(app: Arc<App>, limits: &Http, secure: bool) -> Arc<Self> {
        let others = axum::Router::new()
            .route("/openapi.json", get(openapi))
            .route("/media/{kind}/{name}", get(picture))
            .route(HEALTH, get(|| async { "ok\n" }))
            .route("/readyz", get(is_ready))
            .merge(web::routes())
            .fallback(web::not_found)
            .with_state(app.clone());
        Arc::new(Self { api: Some(app), others, bounds: RequestLimits::new(limits, secure) })
    }

    /// Any others, behind what every request is held to.
    pub fn bounded(others: axum::Router, limits: &Http, secure: bool) -> Arc<Self> {
        Arc::new(Self { api: None, others, bounds: RequestLimits::new(limits, secure) })
    }

    /// Every answer has an id that the log knows, and is bounded in time; a panic is a 500. What can be answered at once is:
    /// the way of what has to be waited for is long, and would be carried along.
    pub fn answer<'a, B>(
        &'a self,
        request: Request<B>,
        client: ClientAddress,
    ) -> impl Future<Output = Response<Payload>> + use<'a, B>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let visitor = RequestContext::new(client, self.bounds.secure);
        match self.at_once(&request, &visitor) {
            Some(response) => {
                tell(&request, &visitor, response.status());
                Either::Left(ready(response.map(Payload::Bytes)))
            }
            None => {
                let (head, body) = request.into_parts();
                Either::Right(Box::pin(self.in_time(Request::from_parts(head, ()), body, visitor)))
            }
        }
    }

    fn at_once<B>(&self, request: &Request<B>, visitor: &RequestContext) -> Option<Response<Bytes>> {
        let app = self.api.as_ref().filter(|_| is_api(request.uri().path()))?;
        if check(request).is_err() || !self.bounds.requests.has_room() {
            return None;
        }
        // Whoever meets a panic here meets it again where it is told.
        catch_unwind(AssertUnwindSafe(|| v1::respond_at_once(app, request, &visitor.edge_headers))).ok()?
    }

    async fn in_time<B>(&self, request: Request<()>, body: B, visitor: RequestContext) -> Response<Payload>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<axum::BoxError>,
    {
        let (id, client) = (visitor.edge_headers.id, visitor.client);
        let outcome = match (check(&request), &self.api) {
            (Err(error), _) => Err(error),
            // No endpoint takes a body.
            (Ok(()), Some(app)) if is_api(request.uri().path()) => id.scope(self.call(app, &request, client)).await,
            (Ok(()), _) => {
                let request = request.clone().map(|()| Body::new(body));
                id.scope(self.visit(request, client)).await
            }
        };
        let wants_page = web::wants_page(request.headers());
        let mut response = outcome.unwrap_or_else(|error| failure(request.uri().path(), wants_page, &error));
        visitor.edge_headers.write(response.headers_mut());
        tell(&request, &visitor, response.status());
        response.map(Payload::Body)
    }

    async fn call(
        &self,
        app: &Arc<App>,
        request: &Request<()>,
        client: ClientAddress,
    ) -> Result<Response<Body>, ApiError> {
        let _place = self.place(false)?;
        self.patiently(v1::respond(app, request, client.0)).await
    }

    async fn visit(&self, mut request: Request<Body>, client: ClientAddress) -> Result<Response<Body>, ApiError> {
        request.extensions_mut().insert(client);
        let request = arrived(&self.bounds, request).await?;
        let _place = self.place(request.uri().path() == HEALTH)?;
        let answer = self.others.clone().oneshot(request);
        self.patiently(async { answer.await.unwrap_or_else(|never| match never {}) }).await
    }

    async fn patiently(&self, work: impl Future<Output = Response<Body>>) -> Result<Response<Body>, ApiError> {
        let mut work = pin!(AssertUnwindSafe(work).catch_unwind());
        // Most answers are there at once, and need no clock.
        let outcome = match futures_util::poll!(work.as_mut()) {
            Poll::Ready(outcome) => outcome,
            Poll::Pending => {
                let waited = tokio::time::timeout(self.bounds.patience, work);
                waited.await.map_err(|_| ApiError::TookTooLong)?
            }
        };
        outcome.map_err(|_| ApiError::Internal("a panic; the message is logged above".into()))
    }

    /// One of the places of requests that are being answered; `None` for who may come without.
    fn place(&self, may_come_without: bool) -> Result<Option<Permit<'_>>, ApiError> {
        match self.bounds.requests.try_acquire() {
            None if !may_come_without => Err(ApiError::Busy),
            place => Ok(place),
        }
    }
}

impl Handler for Router {
    fn handle(
        &self,
        request: Request<Incoming>,
        client: ClientAddress,
    ) -> impl Future<Output = Response<Payload>> + Send {
        self.answer(request, client)
    }
}

/// To the log and to whoever reads the metrics.
fn tell<B>(request: &Request<B>, visitor: &RequestContext, status: StatusCode) {
    let Some(took) = visitor.came_at.map(|came_at| came_at.elapsed()) else { return };
    let (method, path) = (request.method(), request.uri().path());
    let (status, micros) = (status.as_u16(), took.as_micros() as u64);
    // The path without its query, where a key may stand; nor is a key told that somebody put into the path.
    tracing::debug!(
        id = %visitor.edge_headers.id, %method, path = %mask(path), status, micros, client = %visitor.client.0, "answered"
    );
    metrics::answered(status, took);
}

fn is_api(path: &str) -> bool {
    path.strip_prefix("/v1").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn openapi(State(app): State<Arc<App>>) -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "application/json"),
        (header::CACHE_CONTROL, "public, max-age=300"),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (headers, app.openapi.clone())
}

async fn picture(
    State(app): State<Arc<App>>,
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Response<Body> {
    // What is no text names no picture.
    let path = path.map_or_else(|_| String::new(), |Path((kind, name))| format!("{kind}/{name}"));
    media::respond(&app, &path, &headers).await
}

async fn is_ready(State(app): State<Arc<App>>) -> impl IntoResponse {
    if app.is_ready().await {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "not ready: the store cannot be reached\n")
    }
}

/// What takes a form.
const FORMS: [&str; 4] = ["/sign-", "/dashboard", "/operator", "/playground/pass"];
/// Forms on their way at once, in all and per client address: whoever dawdles takes no place from those who ask.
const ARRIVING: usize = 1024;
const ARRIVING_PER_ADDRESS: usize = 16;
/// How long a form may be on its way, and how long it may be before anyone looks at it.
const ON_ITS_WAY: Duration = Duration::from_secs(5);
const LONGEST_BODY: usize = 64 * 1024;

/// The request with its form there in full. Nothing else has a body that anyone waits for.
async fn arrived(bounds: &RequestLimits, request: Request<Body>) -> Result<Request<Body>, ApiError> {
    let takes_form = FORMS.iter().any(|room| request.uri().path().starts_with(room));
    if request.method() != Method::POST || !takes_form || request.body().is_end_stream() {
        return Ok(request);
    }
    if request.body().size_hint().lower() > LONGEST_BODY as u64 {
        return Err(ApiError::TooLong);
    }
    let _place = bounds.arriving.try_acquire().map_err(|_| ApiError::Busy)?;
    let _counted = bounds.arriving_per_address.try_acquire(client_ip::client(&request)).ok_or(ApiError::Crowded)?;
    let (head, body) = request.into_parts();
    match tokio::time::timeout(ON_ITS_WAY, axum::body::to_bytes(body, LONGEST_BODY)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(_)) => Err(ApiError::TooLong),
        Err(_) => Err(ApiError::TooSlow),
    }
}

/// Where scripts of our own pages ask.
const OURS: [&str; 2] = ["/playground/", "/human/"];

/// An error that belongs to no room: in the envelope for programs, a page for people, a line for the rest.
fn failure(path: &str, wants_page: bool, error: &ApiError) -> Response<Body> {
    if OURS.iter().any(|room| path.starts_with(room)) {
        return envelope::api_failure(error);
    }
    let is_api = is_api(path);
    if wants_page && !is_api {
        return web::sorry(error);
    }
    let mut response = error_response::failure(error);
    if !is_api {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        *response.body_mut() = Body::from(format!("{}.\n", error.message()));
    }
    response
}

/// Refuses what no room should have to look at.
fn check<B>(request: &Request<B>) -> Result<(), ApiError> {
    let (uri, headers) = (request.uri(), request.headers());
    if uri.path_and_query().map_or(0, |text| text.as_str().len())
        + uri.authority().map_or(0, |host| host.as_str().len())
        > MAX_URI
    {
        return Err(ApiError::UriTooLong);
    }
    let one_host = request.version() != Version::HTTP_11 || headers.get_all(header::HOST).iter().count() == 1;
    match one_host {
        true => Ok(()),
        false => Err(ApiError::BadRequest("An HTTP/1.1 request has exactly one Host header".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(path: &str, bounds: RequestLimits) -> Response<Payload> {
        let others: axum::Router = axum::Router::new()
            .route(HEALTH, get(|| async { "ok\n" }))
            .route("/page", get(|| async { [(header::CONTENT_SECURITY_POLICY, "default-src 'self'")] }))
            .route("/v1/never", get(std::future::pending::<()>))
            .route("/never", get(std::future::pending::<()>))
            .fallback(|| async { panic!("the secret cause") as () });
        let request = Request::builder().uri(path).header(header::HOST, "x");
        let request = request.body(Body::empty()).expect("a sound request");
        let client = ClientAddress(std::net::Ipv4Addr::LOCALHOST.into());
        let response = Router { api: None, others, bounds }.answer(request, client).await;
        assert!(response.headers().contains_key("x-request-id"));
        response
    }

    fn bounds(requests: usize) -> RequestLimits {
        RequestLimits::with(requests, Duration::from_millis(1), false)
    }

    async fn told(path: &str, bounds: RequestLimits) -> (u16, String) {
        let response = answer(path, bounds).await;
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(Body::new(response.into_body()), MAX_URI).await.expect("a short body");
        (status, String::from_utf8(body.to_vec()).expect("text"))
    }

    #[tokio::test]
    async fn a_panic_is_a_500_that_says_nothing_of_its_cause() {
        let envelope = r#"{"success":false,"error":"Internal server error, try again later"}"#;
        assert_eq!(told("/v1/servers", bounds(1)).await, (500, envelope.to_owned()));
        assert_eq!(told("/elsewhere", bounds(1)).await, (500, "Internal server error, try again later.\n".to_owned()));
    }

    #[tokio::test]
    async fn an_answer_that_takes_too_long_is_a_503() {
        let envelope = r#"{"success":false,"error":"The answer took too long, try again in a moment"}"#;
        assert_eq!(told("/v1/never", bounds(1)).await, (503, envelope.to_owned()));
        assert_eq!(
            told("/never", bounds(1)).await,
            (503, "The answer took too long, try again in a moment.\n".to_owned())
        );
        assert_eq!(answer("/v1/never", bounds(1)).await.headers()[header::RETRY_AFTER], "1");
    }

    #[tokio::test]
    async fn too_many_requests_at_once_are_a_503_but_the_process_still_says_that_it_lives() {
        let envelope = r#"{"success":false,"error":"The service is busy, try again in a moment"}"#;
        assert_eq!(told("/v1/servers", bounds(0)).await, (503, envelope.to_owned()));
        assert_eq!(answer("/v1/servers", bounds(0)).await.headers()[header::RETRY_AFTER], "1");
        assert_eq!(told(HEALTH, bounds(0)).await, (200, "ok\n".to_owned()));
    }

    #[tokio::test]
    async fn an_answer_may_say_itself_what_it_allows() {
        let policy = async |path| answer(path, bounds(1)).await.headers()[header::CONTENT_SECURITY_POLICY].clone();
        assert_eq!(policy("/page").await, "default-src 'self'");
        assert_eq!(policy(HEALTH).await, "default-src 'none'; frame-ancestors 'none'");
    }
}
