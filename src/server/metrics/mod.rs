//! Prometheus metrics, on a listener of their own so that they are never public by accident.

mod exposition;
mod families;
mod process;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header;
use axum::routing::get;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder};
use tokio::net::TcpListener;

use super::router::Router;
use crate::config::Http;
use crate::http;
use crate::v1;
use crate::worker_pool::WorkerPool;
use exposition::Exposition;
use rollcall_model::histogram::BOUNDS;
use rollcall_model::time::SECOND;
use rollcall_store::{LeftOut, Pool, ReplicaState};

/// How often old observations are aggregated.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);
/// The text format of Prometheus.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Sources that are read when metrics are scraped.
pub struct MetricSources {
    pub store: Pool,
    pub ledger: Pool,
    pub tls: Option<Arc<http::Tls>>,
    /// `sqlite` or `postgres`.
    pub engine: &'static str,
    /// When the process started, in milliseconds.
    pub started_at: i64,
}

/// Installs the recorder and serves `/metrics` until `stop`.
pub fn serve_metrics(
    listener: TcpListener,
    limits: Http,
    public_url: &str,
    sources: MetricSources,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let workers = WorkerPool::new(1, "metrics")?;
    let recorder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".into()), &BOUNDS)
        .expect("there are buckets")
        .build_recorder();
    let handle = recorder.handle();
    metrics::set_global_recorder(recorder).map_err(std::io::Error::other)?;
    families::describe_all();
    http::metrics::start(v1::ENDPOINTS.iter().map(|endpoint| endpoint.path));
    let upkeep = handle.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP_INTERVAL).await;
            upkeep.run_upkeep();
        }
    });
    let sources = Arc::new(sources);
    let scrape = move || {
        let text = handle.render() + &own_families(&sources);
        async move { ([(header::CONTENT_TYPE, CONTENT_TYPE)], text) }
    };
    let router = Router::without_api(axum::Router::new().route("/metrics", get(scrape)), &limits, public_url);
    tokio::spawn(async move { http::serve(listener, workers, router, &limits, None, stop).await });
    Ok(())
}

/// What is counted without the recorder, because that takes locks, and what is only read now.
fn own_families(sources: &MetricSources) -> String {
    let mut out = Exposition::default();
    write_requests(&mut out);
    write_pools(&mut out, &[("store", &sources.store), ("ledger", &sources.ledger)]);
    write_replicas(&mut out, &sources.store);
    out.family("rollcall_build_info");
    out.sample(&[("version", env!("CARGO_PKG_VERSION")), ("engine", sources.engine)], 1.0);
    out.family("rollcall_certificate_expiry_timestamp_seconds");
    if let Some(validity) = sources.tls.as_ref().and_then(|tls| tls.validity()) {
        out.sample(&[], validity.not_after as f64 / SECOND as f64);
    }
    process::write(&mut out, sources.started_at);
    out.into_text()
}

fn write_requests(out: &mut Exposition) {
    out.family("rollcall_requests_total");
    for (route, requests) in http::metrics::api_requests() {
        out.sample(&[("endpoint", &route.to_string())], requests as f64);
    }
    out.family("rollcall_responses_total");
    for (status, responses) in http::metrics::statuses() {
        out.sample(&[("status", &status.to_string())], responses as f64);
    }
    out.family("rollcall_response_seconds");
    http::metrics::for_each_route(|route, method, class, times| {
        out.histogram(&[("endpoint", route), ("method", method), ("status_class", class)], &times);
    });
}

fn write_replicas(out: &mut Exposition, store: &Pool) {
    let replicas: Vec<_> = store.replicas().collect();
    out.family("rollcall_replica_used");
    for replica in &replicas {
        out.sample(&[("replica", &replica.name)], f64::from(u8::from(replica.state == ReplicaState::Used)));
    }
    out.family("rollcall_replica_left_out");
    for replica in &replicas {
        for reason in LeftOut::ALL {
            let is_left_out = replica.state == ReplicaState::LeftOut(reason);
            let labels = [("replica", replica.name.as_str()), ("reason", reason.name())];
            out.sample(&labels, f64::from(u8::from(is_left_out)));
        }
    }
    out.family("rollcall_replica_lag_seconds");
    for replica in &replicas {
        out.sample(&[("replica", &replica.name)], replica.lag.as_secs_f64());
    }
    out.family("rollcall_replica_reads_total");
    for replica in &replicas {
        out.sample(&[("replica", &replica.name), ("outcome", "answered")], replica.answered as f64);
        out.sample(&[("replica", &replica.name), ("outcome", "returned")], replica.returned as f64);
    }
    out.family("rollcall_replicated_reads_total");
    if let Some(reads) = store.replicated_reads() {
        out.sample(&[("answered_by", "replica")], reads.by_replicas as f64);
        out.sample(&[("answered_by", "primary")], reads.by_primary as f64);
    }
}

fn write_pools(out: &mut Exposition, pools: &[(&str, &Pool)]) {
    let lanes = || pools.iter().flat_map(|(name, pool)| pool.usage().map(|lane| (*name, lane)));
    out.family("rollcall_store_threads");
    for (pool, lane) in lanes() {
        out.sample(&[("pool", pool), ("role", lane.role)], lane.stats.threads as f64);
    }
    out.family("rollcall_store_busy_threads");
    for (pool, lane) in lanes() {
        out.sample(&[("pool", pool), ("role", lane.role)], lane.stats.busy() as f64);
    }
    out.family("rollcall_store_queued_jobs");
    for (pool, lane) in lanes() {
        out.sample(&[("pool", pool), ("role", lane.role)], lane.queued as f64);
    }
    out.family("rollcall_store_wait_seconds");
    for (pool, lane) in lanes() {
        out.histogram(&[("pool", pool), ("role", lane.role)], &lane.stats.wait.snapshot());
    }
    out.family("rollcall_store_seconds");
    for (pool, lane) in lanes() {
        out.histogram(&[("pool", pool), ("role", lane.role)], &lane.stats.work.snapshot());
    }
}
