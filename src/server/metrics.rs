//! Prometheus metrics, on a listener of their own so that they are never public by accident.

use std::future::Future;
use std::time::Duration;

use axum::routing::get;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tokio::net::TcpListener;

use super::router::Router;
use crate::config::Http;
use crate::http;
use crate::worker_pool::WorkerPool;

/// Histogram buckets, in seconds.
const BUCKETS: [f64; 10] = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0];
/// How often old observations are aggregated.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Installs the recorder and serves `/metrics` until `stop`.
pub fn serve_metrics(
    listener: TcpListener,
    limits: Http,
    public_url: &str,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let workers = WorkerPool::new(1, "metrics")?;
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &BUCKETS)
        .expect("there are buckets")
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(std::io::Error::other)?;
    http::metrics::start();
    let upkeep = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            upkeep.run_upkeep();
        }
    });
    let metrics = axum::Router::new().route("/metrics", get(move || async move { handle.render() }));
    let router = Router::without_api(metrics, &limits, public_url);
    tokio::spawn(async move { http::serve(listener, workers, router, &limits, None, stop).await });
    Ok(())
}
