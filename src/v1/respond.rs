//! The way of one request: key, limits, route, parameters, answer, headers.

use std::borrow::Cow;
use std::cell::RefCell;
use std::net::IpAddr;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use bytes::Bytes;

use super::endpoint::{Call, Endpoint};
use crate::app::App;
use crate::auth::{Admitted, Answered, Refusal, Visit};
use crate::error::ApiError;
use crate::http::common_headers::{EdgeHeaders, REQUEST_ID};
use crate::http::error_response::{failure, open_to_browsers};
use crate::http::header_template::{self, Kind};
use crate::http::metrics;
use crate::http::query::Query;
use crate::http::response::Answer;
use crate::limits::bucket;
use rollcall_model::quota::Standing;

const KEY_HEADER: &str = "x-api-key";
pub const LIMIT_MINUTE: HeaderName = HeaderName::from_static("x-ratelimit-limit-minute");
pub const REMAINING_MINUTE: HeaderName = HeaderName::from_static("x-ratelimit-remaining-minute");
pub const LIMIT_DAY: HeaderName = HeaderName::from_static("x-ratelimit-limit-day");
pub const REMAINING_DAY: HeaderName = HeaderName::from_static("x-ratelimit-remaining-day");
const LIMIT_MONTH: HeaderName = HeaderName::from_static("x-ratelimit-limit-month");
const REMAINING_MONTH: HeaderName = HeaderName::from_static("x-ratelimit-remaining-month");
/// Lines that differ between answers of one kind; those of the key's quota come first.
static VARYING: [HeaderName; 8] =
    [LIMIT_MINUTE, REMAINING_MINUTE, LIMIT_DAY, REMAINING_DAY, LIMIT_MONTH, REMAINING_MONTH, header::ETAG, REQUEST_ID];
/// A day: preflights are the same for every path.
const PREFLIGHT_MAX_AGE: &str = "86400";

/// The answer to a request that has to wait for nothing, neither for its quota nor for an answer that is to be made, with a
/// whole head. Most are of this kind. `None` for all others, of whom nothing is taken.
pub fn respond_at_once<B>(app: &App, request: &Request<B>, edge: &EdgeHeaders) -> Option<Response<Bytes>> {
    if request.method() != Method::GET {
        return None;
    }
    let presented = request.headers().get(KEY_HEADER)?.to_str().ok()?.trim();
    let now = app.clock.now();
    let answer = || {
        let (tag, answer) = app.answers.kept(&question(request, None), now)?;
        // What is another answer for each account is kept here for keys that have none.
        if tag.per_account {
            return None;
        }
        let form = answer.form(request.headers());
        let answered =
            Answered { endpoint: tag.endpoint, status: form.status().as_u16(), bytes: form.bytes.len() as u64 };
        Some(((tag, answer, form), answered))
    };
    let ((tag, answer, form), standing) = app.gate.admit_at_once(presented, now, answer)?;
    metrics::asked(tag.endpoint);
    let (status, encoding, known) = (form.status(), form.encoding, form.known);
    let mut response = Response::new(form.bytes);
    *response.status_mut() = status;
    let kind = Kind { max_age: tag.max_age, encoding, known, by_https: edge.by_https };
    let [a, b, c, d, e, f] = quota(&standing);
    let values = [a, b, c, d, e, f, answer.etag(), edge.id.header()];
    *response.headers_mut() = header_template::like(kind, &VARYING, values, || {
        let mut headers = success(request, &answer, tag.max_age).into_parts().0.headers;
        Told { retry_after: None, standing: Some(standing) }.write(&mut headers);
        edge.write(&mut headers);
        headers
    });
    Some(response)
}

/// Answers any request below `/v1`, always with the JSON envelope.
pub async fn respond(app: &Arc<App>, request: &Request<()>, client: IpAddr) -> Response<Body> {
    if request.method() == Method::OPTIONS {
        return preflight();
    }
    let now = app.clock.now();
    let (mut visit, admitted) = admit(app, request, client, now).await;
    let routed = route(request);
    if let (Some(visit), Ok(Some((endpoint, _)))) = (&mut visit, &routed) {
        visit.asks(endpoint.path);
    }
    let (let_in, told) = read(admitted);
    let mut response = match let_in {
        Ok(account) => answer(app, request, routed, account, now).await,
        Err(error) => failure(&error),
    };
    told.write(response.headers_mut());
    if let Some(visit) = visit {
        let sent = if *request.method() == Method::HEAD { 0 } else { response.body().size_hint().lower() };
        visit.end(response.status().as_u16(), sent);
    }
    response
}

/// The same for whoever was let in by other means than a key.
pub async fn respond_without_key(app: Arc<App>, request: Request<Body>) -> Response<Body> {
    let (head, _) = request.into_parts();
    let request = &Request::from_parts(head, ());
    answer(&app, request, route(request), None, app.clock.now()).await
}

