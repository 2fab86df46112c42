//! Pictures of skins and capes as they are worn: flat views and views from a corner, at any size.
//!
//! Textures come from outside: any PNG is accepted or refused without a panic, and the work is bounded by the size.

mod cape;
mod cuboid;
mod scene;
mod skin;
mod texture;

pub(crate) use cape::hanging;
pub use cape::{CapeTexture, render_cape};
pub(crate) use skin::figure;
pub use skin::{SkinTexture, render_body, render_face, render_head, render_skin};

/// Bounds of the height of a picture in pixels; other heights are moved into them.
const MIN_SIZE: u32 = 8;
const MAX_SIZE: u32 = 1024;

fn bounded(size: u32) -> u32 {
    size.clamp(MIN_SIZE, MAX_SIZE)
}
