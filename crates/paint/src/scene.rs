//! Landscapes in the colours of a palette, at any size: behind banners and on scenic icons.

use rand::RngExt;

use super::Dice;
use super::canvas::{At, Canvas, Ink};
use super::color::{Rgb, WHITE, darker, lighter, mix};
use super::palette::Palette;
use super::sky;

/// Share of the height below which the ground hides everything.
const HIDDEN: f32 = 0.8;

/// Paints sky, a horizon, and the ground before it.
pub fn landscape(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let height = canvas.height();
    let sun = sky::paint(canvas, palette, dice);
    let mist = mix(palette.far, palette.bottom, 0.5);
    let near = mix(palette.near, palette.far, 0.25);
    let horizon = dice.random_range(0..4);
    let ground = dice.random_range(0..4);
    match horizon {
        0 => mountains(canvas, 1.0, mist, palette, dice),
        1 => {
            mountains(canvas, 1.9, mix(mist, palette.bottom, 0.4), palette, dice);
            mountains(canvas, 0.7, mix(mist, palette.far, 0.4), palette, dice);
        }
        2 => mesas(canvas, mist, dice),
        _ => {
            hills(canvas, height * 0.62, height * 0.26, mix(mist, palette.bottom, 0.45), dice);
            islands(canvas, palette, dice);
        }
    }
    if ground != 0 {
        hills(canvas, height * 0.78, height * 0.16, palette.far, dice);
    }
    match ground {
        0 => sea(canvas, height * 0.72, sun.0, palette, dice),
        1 => hills(canvas, height * 0.92, height * 0.14, near, dice),
        2 => pines(canvas, height * 0.92, near, dice),
        _ => skyline(canvas, height * 0.86, near, palette, dice),
    }
}

fn mountains(canvas: &mut Canvas, size: f32, color: Rgb, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let base = height * 0.68;
    let mut x = -height * size * dice.random_range(0.2..0.8);
    while x < width {
        let reach = height * size * dice.random_range(0.4..0.75);
        let rise = height * (0.14 + 0.1 * size) * dice.random_range(0.8..1.5);
        let (peak, foot) = ((x + reach, base - rise), height * HIDDEN);
        let slope = (foot - peak.1) / rise * reach;
        let lit = [peak, (peak.0 - slope, foot), (peak.0 + reach * 0.12, foot)];
        canvas.polygon(&lit, Ink::down(peak.1, lighter(color, 0.16), foot, color));
        let shaded = [peak, (peak.0 + reach * 0.12, foot), (peak.0 + slope, foot)];
        canvas.polygon(&shaded, Ink::down(peak.1, darker(color, 0.16), foot, color));
        if rise > height * 0.22 {
            snow(canvas, peak, reach / rise, rise * 0.32, palette.glow);
        }
        x += reach * dice.random_range(0.6..1.9);
    }
}

fn snow(canvas: &mut Canvas, (x, y): At, spread: f32, depth: f32, color: Rgb) {
    let half = depth * spread;
    let cap = [
        (x, y),
        (x + half, y + depth),
        (x + half * 0.45, y + depth * 0.75),
        (x, y + depth * 1.15),
        (x - half * 0.5, y + depth * 0.75),
        (x - half, y + depth),
    ];
    canvas.polygon(&cap, Ink::Veil(mix(color, WHITE, 0.4), 0.85));
}

/// Flat-topped rocks with layers of colour.
fn mesas(canvas: &mut Canvas, color: Rgb, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let mut x = -height * 0.3;
    while x < width {
        let across = height * dice.random_range(0.5..1.5);
        let top = height * dice.random_range(0.36..0.58);
        let flare = height * 0.14;
        let rock = [(x, height), (x + flare, top), (x + across - flare, top), (x + across, height)];
        canvas.polygon(&rock, Ink::down(top, lighter(color, 0.14), height * 0.8, darker(color, 0.08)));
        for band in 1..3 {
            let y = top + height * 0.09 * band as f32;
            let inset = flare * (height - y) / (height - top);
            let ink = Ink::Veil(darker(color, 0.25), 0.4);
            canvas.rect(x + inset, y, across - 2.0 * inset, height * 0.025, ink);
        }
        x += across * dice.random_range(0.9..1.7);
    }
}

