//! A texture from outside: the game's layout, or the same layout with two, four, … times as many pixels.

use crate::raster::Raster;
use crate::skin_layout::TextureArea;
use crate::untrusted_picture;

/// Width of the game's own textures.
const WIDTH: u32 = 64;

pub struct Texture {
    raster: Raster,
    /// Pixels per pixel of the game's layout.
    unit: f32,
}

impl Texture {
    /// `None` unless it is a PNG of one of these heights at a width of 64, or a multiple of both.
    pub fn decode(png: &[u8], heights: &[u32]) -> Option<Self> {
        let raster = untrusted_picture::decode_png(png, |(width, height)| {
            width.is_multiple_of(WIDTH)
                && heights.iter().any(|allowed| u64::from(height) * 64 == u64::from(allowed * width))
        })?;
        let unit = (raster.size().0 / WIDTH) as f32;
        Some(Self { raster, unit })
    }

    /// Height in pixels of the game's layout.
    pub fn height(&self) -> u32 {
        self.raster.size().1 * WIDTH / self.raster.size().0
    }

    /// The pixel at a place within an area, in pixels of the game's layout.
    pub fn at(&self, area: TextureArea, s: f32, t: f32) -> [u8; 4] {
        let (x, y) = ((area.x as f32 + s) * self.unit, (area.y as f32 + t) * self.unit);
        self.raster.get(x as i32, y as i32)
    }

    /// Whether no pixel of an area is transparent.
    pub fn is_opaque(&self, area: TextureArea) -> bool {
        let (columns, rows) = (area.width * self.unit as i32, area.height * self.unit as i32);
        let (left, top) = (area.x * self.unit as i32, area.y * self.unit as i32);
        (top..top + rows).all(|y| (left..left + columns).all(|x| self.raster.get(x, y)[3] >= 128))
    }
}
