//! Motifs: buildings, nature and space, on a square of 64.

use std::f32::consts::PI;

use rand::RngExt;
use tiny_skia::Transform;

use super::MotifColors;
use crate::PaintRng;
use crate::canvas::{Canvas, CanvasPoint, Fill};
use crate::color::{Rgb, WHITE, darker, hex, lighter, mix, shifted};

pub fn castle(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let stone = mix(colors.main, hex(0xE8E4DC), 0.45);
    let shade = mix(stone, colors.dark, 0.65);
    let gap = darker(colors.dark, 0.6);
    let wall = Fill::vertical(26.0, stone, 60.0, shade);
    canvas.rect(14.0, 34.0, 36.0, 25.0, wall);
    for x in [17.0, 26.0, 34.5] {
        canvas.rect(x, 29.0, 5.5, 6.0, wall);
    }
    for x in [5.0, 44.0] {
        canvas.rect(x, 24.0, 15.0, 35.0, Fill::Linear((x, 0.0), lighter(stone, 0.3), (x + 15.0, 0.0), shade));
        canvas.polygon(
            &[(x - 2.0, 25.0), (x + 7.5, 6.0), (x + 17.0, 25.0)],
            Fill::Linear((x, 0.0), lighter(colors.trim, 0.2), (x + 15.0, 0.0), darker(colors.trim, 0.3)),
        );
        canvas.rounded_rect(x + 5.5, 31.0, 4.0, 8.0, 2.0, Fill::Solid(gap));
    }
    canvas.shape(Fill::Solid(gap), |path| {
        path.move_to(25.0, 59.0);
        path.line_to(25.0, 48.0);
        path.cubic_to(25.0, 38.0, 39.0, 38.0, 39.0, 48.0);
        path.line_to(39.0, 59.0);
    });
    canvas.line(&[(32.0, 29.0), (32.0, 11.0)], 1.6, Fill::Solid(shade));
    canvas.polygon(&[(32.5, 10.0), (44.0, 14.0), (32.5, 18.5)], Fill::Solid(colors.trim));
}

/// The point at shares `u` and `v` of the edges of a slanted face.
fn on_face(corner: CanvasPoint, across: CanvasPoint, down: CanvasPoint, u: f32, v: f32) -> CanvasPoint {
    (corner.0 + across.0 * u + down.0 * v, corner.1 + across.1 * u + down.1 * v)
}

/// A block seen from a corner, each face made of square pixels.
pub fn block(canvas: &mut Canvas, colors: &MotifColors, rng: &mut PaintRng) {
    const CELLS: usize = 6;
    let soil = if rng.random_bool(0.5) { hex(0x8A5A3B) } else { mix(colors.trim, hex(0x6B6470), 0.5) };
    let across = [(26.0, 13.0), (26.0, 13.0), (26.0, -13.0)];
    let faces: [(CanvasPoint, CanvasPoint, CanvasPoint, f32); 3] = [
        ((6.0, 18.0), across[2], (26.0, 13.0), 0.0),
        ((6.0, 18.0), across[0], (0.0, 28.0), 0.22),
        ((32.0, 31.0), across[2], (0.0, 28.0), 0.42),
    ];
    for (face, &(corner, across, down, shade)) in faces.iter().enumerate() {
        let whole = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(u, v)| on_face(corner, across, down, u, v));
        let ground = if face == 0 { colors.main } else { soil };
        canvas.polygon(&whole, Fill::Solid(darker(ground, shade)));
        for cell in 0..CELLS * CELLS {
            let (column, row) = (cell % CELLS, cell / CELLS);
            let drip = rng.random_range(1..=2);
            let turf = face == 0 || row < drip;
            let color = shifted(if turf { colors.main } else { soil }, rng.random_range(-24..=24));
            let [u, v] = [column, row].map(|index| index as f32 / CELLS as f32);
            let step = 1.0 / CELLS as f32 + 0.01;
            let corners = [(u, v), (u + step, v), (u + step, v + step), (u, v + step)]
                .map(|(u, v)| on_face(corner, across, down, u.min(1.0), v.min(1.0)));
            canvas.polygon(&corners, Fill::Solid(darker(color, shade)));
        }
    }
}

pub fn tree(canvas: &mut Canvas, colors: &MotifColors, rng: &mut PaintRng) {
    // Summer, blossom and autumn colours. Other colours are hard to recognise as a tree.
    const LEAVES: [u32; 4] = [0x5DBB4A, 0x3FA66B, 0xF29CC3, 0xF08A3C];
    let leaf = hex(LEAVES[rng.random_range(0..LEAVES.len())]);
    let (light, dark) = (lighter(leaf, 0.45), darker(leaf, 0.35));
    canvas.rounded_rect(
        28.0,
        40.0,
        8.0,
        21.0,
        2.0,
        Fill::Linear((28.0, 0.0), hex(0x8B5A34), (36.0, 0.0), hex(0x54321A)),
    );
    if rng.random_bool(0.5) {
        for (top, bottom, reach) in [(30.0, 52.0, 24.0), (17.0, 39.0, 19.0), (3.0, 25.0, 14.0)] {
            let left = [(32.0, top), (32.0 - reach, bottom), (32.0, bottom)];
            canvas.polygon(&left, Fill::Solid(lighter(leaf, 0.15)));
            let right = [(32.0, top), (32.0 + reach, bottom), (32.0, bottom)];
            canvas.polygon(&right, Fill::Solid(dark));
        }
        return;
    }
    for (x, y, radius) in [(20.0, 34.0, 14.0), (44.0, 34.0, 14.0), (32.0, 20.0, 17.0)] {
        canvas.circle(x, y, radius, Fill::vertical(4.0, leaf, 48.0, dark));
    }
    for (x, y, radius) in [(27.0, 14.0, 6.5), (16.0, 30.0, 5.0), (41.0, 29.0, 4.5)] {
        canvas.circle(x, y, radius, Fill::Translucent(light, 0.5));
    }
    for (x, y) in [(36.0, 22.0), (24.0, 38.0), (47.0, 37.0)] {
        canvas.circle(x, y, 2.6, Fill::Solid(colors.trim));
    }
}

