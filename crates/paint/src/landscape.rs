//! Landscapes in the colours of a palette, at any size.

use rand::RngExt;

use super::PaintRng;
use super::canvas::{Canvas, CanvasPoint, Fill};
use super::color::{Rgb, WHITE, darker, lighter, mix};
use super::palette::Palette;
use super::sky;

/// Share of the height below which the ground covers everything.
const COVERED: f32 = 0.8;

/// Paints sky, horizon and ground.
pub fn paint(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let height = canvas.height();
    let sun = sky::paint(canvas, palette, rng);
    let mist = mix(palette.far, palette.bottom, 0.5);
    let near = mix(palette.near, palette.far, 0.25);
    let horizon = rng.random_range(0..4);
    let ground = rng.random_range(0..4);
    match horizon {
        0 => mountains(canvas, 1.0, mist, palette, rng),
        1 => {
            mountains(canvas, 1.9, mix(mist, palette.bottom, 0.4), palette, rng);
            mountains(canvas, 0.7, mix(mist, palette.far, 0.4), palette, rng);
        }
        2 => mesas(canvas, mist, rng),
        _ => {
            hills(canvas, height * 0.62, height * 0.26, mix(mist, palette.bottom, 0.45), rng);
            islands(canvas, palette, rng);
        }
    }
    if ground != 0 {
        hills(canvas, height * 0.78, height * 0.16, palette.far, rng);
    }
    match ground {
        0 => sea(canvas, height * 0.72, sun.0, palette, rng),
        1 => hills(canvas, height * 0.92, height * 0.14, near, rng),
        2 => pines(canvas, height * 0.92, near, rng),
        _ => skyline(canvas, height * 0.86, near, palette, rng),
    }
}

fn mountains(canvas: &mut Canvas, size: f32, color: Rgb, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let base = height * 0.68;
    let mut x = -height * size * rng.random_range(0.2..0.8);
    while x < width {
        let reach = height * size * rng.random_range(0.4..0.75);
        let rise = height * (0.14 + 0.1 * size) * rng.random_range(0.8..1.5);
        let (peak, foot) = ((x + reach, base - rise), height * COVERED);
        let slope = (foot - peak.1) / rise * reach;
        let lit = [peak, (peak.0 - slope, foot), (peak.0 + reach * 0.12, foot)];
        canvas.polygon(&lit, Fill::vertical(peak.1, lighter(color, 0.16), foot, color));
        let shaded = [peak, (peak.0 + reach * 0.12, foot), (peak.0 + slope, foot)];
        canvas.polygon(&shaded, Fill::vertical(peak.1, darker(color, 0.16), foot, color));
        if rise > height * 0.22 {
            snow(canvas, peak, reach / rise, rise * 0.32, palette.glow);
        }
        x += reach * rng.random_range(0.6..1.9);
    }
}

fn snow(canvas: &mut Canvas, (x, y): CanvasPoint, spread: f32, depth: f32, color: Rgb) {
    let half = depth * spread;
    let cap = [
        (x, y),
        (x + half, y + depth),
        (x + half * 0.45, y + depth * 0.75),
        (x, y + depth * 1.15),
        (x - half * 0.5, y + depth * 0.75),
        (x - half, y + depth),
    ];
    canvas.polygon(&cap, Fill::Translucent(mix(color, WHITE, 0.4), 0.85));
}

/// Flat-topped rocks with coloured layers.
fn mesas(canvas: &mut Canvas, color: Rgb, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let mut x = -height * 0.3;
    while x < width {
        let across = height * rng.random_range(0.5..1.5);
        let top = height * rng.random_range(0.36..0.58);
        let flare = height * 0.14;
        let rock = [(x, height), (x + flare, top), (x + across - flare, top), (x + across, height)];
        canvas.polygon(&rock, Fill::vertical(top, lighter(color, 0.14), height * 0.8, darker(color, 0.08)));
        for band in 1..3 {
            let y = top + height * 0.09 * band as f32;
            let inset = flare * (height - y) / (height - top);
            let fill = Fill::Translucent(darker(color, 0.25), 0.4);
            canvas.rect(x + inset, y, across - 2.0 * inset, height * 0.025, fill);
        }
        x += across * rng.random_range(0.9..1.7);
    }
}

