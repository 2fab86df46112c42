//! Motifs: loot and symbols, on a square of 64.

use std::f32::consts::TAU;

use super::MotifColors;
use crate::PaintRng;
use crate::canvas::{Canvas, CanvasPoint, Fill};
use crate::color::{WHITE, darker, hex, lighter, mix};

pub fn gem(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let [top_left, top_right] = [(17.0, 10.0), (47.0, 10.0)];
    let [left, right, foot] = [(4.0, 26.0), (60.0, 26.0), (32.0, 58.0)];
    let [inner_left, inner_right] = [(22.0, 26.0), (42.0, 26.0)];
    let facets: [(&[CanvasPoint], _); 7] = [
        (&[top_left, inner_left, left], colors.main),
        (&[top_left, (32.0, 10.0), inner_left], colors.light),
        (&[(32.0, 10.0), inner_right, inner_left], lighter(colors.light, 0.5)),
        (&[(32.0, 10.0), top_right, inner_right], colors.light),
        (&[top_right, right, inner_right], colors.main),
        (&[left, inner_left, foot], mix(colors.main, colors.light, 0.45)),
        (&[inner_left, inner_right, foot], colors.main),
    ];
    canvas.polygon(&[top_left, top_right, right, foot, left], Fill::Solid(colors.main));
    for (corners, color) in facets {
        canvas.polygon(corners, Fill::Solid(color));
    }
    canvas.polygon(&[inner_right, right, foot], Fill::Solid(colors.dark));
    sparkle(canvas, 14.0, 16.0, 4.0);
}

/// A small four-pointed star.
fn sparkle(canvas: &mut Canvas, x: f32, y: f32, reach: f32) {
    let waist = reach * 0.25;
    let corners = [
        (x, y - reach),
        (x + waist, y - waist),
        (x + reach, y),
        (x + waist, y + waist),
        (x, y + reach),
        (x - waist, y + waist),
        (x - reach, y),
        (x - waist, y - waist),
    ];
    canvas.polygon(&corners, Fill::Solid(WHITE));
}

pub fn heart(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    canvas.shape(Fill::vertical(10.0, colors.main, 58.0, colors.dark), |path| {
        path.move_to(32.0, 58.0);
        path.cubic_to(4.0, 40.0, 0.0, 10.0, 18.0, 9.0);
        path.cubic_to(26.0, 9.0, 31.0, 14.0, 32.0, 20.0);
        path.cubic_to(33.0, 14.0, 38.0, 9.0, 46.0, 9.0);
        path.cubic_to(64.0, 10.0, 60.0, 40.0, 32.0, 58.0);
    });
    canvas.shape(Fill::Translucent(colors.light, 0.9), |path| {
        path.move_to(11.0, 28.0);
        path.cubic_to(9.0, 20.0, 13.0, 14.0, 20.0, 14.0);
        path.cubic_to(16.0, 18.0, 14.0, 22.0, 15.0, 28.0);
        path.quad_to(13.0, 31.0, 11.0, 28.0);
    });
}

pub fn star(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    const POINTS: usize = 5;
    let corner = |index: usize| {
        let radius = if index.is_multiple_of(2) { 29.0 } else { 12.5 };
        let angle = TAU * (index as f32 / (2 * POINTS) as f32 - 0.25);
        (32.0 + radius * angle.cos(), 34.0 + radius * angle.sin())
    };
    let all: Vec<CanvasPoint> = (0..2 * POINTS).map(corner).collect();
    canvas.polygon(&all, Fill::Solid(colors.main));
    for index in 0..2 * POINTS {
        let lit = index.is_multiple_of(2);
        let color = if lit { colors.dark } else { colors.light };
        let facet = [(32.0, 34.0), corner(index), corner(index + 1)];
        canvas.polygon(&facet, Fill::Translucent(color, if lit { 0.55 } else { 0.75 }));
    }
}

pub fn bolt(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let shape = [(40.0, 2.0), (12.0, 36.0), (28.0, 36.0), (22.0, 62.0), (53.0, 25.0), (36.0, 25.0), (44.0, 2.0)];
    canvas.polygon(&shape, Fill::vertical(2.0, colors.light, 60.0, colors.main));
    let shade = [(53.0, 25.0), (22.0, 62.0), (26.5, 42.0), (42.0, 25.0)];
    canvas.polygon(&shade, Fill::Translucent(colors.dark, 0.55));
}

