//! One API request: authentication, quota, routing, parameters, response, headers.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use bytes::Bytes;

use super::endpoint::{Call, Endpoint};
use super::events::{self, StreamCaller};
use super::item_fields;
use super::rate_limit_headers::{
    LIMIT_DAY, LIMIT_MINUTE, LIMIT_MONTH, REMAINING_DAY, REMAINING_MINUTE, REMAINING_MONTH, RateLimitHeaders, values,
};
use super::rejection::rejected;
use crate::app::App;
use crate::auth::{Admitted, KeyReport, Rejection, RequestOutcome, UsageGuard};
use crate::error::ApiError;
use crate::http::common_headers::{CommonHeaders, REQUEST_ID};
use crate::http::error_response::{allow_all_origins, failure};
use crate::http::header_template::{self, TemplateKey};
use crate::http::metrics;
use crate::http::query::Query;
use crate::http::response::CachedResponse;
use crate::http::route_label::RouteLabel;
use crate::security_log::{EventFields, SecurityEventKind};
use rollcall_model::key_restriction::RequestSource;

const KEY_HEADER: &str = "x-api-key";
/// Headers that differ between responses of one kind; those of the quota come first.
static VARYING: [HeaderName; 9] = [
    LIMIT_MINUTE,
    REMAINING_MINUTE,
    LIMIT_DAY,
    REMAINING_DAY,
    LIMIT_MONTH,
    REMAINING_MONTH,
    header::ETAG,
    header::LAST_MODIFIED,
    REQUEST_ID,
];
/// Bytes of `Access-Control-Request-Headers` that are echoed.
const MAX_REQUESTED_HEADERS: usize = 1024;
/// A day: preflight responses are the same for every path.
const PREFLIGHT_MAX_AGE: &str = "86400";

/// The fast path: the key is valid, its quota is reserved and the response is cached, so nothing waits. `None` otherwise, with
/// no quota taken. Also returns the endpoint.
pub fn respond_from_cache<B>(
    app: &App,
    request: &Request<B>,
    common: &CommonHeaders,
) -> Option<(&'static str, Response<Bytes>)> {
    if request.method() != Method::GET {
        return None;
    }
    let presented = request.headers().get(KEY_HEADER)?.to_str().ok()?.trim();
    let now = app.clock.now();
    let find = || {
        let (tag, cached) = app.response_cache.find(&cache_key(request, None), now)?;
        // The cache key lacks the account, so this entry is the one for keys without an account. Here one request of the quota is
        // taken, and headers that few responses have are not written.
        if tag.per_account || !tag.is_one_unit || cached.link.is_some() {
            return None;
        }
        let last_modified = cached.last_modified.as_ref()?.header();
        let sent = cached.negotiate(request.headers());
        let outcome =
            RequestOutcome { endpoint: tag.endpoint, status: sent.status().as_u16(), bytes: sent.bytes.len() as u64 };
        Some(((tag, cached, last_modified, sent), outcome))
    };
    let ((tag, cached, last_modified, sent), quota_status) = app.auth.try_admit_now(presented, now, find)?;
    metrics::requested(tag.endpoint);
    let (status, encoding, not_modified) = (sent.status(), sent.encoding, sent.not_modified);
    let mut response = Response::new(sent.bytes);
    *response.status_mut() = status;
    let content_type = cached.content_type;
    let key = TemplateKey { max_age: tag.max_age, content_type, encoding, not_modified, hsts: common.hsts };
    let [a, b, c, d, e, f] = values(&quota_status);
    let varying = [a, b, c, d, e, f, cached.etag(), last_modified, common.id.header()];
    *response.headers_mut() = header_template::fill(key, &VARYING, varying, || {
        let mut headers = success(request, &cached, tag.max_age).into_parts().0.headers;
        RateLimitHeaders::of(quota_status).write(&mut headers);
        common.write(&mut headers);
        headers
    });
    Some((tag.endpoint, response))
}

/// The endpoint of a request below `/v1`, for metrics and the log.
pub fn route_label(path: &str) -> RouteLabel {
    let routed = super::route(path.strip_prefix("/v1").unwrap_or(path));
    routed.ok().flatten().map_or(RouteLabel::Unmatched, |(endpoint, _)| RouteLabel::Api(endpoint.path))
}

