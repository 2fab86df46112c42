//! Pictures: how they are painted, where they are kept, and the two skins that are always there.

pub mod builtin;
mod foreign;
pub mod paint;
mod store;

pub use foreign::redraw_icon;
pub use store::{Error, Media, fits, kind_of};