pub fn crown(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let body = [(10.0, 46.0), (5.0, 20.0), (19.0, 31.0), (32.0, 11.0), (45.0, 31.0), (59.0, 20.0), (54.0, 46.0)];
    canvas.polygon(&body, Fill::vertical(11.0, colors.light, 48.0, colors.main));
    let shade = [(32.0, 11.0), (45.0, 31.0), (59.0, 20.0), (54.0, 46.0), (32.0, 46.0)];
    canvas.polygon(&shade, Fill::Translucent(colors.dark, 0.35));
    canvas.rounded_rect(9.0, 45.0, 46.0, 9.0, 2.5, Fill::vertical(45.0, colors.main, 54.0, colors.dark));
    for (x, y) in [(5.0, 18.0), (32.0, 9.0), (59.0, 18.0)] {
        canvas.circle(x, y, 4.2, Fill::Solid(colors.trim));
        canvas.circle(x - 1.2, y - 1.2, 1.4, Fill::Translucent(WHITE, 0.8));
    }
    for x in [19.0, 32.0, 45.0] {
        canvas.circle(x, 49.5, 2.6, Fill::Solid(colors.trim));
    }
}

pub fn potion(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    const GLASS: [u8; 3] = hex(0xDDEBF2);
    canvas.rounded_rect(26.0, 12.0, 12.0, 16.0, 1.0, Fill::Translucent(GLASS, 0.95));
    canvas.circle(32.0, 40.0, 20.5, Fill::Solid(GLASS));
    canvas.circle(32.0, 40.0, 18.0, Fill::Solid(darker(GLASS, 0.25)));
    canvas.shape(Fill::vertical(34.0, colors.main, 58.0, colors.dark), |path| {
        path.move_to(14.2, 38.0);
        path.quad_to(23.0, 32.0, 32.0, 37.0);
        path.quad_to(41.0, 42.0, 49.8, 37.0);
        path.cubic_to(51.0, 50.0, 42.0, 58.0, 32.0, 58.0);
        path.cubic_to(22.0, 58.0, 13.0, 50.0, 14.2, 38.0);
    });
    for (x, y, radius) in [(26.0, 48.0, 3.0), (35.0, 45.0, 2.0), (38.0, 52.0, 2.4), (31.0, 30.0, 1.6)] {
        canvas.circle(x, y, radius, Fill::Translucent(colors.light, 0.9));
    }
    canvas.rounded_rect(23.5, 10.0, 17.0, 4.5, 2.0, Fill::Solid(GLASS));
    canvas.rounded_rect(27.0, 3.0, 10.0, 8.0, 2.0, Fill::vertical(3.0, hex(0xC08A52), 11.0, hex(0x7A4A22)));
    canvas.ellipse(21.0, 34.0, 2.4, 5.0, Fill::Translucent(WHITE, 0.75));
}

pub fn skull(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let bone = mix(colors.light, hex(0xF4EFE4), 0.6);
    let shade = mix(bone, colors.dark, 0.4);
    let socket = darker(colors.dark, 0.75);
    canvas.rounded_rect(19.0, 38.0, 26.0, 20.0, 5.0, Fill::vertical(38.0, bone, 58.0, shade));
    canvas.ellipse(32.0, 28.0, 25.0, 23.0, Fill::vertical(5.0, lighter(bone, 0.4), 52.0, shade));
    for (x, glint) in [(21.5, 20.0), (42.5, 41.0)] {
        canvas.ellipse(x, 31.0, 6.8, 7.4, Fill::Solid(socket));
        canvas.circle(glint + 1.5, 31.5, 2.4, Fill::Solid(colors.main));
    }
    canvas.polygon(&[(32.0, 37.0), (28.5, 44.0), (35.5, 44.0)], Fill::Solid(socket));
    for x in [25.0, 32.0, 39.0] {
        canvas.line(&[(x, 50.0), (x, 56.5)], 1.8, Fill::Solid(socket));
    }
}
