//! Health checks: whether the process is alive, and whether it can answer requests.

use std::future::Future;

use axum::http::StatusCode;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::app::Readiness;

/// Answers under any load: it says that the process is alive.
pub const HEALTH: &str = "/healthz";
/// Says that the service can answer requests.
pub const READY: &str = "/readyz";

/// Both checks. `readiness` is asked for each request.
pub fn routes<S, F>(readiness: impl Fn() -> F + Clone + Send + Sync + 'static) -> axum::Router<S>
where
    S: Clone + Send + Sync + 'static,
    F: Future<Output = Result<Readiness, String>> + Send + 'static,
{
    axum::Router::new()
        .route(HEALTH, get(|| async { "ok\n" }))
        .route(READY, get(move || async move { response(readiness().await) }))
}

fn response(readiness: Result<Readiness, String>) -> impl IntoResponse {
    match readiness {
        Ok(Readiness::Ready) => (StatusCode::OK, "ready\n".to_owned()),
        Ok(Readiness::Degraded(reason)) => (StatusCode::OK, format!("ready, but degraded: {reason}\n")),
        Err(reason) => (StatusCode::SERVICE_UNAVAILABLE, format!("not ready: {reason}\n")),
    }
}
