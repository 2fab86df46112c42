//! Draws quads without perspective distortion: parallel projection, nearest-neighbour textures, a depth buffer, and several
//! samples per pixel for smooth edges.

use super::cuboid::{Quad, Vector, View, add};
use super::texture::Texture;
use crate::raster::Raster;

/// A picture of a scene. All quads share one texture.
pub struct Scene<'a> {
    pub texture: &'a Texture,
    pub quads: Vec<Quad>,
    pub view: View,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// Samples per pixel and direction. 1 draws hard edges.
    pub samples: u32,
    /// Share of the picture that stays empty on each side.
    pub margin: f32,
}

/// Opacity from which a pixel hides what is behind it.
const OPAQUE: u8 = 250;

/// A translucent sample. It is blended when everything opaque is drawn.
struct Translucent {
    at: usize,
    depth: f32,
    color: [u8; 4],
}

/// A quad on the screen, in samples, with its depth.
struct Projected {
    corner: Vector,
    across: Vector,
    down: Vector,
}

struct Samples {
    columns: usize,
    colors: Vec<[u8; 4]>,
    depths: Vec<f32>,
    translucent: Vec<Translucent>,
}

impl Scene<'_> {
    pub fn into_raster(self) -> Raster {
        let (columns, rows) = ((self.width * self.samples) as usize, (self.height * self.samples) as usize);
        let mut samples = Samples {
            columns,
            colors: vec![[0; 4]; columns * rows],
            depths: vec![f32::NEG_INFINITY; columns * rows],
            translucent: Vec::new(),
        };
        let projected = self.project(columns as f32, rows as f32);
        for (quad, on_screen) in self.quads.iter().zip(&projected) {
            self.draw(quad, on_screen, &mut samples);
        }
        samples.blend_translucent();
        let pixels = samples.averaged(self.samples as usize);
        Raster::from_rgba(self.width, self.height, pixels).expect("one colour per pixel")
    }

    /// Turns everything to the viewer, and fits it into the picture.
    fn project(&self, columns: f32, rows: f32) -> Vec<Projected> {
        let turned = self.quads.iter().map(|quad| Projected {
            corner: self.view.turn(quad.corner),
            across: self.view.turn(quad.across),
            down: self.view.turn(quad.down),
        });
        let mut turned: Vec<Projected> = turned.collect();
        let corners = turned.iter().flat_map(Projected::corners);
        let (mut least, mut most) = ([f32::INFINITY; 2], [f32::NEG_INFINITY; 2]);
        for corner in corners {
            for axis in 0..2 {
                least[axis] = least[axis].min(corner[axis]);
                most[axis] = most[axis].max(corner[axis]);
            }
        }
        let room = 1.0 - 2.0 * self.margin;
        let scale = (columns * room / (most[0] - least[0])).min(rows * room / (most[1] - least[1]));
        let offset = [(columns - scale * (least[0] + most[0])) / 2.0, (rows - scale * (least[1] + most[1])) / 2.0, 0.0];
        for quad in &mut turned {
            quad.corner = add(quad.corner.map(|value| value * scale), offset);
            quad.across = quad.across.map(|value| value * scale);
            quad.down = quad.down.map(|value| value * scale);
        }
        turned
    }

    fn draw(&self, quad: &Quad, on_screen: &Projected, samples: &mut Samples) {
        let Projected { corner, across, down } = on_screen;
        let area = across[0] * down[1] - across[1] * down[0];
        // Seen from its edge, or the inside of a solid box.
        if area.abs() < f32::EPSILON || (quad.is_solid && area < 0.0) {
            return;
        }
        let rows = samples.colors.len() / samples.columns;
        let (xs, ys) = (on_screen.range(0, samples.columns), on_screen.range(1, rows));
        for y in ys {
            for x in xs.clone() {
                let (dx, dy) = (x as f32 + 0.5 - corner[0], y as f32 + 0.5 - corner[1]);
                let s = (dx * down[1] - dy * down[0]) / area;
                let t = (dy * across[0] - dx * across[1]) / area;
                if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
                    let depth = corner[2] + s * across[2] + t * down[2];
                    samples.put(y * samples.columns + x, depth, self.color(quad, s, t));
                }
            }
        }
    }

    fn color(&self, quad: &Quad, s: f32, t: f32) -> [u8; 4] {
        let s = if quad.is_mirrored { 1.0 - s } else { s };
        // A mirrored left edge would read the pixel after the last one.
        let (width, height) = (quad.area.width as f32, quad.area.height as f32);
        let s = (s * width).min(width - 0.001);
        let [r, g, b, a] = self.texture.at(quad.area, s, t * height);
        let lit = |channel: u8| (f32::from(channel) * quad.light).round() as u8;
        [lit(r), lit(g), lit(b), if quad.is_solid { u8::MAX } else { a }]
    }
}

