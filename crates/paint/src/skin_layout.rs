//! The layout of Minecraft's 64x64 skin texture.

use rand::RngExt;

use super::PaintRng;
use super::color::{Rgb, shifted};
use super::raster::Raster;

/// Side of the texture.
pub const SIDE: u32 = 64;

/// Strength of the noise on every pixel.
const NOISE: i32 = 5;

/// The width of the arms: four pixels (classic) or three (slim).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArmModel {
    Classic,
    Slim,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyPart {
    Head,
    Torso,
    RightArm,
    LeftArm,
    RightLeg,
    LeftLeg,
}

pub const BODY_PARTS: [BodyPart; 6] =
    [BodyPart::Head, BodyPart::Torso, BodyPart::RightArm, BodyPart::LeftArm, BodyPart::RightLeg, BodyPart::LeftLeg];

pub const ARMS: [BodyPart; 2] = [BodyPart::RightArm, BodyPart::LeftArm];
pub const LEGS: [BodyPart; 2] = [BodyPart::RightLeg, BodyPart::LeftLeg];

/// The body itself, or the slightly larger layer around it for hair, hoods and cuffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkinLayer {
    Base,
    Outer,
}

/// Faces of a body part's box. Right and left are the player's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Top,
    Bottom,
    Right,
    Front,
    Left,
    Back,
}

pub const SIDES: [Side; 6] = [Side::Top, Side::Bottom, Side::Right, Side::Front, Side::Left, Side::Back];

/// A rectangle of the texture.
#[derive(Debug, Clone, Copy)]
pub struct TextureArea {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

pub fn area(model: ArmModel, part: BodyPart, layer: SkinLayer, side: Side) -> TextureArea {
    let (u, v) = match (part, layer) {
        (BodyPart::Head, SkinLayer::Base) => (0, 0),
        (BodyPart::Head, SkinLayer::Outer) => (32, 0),
        (BodyPart::Torso, SkinLayer::Base) => (16, 16),
        (BodyPart::Torso, SkinLayer::Outer) => (16, 32),
        (BodyPart::RightArm, SkinLayer::Base) => (40, 16),
        (BodyPart::RightArm, SkinLayer::Outer) => (40, 32),
        (BodyPart::LeftArm, SkinLayer::Base) => (32, 48),
        (BodyPart::LeftArm, SkinLayer::Outer) => (48, 48),
        (BodyPart::RightLeg, SkinLayer::Base) => (0, 16),
        (BodyPart::RightLeg, SkinLayer::Outer) => (0, 32),
        (BodyPart::LeftLeg, SkinLayer::Base) => (16, 48),
        (BodyPart::LeftLeg, SkinLayer::Outer) => (0, 48),
    };
    let (w, h, d) = match (part, model) {
        (BodyPart::Head, _) => (8, 8, 8),
        (BodyPart::Torso, _) => (8, 12, 4),
        (BodyPart::RightArm | BodyPart::LeftArm, ArmModel::Slim) => (3, 12, 4),
        _ => (4, 12, 4),
    };
    let (x, y, width, height) = match side {
        Side::Top => (d, 0, w, d),
        Side::Bottom => (d + w, 0, w, d),
        Side::Right => (0, d, d, h),
        Side::Front => (d, d, w, h),
        Side::Left => (d + w, d, d, h),
        Side::Back => (2 * d + w, d, w, h),
    };
    TextureArea { x: u + x, y: v + y, width, height }
}

pub struct SkinPainting {
    pub model: ArmModel,
    raster: Raster,
    rng: PaintRng,
}

impl SkinPainting {
    pub fn new(model: ArmModel, rng: PaintRng) -> Self {
        Self { model, raster: Raster::new(SIDE, SIDE), rng }
    }

    /// Calls `color` for every pixel of a part and shades the result. `None` leaves the pixel unchanged.
    pub fn paint(&mut self, part: BodyPart, layer: SkinLayer, mut color: impl FnMut(Side, i32, i32) -> Option<Rgb>) {
        for side in SIDES {
            let area = area(self.model, part, layer, side);
            for y in 0..area.height {
                for x in 0..area.width {
                    let noise = self.rng.random_range(-NOISE..=NOISE);
                    if let Some(flat) = color(side, x, y) {
                        let shade = light(side, x, y, area) + noise;
                        self.raster.set(area.x + x, area.y + y, shifted(flat, shade));
                    }
                }
            }
        }
    }

    /// Sets one pixel without shading, for eyes and buttons.
    pub fn dot(&mut self, part: BodyPart, layer: SkinLayer, side: Side, (x, y): (i32, i32), color: Rgb) {
        let area = area(self.model, part, layer, side);
        self.raster.set(area.x + x, area.y + y, color);
    }

    pub fn into_png(self) -> Vec<u8> {
        self.raster.into_png()
    }
}

/// Light from above and in front, weaker towards the edges of a face.
fn light(side: Side, x: i32, y: i32, area: TextureArea) -> i32 {
    let facing = match side {
        Side::Top => 10,
        Side::Front => 4,
        Side::Right | Side::Left => -6,
        Side::Back => -4,
        Side::Bottom => -24,
    };
    let fall = if matches!(side, Side::Top | Side::Bottom) { 0 } else { 6 - 14 * y / area.height };
    let edge = if x == 0 || x == area.width - 1 { -5 } else { 0 };
    facing + fall + edge
}
