//! Counting requests and responses for Prometheus.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Nobody counts what nobody reads: to name a figure costs more than to add to it.
static IS_READ: AtomicBool = AtomicBool::new(false);

pub fn are_read() -> bool {
    IS_READ.load(Ordering::Relaxed)
}

/// A question to an endpoint that was answered.
pub fn asked(endpoint: &'static str) {
    if are_read() {
        metrics::counter!("rollcall_requests_total", "endpoint" => endpoint).increment(1);
    }
}

/// Any answer.
pub fn answered(status: u16, took: Duration) {
    if are_read() {
        metrics::counter!("rollcall_responses_total", "status" => status.to_string()).increment(1);
        metrics::histogram!("rollcall_response_seconds").record(took.as_secs_f64());
    }
}

/// From now on somebody reads.
pub fn start() {
    IS_READ.store(true, Ordering::Relaxed);
}