/// Answers any request below `/v1`, always with the JSON envelope.
pub async fn respond(app: &Arc<App>, request: &Request<()>, client: IpAddr) -> Response<Body> {
    if request.method() == Method::OPTIONS {
        return preflight(request.headers());
    }
    let now = app.clock.now();
    let routed = route(request);
    let endpoint = routed.as_ref().ok().and_then(Option::as_ref).map(|(endpoint, _)| *endpoint);
    let (mut usage, admitted) = authenticate(app, request, client, endpoint, now).await;
    if let (Some(usage), Ok(Some((endpoint, _)))) = (&mut usage, &routed) {
        usage.set_endpoint(endpoint.path);
    }
    if let Err(rejection) = &admitted {
        record_rejection(app, rejection, usage.as_ref(), client, now);
    }
    let (caller, rate_limit_headers) = outcome(admitted);
    let stream = usage.as_ref().filter(|_| opens_stream(request, &routed)).map(|usage| StreamCaller {
        presented: presented(request).unwrap_or_default().into(),
        key_id: usage.key_id().into(),
        client,
        origin: origin(request).map(Into::into),
    });
    let mut response = match (caller, stream) {
        (Ok(_), Some(stream)) => {
            events::stream::open(app, request, stream, now).await.unwrap_or_else(|error| failure(&error))
        }
        (Ok(caller), None) => call(app, request, routed, caller, now).await,
        (Err(error), _) => failure(&error),
    };
    rate_limit_headers.write(response.headers_mut());
    if let Some(usage) = usage {
        let sent = if *request.method() == Method::HEAD { 0 } else { response.body().size_hint().lower() };
        usage.finish(response.status().as_u16(), sent);
    }
    response
}

/// The same for a request that needs no key: the playground has checked a pass instead.
pub async fn respond_without_key(app: Arc<App>, request: Request<Body>) -> Response<Body> {
    let (head, _) = request.into_parts();
    let request = &Request::from_parts(head, ());
    call(&app, request, route(request), Caller::default(), app.clock.now()).await
}

/// The endpoint and its path parameter; `None` for an unknown path.
type Routed = Result<Option<(&'static Endpoint, String)>, ApiError>;

fn route(request: &Request<()>) -> Routed {
    let path = request.uri().path();
    super::route(path.strip_prefix("/v1").unwrap_or(path))
}

fn raw_query<B>(request: &Request<B>) -> &str {
    request.uri().query().unwrap_or_default()
}

/// The caller, as far as a response may depend on it.
#[derive(Default)]
struct Caller {
    account: Option<i64>,
    key: Option<Box<KeyReport>>,
}

async fn call(app: &Arc<App>, request: &Request<()>, routed: Routed, caller: Caller, now: i64) -> Response<Body> {
    match find_or_make(app, request, routed, caller, now).await {
        Ok((response, max_age)) => success(request, &response, max_age).map(Body::from),
        Err(error) => failure(&error),
    }
}

async fn find_or_make(
    app: &Arc<App>,
    request: &Request<()>,
    routed: Routed,
    Caller { account, key }: Caller,
    now: i64,
) -> Result<(Arc<CachedResponse>, u32), ApiError> {
    let not_found = || ApiError::NotFound("Path not found; /openapi.json lists all paths".into());
    let (endpoint, segment) = routed?.ok_or_else(not_found)?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(ApiError::MethodNotAllowed);
    }
    let make = || async {
        let call = Call { query: Query::parse(raw_query(request))?, segment, account, key };
        let fields = endpoint.item_fields(&call.query)?;
        let body = (endpoint.plan)(&call)?.work(app.clone()).await?;
        match fields {
            None => Ok(body),
            Some(fields) => item_fields::select(&body.bytes, &endpoint.item_lists(), &fields).map(Into::into),
        }
    };
    let response = if endpoint.max_age == 0 {
        Arc::new(CachedResponse::of(make().await?))
    } else {
        let cache_key = cache_key(request, account.filter(|_| endpoint.per_account));
        app.response_cache.get_or_make(endpoint.cache_tag(), &cache_key, now, make).await?
    };
    metrics::requested(endpoint.path);
    Ok((response, endpoint.max_age))
}

/// Everything a response depends on, apart from the data and the time.
fn cache_key<B>(request: &Request<B>, account: Option<i64>) -> Cow<'_, str> {
    let (path, query) = (request.uri().path(), raw_query(request));
    match account {
        None if !Query::may_hold_api_key(query) => {
            request.uri().path_and_query().map_or("", |both| both.as_str()).into()
        }
        None => format!("{path}?{}", Query::without_api_key(query)).into(),
        // No path begins with a digit.
        Some(account) => format!("{account}{path}?{}", Query::without_api_key(query)).into(),
    }
}