/// Islands in the air, each with a tree or two: many servers play on them.
fn islands(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let rock = mix(palette.far, palette.near, 0.4);
    let turf = mix(palette.far, palette.accent, 0.45);
    let mut x = width * dice.random_range(0.05..0.3);
    while x < width {
        let (half, y) = (height * dice.random_range(0.14..0.3), height * dice.random_range(0.34..0.52));
        let under = [
            (x - half, y),
            (x + half, y),
            (x + half * 0.55, y + half * 0.55),
            (x + half * 0.1, y + half * 1.05),
            (x - half * 0.5, y + half * 0.6),
        ];
        canvas.polygon(&under, Ink::down(y, lighter(rock, 0.12), y + half, darker(rock, 0.2)));
        for (offset, size) in [(-0.35, 0.42), (0.3, 0.3)] {
            let (foot, tall) = (x + offset * half, half * size);
            canvas.rect(foot - 0.6, y - tall, 1.2, tall, Ink::Flat(rock));
            canvas.circle(foot, y - tall * 1.3, tall * 0.75, Ink::Flat(darker(turf, 0.12)));
        }
        let thick = height * 0.06;
        canvas.rounded(x - half, y - thick * 0.6, half * 2.0, thick, thick / 2.0, Ink::Flat(turf));
        x += height * dice.random_range(0.9..2.4);
    }
}

/// A rolling line: two waves of unrelated length never look regular.
fn ridge(width: f32, base: f32, rise: f32, dice: &mut Dice) -> Vec<At> {
    const STEP: f32 = 3.0;
    let (phase, second) = (dice.random_range(0.0..6.0_f32), dice.random_range(0.0..6.0_f32));
    let length = rise * dice.random_range(2.0..4.5);
    let steps = (width / STEP).ceil() as usize;
    (0..=steps)
        .map(|step| {
            let x = step as f32 * STEP;
            let wave = (x / length + phase).sin() * 0.6 + (x / length * 2.3 + second).sin() * 0.4;
            (x, base - rise * 0.5 * (1.0 + wave))
        })
        .collect()
}

fn hills(canvas: &mut Canvas, base: f32, rise: f32, color: Rgb, dice: &mut Dice) {
    let height = canvas.height();
    let mut line = ridge(canvas.width(), base, rise, dice);
    let right = line.last().map_or(0.0, |last| last.0);
    line.extend([(right, height), (0.0, height)]);
    let ink = Ink::down(base - rise, lighter(color, 0.14), height, darker(color, 0.2));
    canvas.polygon(&line, ink);
}

fn pines(canvas: &mut Canvas, base: f32, color: Rgb, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let mut x = 0.0;
    while x < width + 4.0 {
        let tall = height * dice.random_range(0.16..0.38);
        let half = tall * 0.26;
        for tier in 0..3 {
            let top = base - tall + tall * 0.24 * tier as f32;
            let reach = half * (0.55 + 0.225 * tier as f32);
            let low = top + tall * 0.42;
            canvas.polygon(&[(x, top), (x - reach, low), (x + reach, low)], Ink::Flat(color));
        }
        x += half * dice.random_range(0.9..2.6);
    }
    hills(canvas, base + 1.0, height * 0.08, color, dice);
}

fn sea(canvas: &mut Canvas, top: f32, sun: f32, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let surface = mix(palette.far, palette.bottom, 0.35);
    canvas.rect(0.0, top, width, height - top, Ink::down(top, surface, height, palette.near));
    for row in 0..6 {
        let y = top + 1.5 + (height - top) * row as f32 / 6.0;
        let reach = height * (0.1 + 0.04 * row as f32) * dice.random_range(0.6..1.1);
        canvas.rounded(sun - reach, y, reach * 2.0, 1.2, 0.6, Ink::Veil(palette.glow, 0.6));
        for _ in 0..(width / 50.0).ceil() as usize {
            let x = dice.random_range(0.0..width);
            canvas.rounded(x, y + 1.0, height * 0.14, 1.0, 0.5, Ink::Veil(palette.glow, 0.2));
        }
    }
}

fn skyline(canvas: &mut Canvas, base: f32, color: Rgb, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let unit = (height / 16.0).round().max(2.0);
    let mut x = 0.0;
    while x < width {
        let columns = dice.random_range(2..=4) as f32;
        let top = base - unit * dice.random_range(1..=5) as f32;
        canvas.rect(x, top, columns * unit, height - top, Ink::Flat(color));
        if dice.random_bool(0.4) {
            let (middle, right) = (x + columns * unit / 2.0, x + columns * unit + 1.0);
            let roof = [(x - 1.0, top), (middle, top - unit * 1.6), (right, top)];
            canvas.polygon(&roof, Ink::Flat(color));
        }
        let (window, glow) = (unit * 0.45, Ink::Veil(palette.accent, 0.85));
        for column in 1..columns as usize {
            if dice.random_bool(0.6) {
                let left = x + column as f32 * unit - window / 2.0;
                canvas.rect(left, top + unit * 0.7, window, window * 1.3, glow);
            }
        }
        x += columns * unit + dice.random_range(0.0..unit * 3.0);
    }
    canvas.rect(0.0, base, width, height - base, Ink::Flat(color));
}