pub fn rocket(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let before = canvas.transform;
    canvas.transform = before.pre_concat(Transform::from_rotate_at(40.0, 32.0, 32.0));
    for (color, reach) in [(hex(0xFF7A2F), 66.0), (hex(0xFFD24A), 58.0)] {
        canvas.shape(Fill::Solid(color), |path| {
            path.move_to(25.0, 46.0);
            path.quad_to(26.0, 56.0, 32.0, reach);
            path.quad_to(38.0, 56.0, 39.0, 46.0);
        });
    }
    for side in [-1.0, 1.0] {
        let fin = [
            (32.0 + 8.0 * side, 30.0),
            (32.0 + 19.0 * side, 46.0),
            (32.0 + 17.0 * side, 52.0),
            (32.0 + 7.0 * side, 45.0),
        ];
        canvas.polygon(&fin, Fill::Solid(colors.trim));
    }
    let hull = Fill::Linear((20.0, 0.0), lighter(colors.light, 0.5), (44.0, 0.0), mix(colors.main, colors.dark, 0.4));
    canvas.shape(hull, |path| {
        path.move_to(32.0, -2.0);
        path.cubic_to(46.0, 10.0, 46.0, 30.0, 40.0, 48.0);
        path.line_to(24.0, 48.0);
        path.cubic_to(18.0, 30.0, 18.0, 10.0, 32.0, -2.0);
    });
    canvas.circle(32.0, 22.0, 7.0, Fill::Solid(colors.trim));
    canvas.circle(32.0, 22.0, 4.8, Fill::vertical(16.0, hex(0xBDEBFF), 28.0, hex(0x2C6FA8)));
    canvas.rect(24.0, 44.5, 16.0, 3.5, Fill::Solid(colors.dark));
    canvas.transform = before;
}

/// Half of a tilted ring: the back is drawn before the planet, the front after it.
fn half_ring(canvas: &mut Canvas, from: f32, color: Rgb) {
    const STEPS: usize = 24;
    let corners: Vec<CanvasPoint> = (0..=STEPS)
        .map(|step| {
            let angle = from + PI * step as f32 / STEPS as f32;
            (32.0 + 30.0 * angle.cos(), 32.0 + 8.5 * angle.sin())
        })
        .collect();
    canvas.line(&corners, 4.2, Fill::Solid(color));
}

pub fn planet(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let before = canvas.transform;
    canvas.transform = before.pre_concat(Transform::from_rotate_at(-22.0, 32.0, 32.0));
    half_ring(canvas, PI, darker(colors.trim, 0.3));
    canvas.circle(32.0, 32.0, 19.5, Fill::Linear((18.0, 16.0), colors.light, (48.0, 50.0), colors.dark));
    for (y, half, height) in [(21.0, 15.5, 3.0), (28.0, 18.0, 2.4), (41.0, 16.0, 3.4)] {
        canvas.rounded_rect(32.0 - half, y, half * 2.0, height, 1.2, Fill::Translucent(colors.main, 0.75));
    }
    canvas.circle(25.0, 24.0, 5.0, Fill::Translucent(WHITE, 0.3));
    half_ring(canvas, 0.0, colors.trim);
    canvas.transform = before;
}

pub fn flame(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let layers = [(1.0, colors.dark, colors.main), (0.72, colors.main, colors.light), (0.42, colors.light, WHITE)];
    for (size, low, high) in layers {
        let at = |x: f32, y: f32| (32.0 + (x - 32.0) * size, 61.0 + (y - 61.0) * size);
        let fill = Fill::vertical(at(0.0, 2.0).1, high, 61.0, low);
        canvas.shape(fill, |path| {
            let curve = |path: &mut tiny_skia::PathBuilder, a: CanvasPoint, b: CanvasPoint, c: CanvasPoint| {
                path.cubic_to(a.0, a.1, b.0, b.1, c.0, c.1);
            };
            let start = at(34.0, 2.0);
            path.move_to(start.0, start.1);
            curve(path, at(36.0, 16.0), at(56.0, 24.0), at(54.0, 42.0));
            curve(path, at(53.0, 56.0), at(42.0, 61.0), at(32.0, 61.0));
            curve(path, at(18.0, 61.0), at(9.0, 52.0), at(11.0, 38.0));
            curve(path, at(12.0, 31.0), at(16.0, 28.0), at(18.0, 22.0));
            curve(path, at(22.0, 26.0), at(23.0, 28.0), at(24.0, 31.0));
            curve(path, at(31.0, 24.0), at(34.0, 14.0), at(34.0, 2.0));
        });
    }
}