async fn authenticate(
    app: &App,
    request: &Request<()>,
    client: IpAddr,
    endpoint: Option<&Endpoint>,
    now: i64,
) -> (Option<UsageGuard>, Result<Admitted, Rejection>) {
    let units = endpoint.map_or(1, |endpoint| endpoint.units(raw_query(request)));
    let source = RequestSource { client, origin: origin(request), endpoint: endpoint.map(|endpoint| endpoint.path) };
    app.auth.admit(presented(request).as_deref(), &source, units, now).await
}

/// The API key, if there is one.
fn presented(request: &Request<()>) -> Option<Cow<'_, str>> {
    let in_header = request.headers().get(KEY_HEADER).map(|value| Cow::from(value.to_str().unwrap_or("?").trim()));
    // A client with an unset variable sends an empty header.
    let in_header = in_header.filter(|key| !key.is_empty());
    in_header.or_else(|| Query::api_key(raw_query(request)).map(Cow::from))
}

fn origin(request: &Request<()>) -> Option<&str> {
    request.headers().get(header::ORIGIN).and_then(|origin| origin.to_str().ok())
}

/// Whether an admitted request gets a stream instead of a response that is made at once.
fn opens_stream(request: &Request<()>, routed: &Routed) -> bool {
    let routed = routed.as_ref().ok().and_then(Option::as_ref);
    request.method() == Method::GET && routed.is_some_and(|(endpoint, _)| endpoint.is_stream())
}

/// A missing key and an outage are no security events.
fn record_rejection(app: &App, rejection: &Rejection, usage: Option<&UsageGuard>, client: IpAddr, now: i64) {
    let kind = match rejection {
        Rejection::UnknownKey => SecurityEventKind::WrongApiKey,
        Rejection::TooManyWrongKeys(_) => SecurityEventKind::WrongApiKeysThrottled,
        Rejection::Expired | Rejection::Disabled | Rejection::Restricted(_) => SecurityEventKind::ApiKeyRefused,
        Rejection::QuotaExceeded(_) => SecurityEventKind::QuotaExceeded,
        Rejection::MissingKey
        | Rejection::Unavailable
        | Rejection::LimitTooLow(..)
        | Rejection::TooManyFreeCalls(_) => return,
    };
    let key = usage.map(UsageGuard::key_id);
    app.security_log.record(kind, EventFields { client: Some(client), key, ..EventFields::default() }, now);
}

/// The caller or the error, and the headers of both.
fn outcome(admitted: Result<Admitted, Rejection>) -> (Result<Caller, ApiError>, RateLimitHeaders) {
    match admitted {
        Ok(Admitted { account, quota_status, key }) => {
            (Ok(Caller { account, key }), RateLimitHeaders::of(quota_status))
        }
        Err(rejection) => {
            let (error, headers) = rejected(rejection);
            (Err(error), headers)
        }
    }
}

fn success<B>(request: &Request<B>, cached: &CachedResponse, max_age: u32) -> Response<Bytes> {
    let mut response = cached.respond(request.headers(), cached.content_type, "Accept-Encoding, X-API-Key");
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cache_control(max_age));
    allow_all_origins(headers);
    response
}

/// The ages in use are static, so that they are not formatted for every response.
fn cache_control(max_age: u32) -> HeaderValue {
    match max_age {
        0 => HeaderValue::from_static("no-store"),
        1 => HeaderValue::from_static("private, max-age=1"),
        10 => HeaderValue::from_static("private, max-age=10"),
        30 => HeaderValue::from_static("private, max-age=30"),
        300 => HeaderValue::from_static("private, max-age=300"),
        other => HeaderValue::from_str(&format!("private, max-age={other}")).expect("ASCII"),
    }
}

fn preflight(requested: &HeaderMap) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE),
        (header::ALLOW, "GET, HEAD, OPTIONS"),
        (header::VARY, "Access-Control-Request-Headers"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed_headers(requested));
    response
}

/// The headers that the browser wants to send: tracing and client libraries add their own, and none of them does harm. `*`
/// would not do, because not every browser knows it.
fn allowed_headers(requested: &HeaderMap) -> HeaderValue {
    let names = requested.get(header::ACCESS_CONTROL_REQUEST_HEADERS).filter(|names| {
        let is_listing = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_, ".contains(byte);
        names.len() <= MAX_REQUESTED_HEADERS && names.as_bytes().iter().all(is_listing)
    });
    match names {
        Some(names) if !names.is_empty() => names.clone(),
        _ => HeaderValue::from_static("X-API-Key, If-None-Match"),
    }
}
