//! Pictures: how they are painted, where they are kept, and the two skins that are always there.

pub mod builtin;
pub mod paint;
mod store;

pub use store::{Error, Media, fits, kind_of};
