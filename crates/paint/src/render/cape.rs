//! A cape by itself, from the side and a little above.

use super::bounded;
use super::cuboid::{Cuboid, Quad, View, light};
use super::scene::Scene;
use super::skin::samples;
use super::texture::Texture;
use crate::raster::Raster;
use crate::skin_layout::{SIDES, Side, TextureArea};

const HEIGHTS: [u32; 1] = [32];
const WIDTH: i32 = 10;
const LENGTH: i32 = 16;
const THICKNESS: i32 = 1;

const VIEW: View = View { yaw: -0.42, pitch: 0.16 };
const MARGIN: f32 = 0.03;

/// A cape of 64x32 pixels, or a multiple.
pub struct CapeTexture(Texture);

impl CapeTexture {
    /// `None` if it is no PNG of a size that the game knows.
    pub fn decode(png: &[u8]) -> Option<Self> {
        Texture::decode(png, &HEIGHTS).map(Self)
    }
}

/// The outside of the cape: `size` pixels high, half as wide.
pub fn render_cape(cape: &CapeTexture, size: u32) -> Vec<u8> {
    hanging(cape, size).into_png()
}

/// The same as pixels.
pub(crate) fn hanging(cape: &CapeTexture, size: u32) -> Raster {
    let height = bounded(size);
    let cuboid =
        Cuboid { middle: [0.0; 3], size: [WIDTH as f32, LENGTH as f32, THICKNESS as f32], inflated: 0.0, swing: 0.0 };
    let quads = SIDES.map(|side| {
        let [corner, across, down] = cuboid.face(side);
        let area = area(side);
        Quad { corner, across, down, area, is_mirrored: false, is_solid: false, light: light(side) }
    });
    let (width, samples) = (height / 2, samples(height));
    Scene { texture: &cape.0, quads: quads.into(), view: VIEW, width, height, samples, margin: MARGIN }.into_raster()
}

fn area(side: Side) -> TextureArea {
    let (x, y, width, height) = match side {
        Side::Top => (1, 0, WIDTH, THICKNESS),
        Side::Bottom => (1 + WIDTH, 0, WIDTH, THICKNESS),
        Side::Right => (0, 1, THICKNESS, LENGTH),
        Side::Front => (1, 1, WIDTH, LENGTH),
        Side::Left => (1 + WIDTH, 1, THICKNESS, LENGTH),
        Side::Back => (2 + WIDTH, 1, WIDTH, LENGTH),
    };
    TextureArea { x, y, width, height }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decode;

    #[test]
    fn the_outside_is_shown() {
        let mut raster = Raster::new(64, 32);
        raster.fill(1, 1, WIDTH, LENGTH, [100, 0, 0]);
        raster.fill(12, 1, WIDTH, LENGTH, [0, 100, 0]);
        let cape = CapeTexture::decode(&raster.into_png()).unwrap();
        let (width, height, pixels) = decode(&render_cape(&cape, 128));
        assert_eq!((width, height), (64, 128));
        let middle = ((64 * width + 32) * 4) as usize;
        assert_eq!(pixels[middle..middle + 4], [95, 0, 0, 255]);
    }

    #[test]
    fn other_files_are_refused_and_larger_textures_drawn() {
        assert!(CapeTexture::decode(&Raster::new(64, 64).into_png()).is_none());
        assert!(CapeTexture::decode(b"").is_none());
        let large = CapeTexture::decode(&Raster::new(512, 256).into_png()).unwrap();
        assert_eq!(decode(&render_cape(&large, 64)).1, 64);
    }
}
