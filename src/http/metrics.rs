//! Prometheus metrics, on a listener of their own so that they are never public by accident.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tokio::net::TcpListener;

use super::rooms::Rooms;
use crate::config::Http;
use crate::crew::Crew;

/// From a tenth of a millisecond to five seconds.
const SECONDS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];
/// How often old observations are folded away.
const UPKEEP: Duration = Duration::from_secs(5);

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

/// Installs the recorder and serves `/metrics` until `stop`.
pub fn serve_metrics(
    listener: TcpListener,
    limits: Http,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let crew = Crew::of(1, "metrics")?;
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &SECONDS)
        .expect("there are buckets")
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(std::io::Error::other)?;
    IS_READ.store(true, Ordering::Relaxed);
    let upkeep = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            upkeep.run_upkeep();
        }
    });
    let metrics = Router::new().route("/metrics", get(move || async move { handle.render() }));
    let rooms = Rooms::bounded(metrics, &limits, false);
    tokio::spawn(async move { super::serve(listener, crew, rooms, &limits, None, stop).await });
    Ok(())
}
