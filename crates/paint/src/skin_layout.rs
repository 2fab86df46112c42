//! Where each part of the player's body lies on the 64x64 skin texture.

use rand::RngExt;

use super::Dice;
use super::color::{Rgb, shifted};
use super::raster::Raster;
use super::skin::Model;

/// Side of the texture.
pub const SIDE: u32 = 64;

/// Strength of the grain that keeps cloth and skin from looking like plastic.
const GRAIN: i32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limb {
    Head,
    Torso,
    RightArm,
    LeftArm,
    RightLeg,
    LeftLeg,
}

#[cfg(test)]
pub const LIMBS: [Limb; 6] = [Limb::Head, Limb::Torso, Limb::RightArm, Limb::LeftArm, Limb::RightLeg, Limb::LeftLeg];

pub const ARMS: [Limb; 2] = [Limb::RightArm, Limb::LeftArm];
pub const LEGS: [Limb; 2] = [Limb::RightLeg, Limb::LeftLeg];

/// The body itself, or the slightly larger shell around it for hair, hoods and cuffs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    Base,
    Over,
}

/// Faces of a part's box; right and left are the player's own.
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
pub struct Area {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// The rectangle of one face of one part.
pub fn area(model: Model, limb: Limb, layer: Layer, side: Side) -> Area {
    let (u, v) = match (limb, layer) {
        (Limb::Head, Layer::Base) => (0, 0),
        (Limb::Head, Layer::Over) => (32, 0),
        (Limb::Torso, Layer::Base) => (16, 16),
        (Limb::Torso, Layer::Over) => (16, 32),
        (Limb::RightArm, Layer::Base) => (40, 16),
        (Limb::RightArm, Layer::Over) => (40, 32),
        (Limb::LeftArm, Layer::Base) => (32, 48),
        (Limb::LeftArm, Layer::Over) => (48, 48),
        (Limb::RightLeg, Layer::Base) => (0, 16),
        (Limb::RightLeg, Layer::Over) => (0, 32),
        (Limb::LeftLeg, Layer::Base) => (16, 48),
        (Limb::LeftLeg, Layer::Over) => (0, 48),
    };
    let (w, h, d) = match (limb, model) {
        (Limb::Head, _) => (8, 8, 8),
        (Limb::Torso, _) => (8, 12, 4),
        (Limb::RightArm | Limb::LeftArm, Model::Slim) => (3, 12, 4),
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
    Area { x: u + x, y: v + y, width, height }
}

/// A skin being painted.
pub struct Texture {
    pub model: Model,
    raster: Raster,
    dice: Dice,
}

impl Texture {
    pub fn new(model: Model, dice: Dice) -> Self {
        Self { model, raster: Raster::new(SIDE, SIDE), dice }
    }

    /// Asks for the colour of every pixel of a part, and shades it; `None` leaves it as it was.
    pub fn paint(&mut self, limb: Limb, layer: Layer, mut color: impl FnMut(Side, i32, i32) -> Option<Rgb>) {
        for side in SIDES {
            let area = area(self.model, limb, layer, side);
            for y in 0..area.height {
                for x in 0..area.width {
                    let grain = self.dice.random_range(-GRAIN..=GRAIN);
                    if let Some(flat) = color(side, x, y) {
                        let shade = light(side, x, y, area) + grain;
                        self.raster.set(area.x + x, area.y + y, shifted(flat, shade));
                    }
                }
            }
        }
    }

    /// Sets one pixel exactly, for eyes and buttons.
    pub fn dot(&mut self, limb: Limb, layer: Layer, side: Side, (x, y): (i32, i32), color: Rgb) {
        let area = area(self.model, limb, layer, side);
        self.raster.set(area.x + x, area.y + y, color);
    }

    pub fn into_png(self) -> Vec<u8> {
        self.raster.into_png()
    }
}

/// Light from above and in front, softer towards the edges of a face.
fn light(side: Side, x: i32, y: i32, area: Area) -> i32 {
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
