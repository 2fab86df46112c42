//! `/events`: events as pages and as a stream.

pub mod list;
mod params;
pub mod stream;
mod stream_body;

pub use stream_body::StreamCaller;