impl Projected {
    fn corners(&self) -> [Vector; 4] {
        let far = add(self.corner, self.across);
        [self.corner, far, add(self.corner, self.down), add(far, self.down)]
    }

    /// The samples that it may cover along one axis.
    fn range(&self, axis: usize, end: usize) -> std::ops::Range<usize> {
        let values = self.corners().map(|corner| corner[axis]);
        let least = values.iter().copied().fold(f32::INFINITY, f32::min);
        let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // A cast of a float saturates.
        (least.floor() as usize)..(most.ceil() as usize).min(end)
    }
}

impl Samples {
    fn put(&mut self, at: usize, depth: f32, color: [u8; 4]) {
        match color[3] {
            0 => {}
            // Later quads of the same depth win: clothes are drawn after the body.
            OPAQUE.. if depth >= self.depths[at] => (self.depths[at], self.colors[at]) = (depth, color),
            OPAQUE.. => {}
            _ => self.translucent.push(Translucent { at, depth, color }),
        }
    }

    /// The farthest first.
    fn blend_translucent(&mut self) {
        self.translucent.sort_by(|a, b| a.at.cmp(&b.at).then(a.depth.total_cmp(&b.depth)));
        for Translucent { at, depth, color } in &self.translucent {
            if *depth >= self.depths[*at] {
                self.colors[*at] = over(*color, self.colors[*at]);
            }
        }
    }

    /// Straight RGBA of the pixels.
    fn averaged(&self, samples: usize) -> Vec<u8> {
        let (width, height) = (self.columns / samples, self.colors.len() / self.columns / samples);
        let mut rgba = Vec::with_capacity(width * height * 4);
        for (y, x) in (0..height).flat_map(|y| (0..width).map(move |x| (y, x))) {
            let mut sum = [0u32; 4];
            for row in 0..samples {
                let start = (y * samples + row) * self.columns + x * samples;
                for &[r, g, b, a] in &self.colors[start..start + samples] {
                    for (total, channel) in sum.iter_mut().zip([r, g, b]) {
                        *total += u32::from(channel) * u32::from(a);
                    }
                    sum[3] += u32::from(a);
                }
            }
            let [r, g, b, a] = sum;
            let straight = |channel: u32| ((channel + a / 2) / a.max(1)) as u8;
            let count = (samples * samples) as u32;
            rgba.extend([straight(r), straight(g), straight(b), ((a + count / 2) / count) as u8]);
        }
        rgba
    }
}

/// A translucent colour over another; both with straight alpha.
fn over(front: [u8; 4], back: [u8; 4]) -> [u8; 4] {
    let (a, b) = (f32::from(front[3]) / 255.0, f32::from(back[3]) / 255.0);
    let alpha = a + b * (1.0 - a);
    let mix = |i: usize| ((f32::from(front[i]) * a + f32::from(back[i]) * b * (1.0 - a)) / alpha).round() as u8;
    [mix(0), mix(1), mix(2), (alpha * 255.0).round() as u8]
}
