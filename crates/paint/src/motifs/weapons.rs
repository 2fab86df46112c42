//! Motifs: tools and weapons, on a square of 64.

use tiny_skia::Transform;

use super::MotifColors;
use crate::PaintRng;
use crate::canvas::{Canvas, Fill};
use crate::color::{Rgb, darker, hex, lighter};

const WOOD: Rgb = hex(0x9A6236);
const WOOD_DARK: Rgb = hex(0x5E3719);

/// Draws with the canvas rotated about the middle of the square.
fn rotated(canvas: &mut Canvas, degrees: f32, draw: impl FnOnce(&mut Canvas)) {
    let before = canvas.transform;
    canvas.transform = before.pre_concat(Transform::from_rotate_at(degrees, 32.0, 32.0));
    draw(canvas);
    canvas.transform = before;
}

fn handle(canvas: &mut Canvas, x: f32, top: f32, width: f32, bottom: f32) {
    let fill = Fill::Linear((x, 0.0), WOOD, (x + width, 0.0), WOOD_DARK);
    canvas.rounded_rect(x, top, width, bottom - top, 2.0, fill);
}

fn upright_sword(canvas: &mut Canvas, colors: &MotifColors) {
    let edge = [(32.0, -3.0), (26.0, 8.0), (26.0, 44.0), (32.0, 44.0)];
    canvas.polygon(&edge, Fill::Solid(colors.light));
    let back = [(32.0, -3.0), (38.0, 8.0), (38.0, 44.0), (32.0, 44.0)];
    canvas.polygon(&back, Fill::Solid(colors.main));
    canvas.rect(31.2, 9.0, 1.6, 34.0, Fill::Solid(colors.dark));
    handle(canvas, 29.5, 46.0, 5.0, 58.0);
    let guard = Fill::vertical(42.0, lighter(colors.trim, 0.3), 48.0, darker(colors.trim, 0.2));
    canvas.rounded_rect(20.0, 42.5, 24.0, 5.5, 2.5, guard);
    canvas.circle(32.0, 59.0, 4.0, guard);
}

pub fn sword(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    rotated(canvas, 45.0, |canvas| upright_sword(canvas, colors));
}

pub fn crossed_swords(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    rotated(canvas, -45.0, |canvas| upright_sword(canvas, colors));
    rotated(canvas, 45.0, |canvas| upright_sword(canvas, colors));
}

pub fn pickaxe(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    rotated(canvas, 45.0, |canvas| {
        handle(canvas, 29.0, 10.0, 6.0, 64.0);
        canvas.shape(Fill::Linear((6.0, 0.0), colors.light, (58.0, 0.0), colors.dark), |path| {
            path.move_to(4.0, 27.0);
            path.quad_to(12.0, 5.0, 32.0, 4.0);
            path.quad_to(52.0, 5.0, 60.0, 27.0);
            path.quad_to(46.0, 15.0, 32.0, 15.0);
            path.quad_to(18.0, 15.0, 4.0, 27.0);
        });
        let band = Fill::vertical(2.0, lighter(colors.trim, 0.2), 18.0, colors.trim);
        canvas.rounded_rect(27.0, 2.5, 10.0, 14.0, 2.0, band);
    });
}

pub fn axe(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    rotated(canvas, 35.0, |canvas| {
        handle(canvas, 28.0, 4.0, 6.0, 62.0);
        canvas.shape(Fill::Linear((32.0, 0.0), colors.dark, (56.0, 0.0), colors.main), |path| {
            path.move_to(33.0, 12.0);
            path.quad_to(44.0, 11.0, 52.0, 3.0);
            path.quad_to(64.0, 20.0, 52.0, 39.0);
            path.quad_to(44.0, 29.0, 33.0, 28.0);
        });
        canvas.shape(Fill::Solid(colors.light), |path| {
            path.move_to(52.0, 3.0);
            path.quad_to(64.0, 20.0, 52.0, 39.0);
            path.quad_to(57.0, 21.0, 52.0, 3.0);
        });
        canvas.polygon(
            &[(29.0, 13.0), (16.0, 9.0), (16.0, 31.0), (29.0, 27.0)],
            Fill::vertical(9.0, colors.main, 31.0, colors.dark),
        );
        canvas.rounded_rect(26.0, 11.0, 10.0, 18.0, 2.0, Fill::Solid(colors.trim));
    });
}

fn shield_half(canvas: &mut Canvas, side: f32, inset: f32, fill: Fill) {
    let reach = (23.0 - inset) * side;
    canvas.shape(fill, |path| {
        path.move_to(32.0, 6.0 + inset);
        path.quad_to(32.0 + reach * 0.55, 12.0 + inset, 32.0 + reach, 12.0 + inset);
        path.line_to(32.0 + reach, 30.0);
        path.quad_to(32.0 + reach, 49.0 - inset * 0.6, 32.0, 60.0 - inset * 1.2);
    });
}

pub fn shield(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    let rim = Fill::Linear((10.0, 6.0), lighter(colors.trim, 0.5), (54.0, 60.0), colors.trim);
    shield_half(canvas, -1.0, 0.0, rim);
    shield_half(canvas, 1.0, 0.0, rim);
    shield_half(canvas, -1.0, 4.5, Fill::vertical(8.0, colors.light, 50.0, colors.main));
    shield_half(canvas, 1.0, 4.5, Fill::vertical(8.0, colors.main, 50.0, colors.dark));
    let cross = Fill::Solid(darker(colors.dark, 0.35));
    canvas.rounded_rect(29.0, 18.0, 6.0, 30.0, 2.0, cross);
    canvas.rounded_rect(20.0, 25.0, 24.0, 6.0, 2.0, cross);
}

pub fn bow(canvas: &mut Canvas, colors: &MotifColors, _rng: &mut PaintRng) {
    rotated(canvas, -45.0, |canvas| {
        canvas.line(&[(26.0, 4.0), (26.0, 60.0)], 1.6, Fill::Solid(colors.light));
        canvas.shape(Fill::vertical(4.0, colors.main, 60.0, colors.dark), |path| {
            path.move_to(24.0, 2.0);
            path.cubic_to(34.0, 8.0, 48.0, 16.0, 48.0, 32.0);
            path.cubic_to(48.0, 48.0, 34.0, 56.0, 24.0, 62.0);
            path.cubic_to(34.0, 52.0, 40.0, 46.0, 40.0, 32.0);
            path.cubic_to(40.0, 18.0, 34.0, 12.0, 24.0, 2.0);
        });
        canvas.rounded_rect(38.5, 25.0, 11.0, 14.0, 3.0, Fill::Solid(WOOD_DARK));
        canvas.line(&[(4.0, 32.0), (56.0, 32.0)], 3.2, Fill::Solid(WOOD));
        let tip = [(63.0, 32.0), (52.0, 25.5), (54.5, 32.0), (52.0, 38.5)];
        canvas.polygon(&tip, Fill::Solid(colors.light));
        for x in [2.0, 7.0] {
            let feather = [(x + 8.0, 32.0), (x + 3.0, 26.0), (x, 26.0), (x + 4.0, 32.0), (x, 38.0), (x + 3.0, 38.0)];
            canvas.polygon(&feather, Fill::Solid(colors.trim));
        }
    });
}
