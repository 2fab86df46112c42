//! Events as people cause them, as pages and as a stream.

mod contributions;
mod list;
mod stream;
pub mod stream_client;
