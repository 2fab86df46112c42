//! Skies: gradient, stars, sun or moon, northern lights, clouds.

use rand::RngExt;

use super::PaintRng;
use super::canvas::{Canvas, CanvasPoint, Fill};
use super::color::{brightness, lighter, mix};
use super::palette::Palette;

/// A palette with a darker top has a night sky.
const NIGHT_BRIGHTNESS: f32 = 0.2;

/// Returns the position of the sun or moon.
pub fn paint(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) -> CanvasPoint {
    let (width, height) = (canvas.width(), canvas.height());
    canvas.fill_all(Fill::vertical(0.0, palette.top, height * 0.85, palette.bottom));
    let night = brightness(palette.top) < NIGHT_BRIGHTNESS;
    let sun = (width * rng.random_range(0.55..0.8), height * rng.random_range(0.25..0.42));
    if night {
        stars(canvas, palette, rng);
        if rng.random_bool(0.4) {
            northern_lights(canvas, palette, rng);
        }
    }
    sun_or_moon(canvas, palette, sun, night && rng.random_bool(0.6));
    clouds(canvas, palette, rng);
    sun
}

fn stars(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let count = (width * height / 240.0) as usize;
    for _ in 0..count {
        let (x, y) = (rng.random_range(0.0..width), rng.random_range(0.0..height * 0.6));
        let radius = rng.random_range(0.35..0.95);
        let fill = Fill::Translucent(palette.glow, rng.random_range(0.35..0.95));
        canvas.circle(x, y, radius, fill);
    }
}

/// Narrow columns along a wave, bright below and fading upwards.
fn northern_lights(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    const COLUMN: f32 = 4.0;
    let (width, height) = (canvas.width(), canvas.height());
    for _ in 0..2 {
        let (base, reach) = (height * rng.random_range(0.35..0.5), height * 0.34);
        let (length, phase) = (height * rng.random_range(0.7..1.3), rng.random_range(0.0..6.0_f32));
        let tint = mix(palette.accent, palette.bottom, rng.random_range(0.0..0.5));
        for column in 0..(width / COLUMN).ceil() as usize {
            let x = column as f32 * COLUMN;
            let bottom = base + (x / length + phase).sin() * height * 0.1;
            let strength = 0.16 + 0.2 * (x / length * 0.37 + phase * 2.0).sin();
            let fill = Fill::FadeOut((0.0, bottom), (0.0, bottom - reach), tint, strength);
            canvas.rect(x, bottom - reach, COLUMN, reach, fill);
        }
    }
}

fn sun_or_moon(canvas: &mut Canvas, palette: &Palette, (x, y): CanvasPoint, moon: bool) {
    let height = canvas.height();
    let radius = height * 0.16;
    canvas.glow((x, y), height * 1.1, palette.glow, 0.5);
    let (top, bottom) = (lighter(palette.glow, 0.5), mix(palette.glow, palette.accent, 0.5));
    canvas.circle(x, y, radius, Fill::vertical(y - radius, top, y + radius, bottom));
    if moon {
        let shade = mix(palette.glow, palette.far, 0.35);
        for (dx, dy, size) in [(-0.3, -0.2, 0.26), (0.35, 0.25, 0.2), (-0.1, 0.5, 0.14)] {
            let (x, y) = (x + dx * radius, y + dy * radius);
            canvas.circle(x, y, size * radius, Fill::Translucent(shade, 0.7));
        }
    }
}

fn clouds(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let fill = Fill::Translucent(mix(palette.glow, palette.bottom, 0.4), 0.28);
    for _ in 0..(width / 70.0).ceil() as usize {
        let (x, y) = (rng.random_range(0.0..width), height * rng.random_range(0.08..0.42));
        let (length, thick) = (height * rng.random_range(0.35..0.9), height * 0.05);
        canvas.rounded_rect(x, y, length, thick, thick / 2.0, fill);
        canvas.rounded_rect(x + length * 0.25, y - thick, length * 0.5, thick * 2.0, thick, fill);
    }
}
