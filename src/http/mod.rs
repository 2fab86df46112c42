//! HTTP below the routes: connections and their timeouts, TLS, client IPs, responses and their cache, the query string.

pub mod access_log;
pub mod allowed_hosts;
pub mod body;
pub mod body_reader;
mod certificate;
pub mod client_ip;
pub mod common_headers;
pub mod compression;
mod connection;
mod connection_eviction;
pub mod csv_field;
pub mod drawn_pictures;
pub mod envelope;
pub mod error_response;
pub mod etag;
pub mod header_template;
mod http2;
mod idle_timeout;
mod last_modified;
pub mod live_response;
mod log_throttle;
pub mod metrics;
pub mod page_cache;
mod protocol;
pub mod query;
pub mod request_id;
pub mod response;
pub mod response_cache;
pub mod route_label;
pub mod same_origin;
mod shutdown;
mod tls;
mod write_timeout;

pub use connection::{Handler, listen, serve};
pub use tls::Tls;