/// Floating islands with trees.
fn islands(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let rock = mix(palette.far, palette.near, 0.4);
    let turf = mix(palette.far, palette.accent, 0.45);
    let mut x = width * rng.random_range(0.05..0.3);
    while x < width {
        let (half, y) = (height * rng.random_range(0.14..0.3), height * rng.random_range(0.34..0.52));
        let under = [
            (x - half, y),
            (x + half, y),
            (x + half * 0.55, y + half * 0.55),
            (x + half * 0.1, y + half * 1.05),
            (x - half * 0.5, y + half * 0.6),
        ];
        canvas.polygon(&under, Fill::vertical(y, lighter(rock, 0.12), y + half, darker(rock, 0.2)));
        for (offset, size) in [(-0.35, 0.42), (0.3, 0.3)] {
            let (foot, tall) = (x + offset * half, half * size);
            canvas.rect(foot - 0.6, y - tall, 1.2, tall, Fill::Solid(rock));
            canvas.circle(foot, y - tall * 1.3, tall * 0.75, Fill::Solid(darker(turf, 0.12)));
        }
        let thick = height * 0.06;
        canvas.rounded_rect(x - half, y - thick * 0.6, half * 2.0, thick, thick / 2.0, Fill::Solid(turf));
        x += height * rng.random_range(0.9..2.4);
    }
}

/// A wavy line. Two waves of different length do not look regular.
fn ridge(width: f32, base: f32, rise: f32, rng: &mut PaintRng) -> Vec<CanvasPoint> {
    const STEP: f32 = 3.0;
    let (phase, second) = (rng.random_range(0.0..6.0_f32), rng.random_range(0.0..6.0_f32));
    let length = rise * rng.random_range(2.0..4.5);
    let steps = (width / STEP).ceil() as usize;
    (0..=steps)
        .map(|step| {
            let x = step as f32 * STEP;
            let wave = (x / length + phase).sin() * 0.6 + (x / length * 2.3 + second).sin() * 0.4;
            (x, base - rise * 0.5 * (1.0 + wave))
        })
        .collect()
}

fn hills(canvas: &mut Canvas, base: f32, rise: f32, color: Rgb, rng: &mut PaintRng) {
    let height = canvas.height();
    let mut line = ridge(canvas.width(), base, rise, rng);
    let right = line.last().map_or(0.0, |last| last.0);
    line.extend([(right, height), (0.0, height)]);
    let fill = Fill::vertical(base - rise, lighter(color, 0.14), height, darker(color, 0.2));
    canvas.polygon(&line, fill);
}

fn pines(canvas: &mut Canvas, base: f32, color: Rgb, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let mut x = 0.0;
    while x < width + 4.0 {
        let tall = height * rng.random_range(0.16..0.38);
        let half = tall * 0.26;
        for tier in 0..3 {
            let top = base - tall + tall * 0.24 * tier as f32;
            let reach = half * (0.55 + 0.225 * tier as f32);
            let low = top + tall * 0.42;
            canvas.polygon(&[(x, top), (x - reach, low), (x + reach, low)], Fill::Solid(color));
        }
        x += half * rng.random_range(0.9..2.6);
    }
    hills(canvas, base + 1.0, height * 0.08, color, rng);
}

fn sea(canvas: &mut Canvas, top: f32, sun: f32, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let surface = mix(palette.far, palette.bottom, 0.35);
    canvas.rect(0.0, top, width, height - top, Fill::vertical(top, surface, height, palette.near));
    for row in 0..6 {
        let y = top + 1.5 + (height - top) * row as f32 / 6.0;
        let reach = height * (0.1 + 0.04 * row as f32) * rng.random_range(0.6..1.1);
        canvas.rounded_rect(sun - reach, y, reach * 2.0, 1.2, 0.6, Fill::Translucent(palette.glow, 0.6));
        for _ in 0..(width / 50.0).ceil() as usize {
            let x = rng.random_range(0.0..width);
            canvas.rounded_rect(x, y + 1.0, height * 0.14, 1.0, 0.5, Fill::Translucent(palette.glow, 0.2));
        }
    }
}

fn skyline(canvas: &mut Canvas, base: f32, color: Rgb, palette: &Palette, rng: &mut PaintRng) {
    let (width, height) = (canvas.width(), canvas.height());
    let unit = (height / 16.0).round().max(2.0);
    let mut x = 0.0;
    while x < width {
        let columns = rng.random_range(2..=4) as f32;
        let top = base - unit * rng.random_range(1..=5) as f32;
        canvas.rect(x, top, columns * unit, height - top, Fill::Solid(color));
        if rng.random_bool(0.4) {
            let (middle, right) = (x + columns * unit / 2.0, x + columns * unit + 1.0);
            let roof = [(x - 1.0, top), (middle, top - unit * 1.6), (right, top)];
            canvas.polygon(&roof, Fill::Solid(color));
        }
        let (window, glow) = (unit * 0.45, Fill::Translucent(palette.accent, 0.85));
        for column in 1..columns as usize {
            if rng.random_bool(0.6) {
                let left = x + column as f32 * unit - window / 2.0;
                canvas.rect(left, top + unit * 0.7, window, window * 1.3, glow);
            }
        }
        x += columns * unit + rng.random_range(0.0..unit * 3.0);
    }
    canvas.rect(0.0, base, width, height - base, Fill::Solid(color));
}
