//! Views of a player: face, head, body, and the whole figure from the side.

use super::bounded;
use super::cuboid::{Cuboid, Quad, View, light};
use super::scene::Scene;
use super::texture::Texture;
use crate::raster::Raster;
use crate::skin_layout::{self, ArmModel, BodyPart, SIDES, Side, SkinLayer, TextureArea};

/// Heights of the layouts since 2014 and before.
const HEIGHTS: [u32; 2] = [64, LEGACY_HEIGHT];
const LEGACY_HEIGHT: u32 = 32;

const PARTS: [BodyPart; 6] =
    [BodyPart::LeftLeg, BodyPart::RightLeg, BodyPart::LeftArm, BodyPart::RightArm, BodyPart::Torso, BodyPart::Head];

/// The figure walks a little: radians.
const ARM_SWING: f32 = 0.24;
const LEG_SWING: f32 = 0.2;

const FIGURE_VIEW: View = View { yaw: 0.55, pitch: 0.2 };
/// A corner of the head points at the viewer, and the three visible faces look equal.
const HEAD_VIEW: View = View { yaw: std::f32::consts::FRAC_PI_4, pitch: 0.56 };
const MARGIN: f32 = 0.02;

/// A skin as the game reads it: 64x64 pixels, 64x32 from before 2014, or a multiple.
pub struct SkinTexture {
    texture: Texture,
    model: ArmModel,
    is_legacy: bool,
    /// The game ignores the hat of an old skin that has no transparent pixel.
    has_hat: bool,
}

impl SkinTexture {
    /// `None` if it is no PNG of a size that the game knows.
    pub fn decode(png: &[u8], model: ArmModel) -> Option<Self> {
        let texture = Texture::decode(png, &HEIGHTS)?;
        let is_legacy = texture.height() == LEGACY_HEIGHT;
        let has_hat = !is_legacy || !texture.is_opaque(TextureArea { x: 32, y: 0, width: 32, height: 16 });
        let model = if is_legacy { ArmModel::Classic } else { model };
        Some(Self { texture, model, is_legacy, has_hat })
    }

    fn has(&self, part: BodyPart, layer: SkinLayer) -> bool {
        match (layer, part) {
            (SkinLayer::Base, _) => true,
            (SkinLayer::Outer, BodyPart::Head) => self.has_hat,
            (SkinLayer::Outer, _) => !self.is_legacy,
        }
    }

    /// The texture of a face, and whether it is mirrored: old skins have only the right limbs.
    fn area(&self, part: BodyPart, layer: SkinLayer, side: Side) -> (TextureArea, bool) {
        let limb = match part {
            BodyPart::LeftArm => Some(BodyPart::RightArm),
            BodyPart::LeftLeg => Some(BodyPart::RightLeg),
            _ => None,
        };
        match limb.filter(|_| self.is_legacy) {
            Some(other) => {
                let side = match side {
                    Side::Left => Side::Right,
                    Side::Right => Side::Left,
                    side => side,
                };
                (skin_layout::area(self.model, other, layer, side), true)
            }
            None => (skin_layout::area(self.model, part, layer, side), false),
        }
    }

    /// The faces of a part, the body first and the clothes after it. Flat views have no depth and no light.
    fn quads(&self, part: BodyPart, sides: &[Side], is_flat: bool) -> Vec<Quad> {
        let layers = [SkinLayer::Base, SkinLayer::Outer].into_iter().filter(|&layer| self.has(part, layer));
        let quads = layers.flat_map(|layer| {
            let cuboid = self.cuboid(part, layer, is_flat);
            sides.iter().map(move |&side| {
                let [corner, across, down] = cuboid.face(side);
                let (area, is_mirrored) = self.area(part, layer, side);
                let light = if is_flat { 1.0 } else { light(side) };
                Quad { corner, across, down, area, is_mirrored, is_solid: layer == SkinLayer::Base, light }
            })
        });
        quads.collect()
    }

    fn cuboid(&self, part: BodyPart, layer: SkinLayer, is_flat: bool) -> Cuboid {
        let arm = if self.model == ArmModel::Slim { 3.0 } else { 4.0 };
        let (middle, size) = match part {
            BodyPart::Head => ([0.0, 4.0, 0.0], [8.0, 8.0, 8.0]),
            BodyPart::Torso => ([0.0, 14.0, 0.0], [8.0, 12.0, 4.0]),
            BodyPart::RightArm => ([-4.0 - arm / 2.0, 14.0, 0.0], [arm, 12.0, 4.0]),
            BodyPart::LeftArm => ([4.0 + arm / 2.0, 14.0, 0.0], [arm, 12.0, 4.0]),
            BodyPart::RightLeg => ([-2.0, 26.0, 0.0], [4.0, 12.0, 4.0]),
            BodyPart::LeftLeg => ([2.0, 26.0, 0.0], [4.0, 12.0, 4.0]),
        };
        let swing = match part {
            BodyPart::RightArm => ARM_SWING,
            BodyPart::LeftArm => -ARM_SWING,
            BodyPart::RightLeg => -LEG_SWING,
            BodyPart::LeftLeg => LEG_SWING,
            BodyPart::Head | BodyPart::Torso => 0.0,
        };
        let inflated = match (layer, part) {
            (SkinLayer::Base, _) => 0.0,
            (SkinLayer::Outer, BodyPart::Head) => 0.5,
            (SkinLayer::Outer, _) => 0.25,
        };
        match is_flat {
            true => Cuboid { middle, size, inflated: 0.0, swing: 0.0 },
            false => Cuboid { middle, size, inflated, swing },
        }
    }

