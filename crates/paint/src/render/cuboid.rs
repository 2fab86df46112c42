//! Textured boxes in space. x goes to the viewer's right, y down, z towards the viewer; the player faces the viewer, so that
//! their right is the viewer's left. One unit is one pixel of the texture.

use crate::skin_layout::{Side, TextureArea};

pub type Vector = [f32; 3];

/// A face of a box: a corner, the two edges from it, and the texture between them.
#[derive(Clone, Copy)]
pub struct Quad {
    pub corner: Vector,
    pub across: Vector,
    pub down: Vector,
    pub area: TextureArea,
    /// The texture is shown from right to left.
    pub is_mirrored: bool,
    /// Transparent pixels count as opaque, and the inside is never seen.
    pub is_solid: bool,
    /// Brightness from 0 to 1.
    pub light: f32,
}

pub struct Cuboid {
    pub middle: Vector,
    pub size: Vector,
    /// How far the faces stand out, for clothes over the body.
    pub inflated: f32,
    /// Radians around the x axis through the middle of the top, for limbs.
    pub swing: f32,
}

impl Cuboid {
    /// The corner, the edge to the right and the edge downwards of a face, as its texture is read.
    pub fn face(&self, side: Side) -> [Vector; 3] {
        let [w, h, d] = self.size.map(|length| length + 2.0 * self.inflated);
        let (x, y, z) = (w / 2.0, h / 2.0, d / 2.0);
        let (corner, across, down) = match side {
            Side::Front => ([-x, -y, z], [w, 0.0, 0.0], [0.0, h, 0.0]),
            Side::Back => ([x, -y, -z], [-w, 0.0, 0.0], [0.0, h, 0.0]),
            Side::Right => ([-x, -y, -z], [0.0, 0.0, d], [0.0, h, 0.0]),
            Side::Left => ([x, -y, z], [0.0, 0.0, -d], [0.0, h, 0.0]),
            Side::Top => ([-x, -y, -z], [w, 0.0, 0.0], [0.0, 0.0, d]),
            Side::Bottom => ([-x, y, -z], [w, 0.0, 0.0], [0.0, 0.0, d]),
        };
        let joint = [0.0, -self.size[1] / 2.0, 0.0];
        let corner = add(turn_x(subtract(corner, joint), self.swing), joint);
        [add(corner, self.middle), turn_x(across, self.swing), turn_x(down, self.swing)]
    }
}

/// Light from above and in front.
pub fn light(side: Side) -> f32 {
    match side {
        Side::Top => 1.0,
        Side::Front => 0.95,
        Side::Back => 0.85,
        Side::Right | Side::Left => 0.76,
        Side::Bottom => 0.6,
    }
}

pub fn add(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + b[i])
}

fn subtract(a: Vector, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] - b[i])
}

fn turn_x([x, y, z]: Vector, angle: f32) -> Vector {
    let (sin, cos) = angle.sin_cos();
    [x, y * cos - z * sin, y * sin + z * cos]
}

fn turn_y([x, y, z]: Vector, angle: f32) -> Vector {
    let (sin, cos) = angle.sin_cos();
    [x * cos + z * sin, y, z * cos - x * sin]
}

/// Position of the viewer in radians: to the side, and above.
#[derive(Clone, Copy)]
pub struct View {
    pub yaw: f32,
    pub pitch: f32,
}

impl View {
    pub const FRONT: Self = Self { yaw: 0.0, pitch: 0.0 };

    pub fn turn(self, vector: Vector) -> Vector {
        // Looking from above shows the top: what is nearer to the viewer moves down.
        turn_x(turn_y(vector, self.yaw), -self.pitch)
    }
}