/// The endpoint and what fills its path parameter; `None` for a path that is none of ours.
type Routed = Result<Option<(&'static Endpoint, String)>, ApiError>;

fn route(request: &Request<()>) -> Routed {
    let path = request.uri().path();
    super::route(path.strip_prefix("/v1").unwrap_or(path))
}

fn raw_query<B>(request: &Request<B>) -> &str {
    request.uri().query().unwrap_or_default()
}

/// What the endpoint has to say to a request that was let in.
async fn answer(
    app: &Arc<App>,
    request: &Request<()>,
    routed: Routed,
    account: Option<i64>,
    now: i64,
) -> Response<Body> {
    match find_answer(app, request, routed, account, now).await {
        Ok((answer, max_age)) => success(request, &answer, max_age).map(Body::from),
        Err(error) => failure(&error),
    }
}

async fn find_answer(
    app: &Arc<App>,
    request: &Request<()>,
    routed: Routed,
    account: Option<i64>,
    now: i64,
) -> Result<(Arc<Answer>, u32), ApiError> {
    let unknown = || ApiError::NotFound("There is no such path; /openapi.json lists them all".into());
    let (endpoint, segment) = routed?.ok_or_else(unknown)?;
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Err(ApiError::MethodNotAllowed);
    }
    let make = || async {
        let call = Call { query: Query::parse(raw_query(request))?, segment, account };
        (endpoint.plan)(&call)?.work(app.clone()).await
    };
    let question = question(request, account.filter(|_| endpoint.per_account));
    let answer = app.answers.get(endpoint.cache_tag(), &question, now, make).await?;
    metrics::asked(endpoint.path);
    Ok((answer, endpoint.max_age))
}

/// What an answer is known by: everything it depends on but for the data and the time.
fn question<B>(request: &Request<B>, account: Option<i64>) -> Cow<'_, str> {
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

async fn admit(
    app: &App,
    request: &Request<()>,
    client: IpAddr,
    now: i64,
) -> (Option<Visit>, Result<Admitted, Refusal>) {
    let in_header = request.headers().get(KEY_HEADER).map(|value| Cow::from(value.to_str().unwrap_or("?").trim()));
    let presented = in_header.or_else(|| Query::api_key(raw_query(request)).map(Cow::from));
    app.gate.admit(presented.as_deref(), bucket(client), now).await
}

/// What the gate has to say in the headers, whatever comes after it.
#[derive(Default)]
struct Told {
    standing: Option<Standing>,
    retry_after: Option<i64>,
}

/// The key's account or the error, and what is told along with it.
fn read(admitted: Result<Admitted, Refusal>) -> (Result<Option<i64>, ApiError>, Told) {
    let standing = |standing: Standing| Told { retry_after: standing.retry_after, standing: Some(standing) };
    let refused = |error| (Err(error), Told::default());
    match admitted {
        Ok(admitted) => (Ok(admitted.account), standing(admitted.standing)),
        Err(Refusal::TooMany(full)) => (Err(ApiError::TooMany), standing(full)),
        Err(Refusal::TooManyGuesses(seconds)) => {
            (Err(ApiError::TooMany), Told { retry_after: Some(seconds), standing: None })
        }
        Err(Refusal::NoKey) => refused(ApiError::MissingKey),
        Err(Refusal::UnknownKey) => refused(ApiError::InvalidKey),
        Err(Refusal::Expired) => refused(ApiError::ExpiredKey),
        Err(Refusal::Disabled) => refused(ApiError::DisabledKey),
        Err(Refusal::Unavailable) => refused(ApiError::Unavailable),
    }
}

impl Told {
    fn write(&self, headers: &mut HeaderMap) {
        if let Some(standing) = &self.standing {
            headers.extend(VARYING.iter().cloned().zip(quota(standing)));
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
    }
}

/// What each window holds, and what is left of it, in the order of [`VARYING`].
fn quota(standing: &Standing) -> [HeaderValue; 6] {
    let Standing { limits, remaining_minute, remaining_day, remaining_month, .. } = standing;
    [
        known_number(limits.per_minute),
        number(*remaining_minute),
        known_number(limits.per_day),
        number(*remaining_day),
        known_number(limits.per_month),
        number(*remaining_month),
    ]
}

/// As the conversion of numbers does it, but in one piece of memory instead of two: there are six in every answer.
fn number(mut value: u32) -> HeaderValue {
    let mut digits = [0; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            return HeaderValue::from_bytes(&digits[at..]).expect("digits are plain text");
        }
    }
}

thread_local! {
    /// Limits that this thread told last, by their lowest bits: keys have few different ones. One that all threads share would
    /// cost them more than to write it anew.
    static TOLD: RefCell<[Option<(u32, HeaderValue)>; 16]> = const { RefCell::new([const { None }; 16]) };
}

/// The same of one that comes again and again.
fn known_number(value: u32) -> HeaderValue {
    TOLD.with_borrow_mut(|told| {
        let place = &mut told[value as usize % 16];
        match place {
            Some((known, text)) if *known == value => text.clone(),
            _ => place.insert((value, number(value))).1.clone(),
        }
    })
}

fn success<B>(request: &Request<B>, answer: &Answer, max_age: u32) -> Response<Bytes> {
    let mut response = answer.respond(request.headers(), "application/json", "Accept-Encoding, X-API-Key");
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cache_control(max_age));
    open_to_browsers(headers);
    response
}

/// The ages that our answers have are not written anew for each of them.
fn cache_control(max_age: u32) -> HeaderValue {
    match max_age {
        10 => HeaderValue::from_static("private, max-age=10"),
        30 => HeaderValue::from_static("private, max-age=30"),
        300 => HeaderValue::from_static("private, max-age=300"),
        other => HeaderValue::from_str(&format!("private, max-age={other}")).expect("plain text"),
    }
}

fn preflight() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, OPTIONS"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "X-API-Key, If-None-Match"),
        (header::ACCESS_CONTROL_MAX_AGE, PREFLIGHT_MAX_AGE),
        (header::ALLOW, "GET, HEAD, OPTIONS"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_ever() {
        for value in [0, 1, 9, 10, 60, 99, 100, 1_000_000_000, u32::MAX] {
            assert_eq!(number(value), HeaderValue::from(value));
            assert_eq!([known_number(value), known_number(value)], [number(value), number(value)]);
        }
    }
}
