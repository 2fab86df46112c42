//! The edge: connections in, requests to their rooms, answers out.

pub mod address;
pub mod answer;
pub mod answers;
pub mod edge_headers;
pub mod envelope;
pub mod heads;
mod interruptions;
mod media;
pub mod metrics;
mod near;
pub mod origin;
mod patient;
mod payload;
pub mod per_address;
mod places;
pub mod request_id;
mod rooms;
mod serve;
mod tls;
mod waiting;

pub use metrics::serve_metrics;
pub use rooms::Rooms;
pub use serve::{listen, serve};
pub use tls::Tls;
