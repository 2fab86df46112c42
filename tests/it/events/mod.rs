//! Events as people cause them, as pages and as a stream.

mod content_events;
mod list;
mod stream;
pub mod stream_client;
