//! `GET /events/stream`

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{Request, Response};

use super::StreamCaller;
use super::params::{AFTER, FilterParams, PLAYER, SERVER, TYPE, read_cursor};
use super::stream_body::{EventStreamBody, PATH};
use crate::app::App;
use crate::error::ApiError;
use crate::event_feed::StreamRefusal;
use crate::http::error_response::allow_all_origins;
use crate::http::live_response::LiveResponse;
use crate::http::query::Query;
use crate::v1::endpoint::{Call, Endpoint, Plan, Units, data};
use rollcall_model::resources::Event;
use rollcall_store::events;

/// The cursor of a client that connects again. It takes precedence over the parameter.
const LAST_EVENT_ID: &str = "last-event-id";

pub const ENDPOINT: Endpoint = Endpoint {
    path: PATH,
    name: "eventsStream",
    tag: "Events",
    summary: "Stream events",
    description: "New events as they happen, as server-sent events (`text/event-stream`): `id`, `event` (the type) and `data` (an \
                  event as in the list). A client that connects again with `Last-Event-ID` misses nothing and sees nothing twice; \
                  the stream begins with an `id` for that. Each connection costs one request when it opens and one for each \
                  further minute. A comment every 15 seconds keeps it open; before the service closes it, `event: end` says \
                  why. The playground runs it with your own key.",
    path_param: None,
    params: &[&AFTER, &SERVER, &PLAYER, &TYPE],
    max_age: 0,
    per_account: false,
    units: Units::PerMinute,
    data: data::<Event>,
    plan,
};

/// Reached without a key or with HEAD.
fn plan(_: &Call) -> Result<Plan, ApiError> {
    Err(ApiError::BadRequest("/events/stream runs with GET and an API key only: it never ends".into()))
}

/// Opens a stream for an admitted request.
pub async fn open(
    app: &Arc<App>,
    request: &Request<()>,
    caller: StreamCaller,
    now: i64,
) -> Result<Response<Body>, ApiError> {
    let query = Query::parse(request.uri().query().unwrap_or_default())?;
    let in_header = request.headers().get(LAST_EVENT_ID).map(|id| id.to_str().unwrap_or("?").trim().to_owned());
    let after = match in_header.filter(|id| !id.is_empty()) {
        Some(id) => Some(read_cursor("Last-Event-ID", &id, now)?),
        None => AFTER.read(&query).map(|after| read_cursor(AFTER.name, &after, now)).transpose()?,
    };
    let filter = FilterParams::read(&query)?;
    let slot = app.events.open.try_open(&caller.key_id).map_err(|refusal| match refusal {
        StreamRefusal::OfKey => ApiError::TooManyStreams,
        StreamRefusal::OfAll => ApiError::Busy,
    })?;
    let reader = app.clone();
    let start = app.pool.read(move |conn| {
        let after = after.map_or_else(|| events::end_cursor(conn, now), Ok)?;
        Ok(filter.clone().find(&reader, conn).map(|filter| (filter, after)))
    });
    let (filter, after) = start.await??;
    let mut response = Response::new(EventStreamBody::new(app.clone(), caller, filter, after, slot, now).into_body());
    response.extensions_mut().insert(LiveResponse);
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-store"),
        (header::CONNECTION, "close"),
        // Proxies must not hold events back.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    allow_all_origins(headers);
    Ok(response)
}
