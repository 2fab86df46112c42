//! Counting requests and responses for Prometheus.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Recording is off unless metrics are served: a labelled counter costs more than a cached response.
static IS_READ: AtomicBool = AtomicBool::new(false);

pub fn are_read() -> bool {
    IS_READ.load(Ordering::Relaxed)
}

pub fn requested(endpoint: &'static str) {
    if are_read() {
        metrics::counter!("rollcall_requests_total", "endpoint" => endpoint).increment(1);
    }
}

pub fn responded(status: u16, took: Duration) {
    if are_read() {
        metrics::counter!("rollcall_responses_total", "status" => status.to_string()).increment(1);
        metrics::histogram!("rollcall_response_seconds").record(took.as_secs_f64());
    }
}

/// A connection or an upload was ended to make room for another client.
pub fn evicted(what: &'static str) {
    if are_read() {
        metrics::counter!("rollcall_evicted_total", "what" => what).increment(1);
    }
}

/// Turns recording on.
pub fn start() {
    IS_READ.store(true, Ordering::Relaxed);
}