    fn flat(&self, quads: Vec<Quad>, width: u32, height: u32) -> Raster {
        let scene = Scene { texture: &self.texture, quads, view: View::FRONT, width, height, samples: 1, margin: 0.0 };
        scene.into_raster()
    }

    fn deep(&self, quads: Vec<Quad>, view: View, width: u32, height: u32) -> Raster {
        let samples = samples(height);
        Scene { texture: &self.texture, quads, view, width, height, samples, margin: MARGIN }.into_raster()
    }
}

/// More for small pictures, whose edges need them and which are cheap.
pub(super) fn samples(height: u32) -> u32 {
    (1024 / height).clamp(2, 4)
}

/// The front of the head with the hat: a square of `size` pixels.
pub fn render_face(skin: &SkinTexture, size: u32) -> Vec<u8> {
    let size = bounded(size);
    skin.flat(skin.quads(BodyPart::Head, &[Side::Front], true), size, size).into_png()
}

/// The head from a corner above: a square of `size` pixels.
pub fn render_head(skin: &SkinTexture, size: u32) -> Vec<u8> {
    let size = bounded(size);
    skin.deep(skin.quads(BodyPart::Head, &SIDES, false), HEAD_VIEW, size, size).into_png()
}

/// The whole figure from the front: `size` pixels high, half as wide.
pub fn render_body(skin: &SkinTexture, size: u32) -> Vec<u8> {
    let size = bounded(size);
    let quads = PARTS.into_iter().flat_map(|part| skin.quads(part, &[Side::Front], true));
    skin.flat(quads.collect(), size / 2, size).into_png()
}

/// The whole figure from the side and a little above: `size` pixels high, half as wide.
pub fn render_skin(skin: &SkinTexture, size: u32) -> Vec<u8> {
    figure(skin, size).into_small_png()
}

