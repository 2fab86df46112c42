//! The edge: connections in, requests to their rooms, answers out.

pub mod answer;
pub mod answers;
mod media;
mod metrics;
mod router;
mod serve;

pub use metrics::serve_metrics;
pub use router::router;
pub use serve::{listen, serve};
