//! Request handling: the API, the pages, pictures, health checks and metrics.

mod health;
mod media;
mod metrics;
mod reports;
mod request_check;
mod request_context;
mod router;
mod routes;
mod vote_claims;

pub use health::routes as health_routes;
pub use metrics::{MetricSources, serve_metrics};
pub use router::Router;