pub(crate) fn figure(skin: &SkinTexture, size: u32) -> Raster {
    let size = bounded(size);
    let quads = PARTS.into_iter().flat_map(|part| skin.quads(part, &SIDES, false));
    skin.deep(quads.collect(), FIGURE_VIEW, size / 2, size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decode;

    const BASE: [u8; 3] = [10, 20, 30];

    /// A texture of one colour, with some pixels of other colours.
    fn texture(height: u32, dots: &[(i32, i32, [u8; 3])]) -> Vec<u8> {
        let mut raster = Raster::new(64, height);
        raster.fill(0, 0, 32, 16, BASE);
        raster.fill(0, 16, 64, height as i32 - 16, BASE);
        for &(x, y, color) in dots {
            raster.set(x, y, color);
        }
        raster.into_png()
    }

    fn pixel(picture: &(u32, u32, Vec<u8>), x: u32, y: u32) -> [u8; 4] {
        let at = ((y * picture.0 + x) * 4) as usize;
        picture.2[at..at + 4].try_into().unwrap()
    }

    fn skin(height: u32, dots: &[(i32, i32, [u8; 3])]) -> SkinTexture {
        SkinTexture::decode(&texture(height, dots), ArmModel::Classic).expect("a valid skin")
    }

    #[test]
    fn every_pixel_of_a_face_is_a_square() {
        // The face begins at (8, 8), the hat at (40, 8).
        let skin = skin(64, &[(8, 8, [1, 2, 3]), (15, 15, [4, 5, 6]), (47, 15, [7, 8, 9])]);
        let face = decode(&render_face(&skin, 32));
        assert_eq!((face.0, face.1), (32, 32));
        for (x, y) in (0..32).flat_map(|y| (0..32).map(move |x| (x, y))) {
            let expected = match (x / 4, y / 4) {
                (0, 0) => [1, 2, 3, 255],
                (7, 7) => [7, 8, 9, 255],
                _ => [10, 20, 30, 255],
            };
            assert_eq!(pixel(&face, x, y), expected, "{x} {y}");
        }
    }

    #[test]
    fn a_body_is_drawn_from_the_front_with_its_clothes() {
        // First pixels of the front of: torso, its jacket, right arm, left arm, right leg, left leg.
        let skin = skin(
            64,
            &[
                (20, 20, [1, 0, 0]),
                (20, 36, [2, 0, 0]),
                (44, 20, [3, 0, 0]),
                (36, 52, [4, 0, 0]),
                (4, 20, [5, 0, 0]),
                (20, 52, [6, 0, 0]),
            ],
        );
        let body = decode(&render_body(&skin, 64));
        assert_eq!((body.0, body.1), (32, 64));
        // Two pixels each: the jacket hides the torso.
        let expected = [(4, 8, 2), (0, 8, 10), (12, 8, 10), (4, 20, 10), (8, 20, 10)];
        for (x, y, red) in expected {
            assert_eq!(pixel(&body, x * 2, y * 2)[0], red, "{x} {y}");
        }
        assert_eq!(pixel(&body, 0, 0), [0; 4], "beside the head");
    }

    #[test]
    fn old_skins_have_mirrored_limbs_and_no_full_hat() {
        let mut dots = vec![(44, 20, [3, 0, 0]), (4, 20, [5, 0, 0])];
        let body = decode(&render_body(&skin(32, &dots), 32));
        let reds = |body: &(u32, u32, Vec<u8>), y: u32, xs: [u32; 2]| xs.map(|x| pixel(body, x, y)[0]);
        assert_eq!(reds(&body, 8, [0, 15]), [3, 3], "arms");
        assert_eq!(reds(&body, 20, [4, 11]), [5, 5], "legs");
        dots.clear();
        dots.extend((32..64).flat_map(|x| (0..16).map(move |y| (x, y, [9, 9, 9]))));
        assert_eq!(pixel(&decode(&render_face(&skin(32, &dots), 8)), 0, 0)[0], 10, "an opaque hat is no hat");
        dots.pop();
        assert_eq!(pixel(&decode(&render_face(&skin(32, &dots), 8)), 0, 0)[0], 9);
    }

    #[test]
    fn slim_arms_are_narrower() {
        let png = texture(64, &[]);
        let slim = SkinTexture::decode(&png, ArmModel::Slim).unwrap();
        let body = decode(&render_body(&slim, 32));
        let row: Vec<u8> = (0..16).map(|x| pixel(&body, x, 10)[3]).collect();
        assert_eq!(row, [[0].as_slice(), &[255; 14], &[0]].concat());
    }

    #[test]
    fn deep_views_show_three_sides_of_the_head() {
        let mut raster = Raster::new(64, 64);
        raster.fill(8, 0, 8, 8, [200, 0, 0]);
        raster.fill(0, 8, 8, 8, [0, 200, 0]);
        raster.fill(8, 8, 8, 8, [0, 0, 200]);
        let skin = SkinTexture::decode(&raster.into_png(), ArmModel::Classic).unwrap();
        let head = decode(&render_head(&skin, 64));
        assert_eq!(pixel(&head, 32, 16), [200, 0, 0, 255], "the top");
        assert_eq!(pixel(&head, 18, 40), [0, 152, 0, 255], "the right side, in the shade");
        assert_eq!(pixel(&head, 46, 40), [0, 0, 190, 255], "the face");
        assert_eq!(pixel(&head, 0, 0), [0; 4]);
    }

    #[test]
    fn translucent_clothes_show_what_is_below() {
        let mut pixels = vec![0; 64 * 64 * 4];
        let mut set = |x: usize, y: usize, color: [u8; 4]| pixels[(y * 64 + x) * 4..][..4].copy_from_slice(&color);
        set(8, 8, [100, 100, 100, 255]);
        set(40, 8, [200, 0, 0, 128]);
        let png = Raster::from_rgba(64, 64, pixels).unwrap().into_png();
        let skin = SkinTexture::decode(&png, ArmModel::Classic).unwrap();
        assert_eq!(pixel(&decode(&render_face(&skin, 8)), 0, 0), [150, 50, 50, 255]);
    }

    #[test]
    fn sizes_are_bounded_and_other_files_refused() {
        let skin = skin(64, &[]);
        assert_eq!(decode(&render_face(&skin, 0)).0, 8);
        assert_eq!(decode(&render_body(&skin, u32::MAX)).1, 1024);
        let figure = decode(&render_skin(&skin, 128));
        assert_eq!((figure.0, figure.1), (64, 128));
        for (width, height) in [(64, 63), (63, 63), (128, 32), (1, 1), (64, 128)] {
            assert!(SkinTexture::decode(&Raster::new(width, height).into_png(), ArmModel::Slim).is_none());
        }
        assert!(SkinTexture::decode(&Raster::new(128, 128).into_png(), ArmModel::Slim).is_some());
        assert!(SkinTexture::decode(b"no picture", ArmModel::Slim).is_none());
    }
}
