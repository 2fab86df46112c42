//! The access log: one line per request, if it is on. Holds route patterns and no paths or queries, which may contain keys.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::http::{Method, StatusCode};

use super::request_id::RequestId;
use super::route_label::RouteLabel;

/// May change while the service runs.
static IS_ON: AtomicBool = AtomicBool::new(false);

pub fn turn(on: bool) {
    IS_ON.store(on, Ordering::Relaxed);
}

pub fn is_on() -> bool {
    IS_ON.load(Ordering::Relaxed)
}

/// One request and its response.
pub struct AccessEntry<'a> {
    pub id: &'a RequestId,
    pub method: &'a Method,
    pub route: &'a RouteLabel,
    pub status: StatusCode,
    pub took: Duration,
    /// Of the response body, if its length is known before it is sent.
    pub bytes: Option<u64>,
    pub client: IpAddr,
}

pub fn write(entry: &AccessEntry) {
    let AccessEntry { id, method, route, status, took, bytes, client } = entry;
    // Others are whatever a client sends.
    let method = if method.as_str().len() <= MAX_METHOD { method.as_str() } else { "other" };
    let milliseconds = took.as_secs_f64() * 1000.0;
    let status = status.as_u16();
    tracing::info!(
        target: "rollcall::access", %id, method, %route, status, milliseconds, bytes, %client, "access"
    );
}

/// The longest method that is registered with IANA, UPDATEREDIRECTREF, has 17 bytes.
const MAX_METHOD: usize = 17;
