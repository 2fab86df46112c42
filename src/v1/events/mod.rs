//! `/events`: what happened, as pages and as a stream.

pub mod list;
mod live_body;
mod params;
pub mod stream;

pub use live_body::StreamCaller;
