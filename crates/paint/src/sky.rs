//! Skies: gradient, stars, sun or moon, northern lights and clouds.

use rand::RngExt;

use super::Dice;
use super::canvas::{At, Canvas, Ink};
use super::color::{brightness, lighter, mix};
use super::palette::Palette;

/// Skies darker than this at the top are night skies.
const NIGHT: f32 = 0.2;

/// Paints the sky and says where its sun or moon stands.
pub fn paint(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) -> At {
    let (width, height) = (canvas.width(), canvas.height());
    canvas.wash(Ink::down(0.0, palette.top, height * 0.85, palette.bottom));
    let night = brightness(palette.top) < NIGHT;
    let sun = (width * dice.random_range(0.55..0.8), height * dice.random_range(0.25..0.42));
    if night {
        stars(canvas, palette, dice);
        if dice.random_bool(0.4) {
            northern_lights(canvas, palette, dice);
        }
    }
    sun_or_moon(canvas, palette, sun, night && dice.random_bool(0.6));
    clouds(canvas, palette, dice);
    sun
}

fn stars(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let count = (width * height / 240.0) as usize;
    for _ in 0..count {
        let (x, y) = (dice.random_range(0.0..width), dice.random_range(0.0..height * 0.6));
        let radius = dice.random_range(0.35..0.95);
        let ink = Ink::Veil(palette.glow, dice.random_range(0.35..0.95));
        canvas.circle(x, y, radius, ink);
    }
}

/// Curtains of light: slim columns along a wave, bright below and fading upwards.
fn northern_lights(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    const COLUMN: f32 = 4.0;
    let (width, height) = (canvas.width(), canvas.height());
    for _ in 0..2 {
        let (base, reach) = (height * dice.random_range(0.35..0.5), height * 0.34);
        let (length, phase) = (height * dice.random_range(0.7..1.3), dice.random_range(0.0..6.0_f32));
        let tint = mix(palette.accent, palette.bottom, dice.random_range(0.0..0.5));
        for column in 0..(width / COLUMN).ceil() as usize {
            let x = column as f32 * COLUMN;
            let bottom = base + (x / length + phase).sin() * height * 0.1;
            let strength = 0.16 + 0.2 * (x / length * 0.37 + phase * 2.0).sin();
            let ink = Ink::Fade((0.0, bottom), (0.0, bottom - reach), tint, strength);
            canvas.rect(x, bottom - reach, COLUMN, reach, ink);
        }
    }
}

fn sun_or_moon(canvas: &mut Canvas, palette: &Palette, (x, y): At, moon: bool) {
    let height = canvas.height();
    let radius = height * 0.16;
    canvas.glow((x, y), height * 1.1, palette.glow, 0.5);
    let (top, bottom) = (lighter(palette.glow, 0.5), mix(palette.glow, palette.accent, 0.5));
    canvas.circle(x, y, radius, Ink::down(y - radius, top, y + radius, bottom));
    if moon {
        let shade = mix(palette.glow, palette.far, 0.35);
        for (dx, dy, size) in [(-0.3, -0.2, 0.26), (0.35, 0.25, 0.2), (-0.1, 0.5, 0.14)] {
            let (x, y) = (x + dx * radius, y + dy * radius);
            canvas.circle(x, y, size * radius, Ink::Veil(shade, 0.7));
        }
    }
}

fn clouds(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let (width, height) = (canvas.width(), canvas.height());
    let ink = Ink::Veil(mix(palette.glow, palette.bottom, 0.4), 0.28);
    for _ in 0..(width / 70.0).ceil() as usize {
        let (x, y) = (dice.random_range(0.0..width), height * dice.random_range(0.08..0.42));
        let (length, thick) = (height * dice.random_range(0.35..0.9), height * 0.05);
        canvas.rounded(x, y, length, thick, thick / 2.0, ink);
        canvas.rounded(x + length * 0.25, y - thick, length * 0.5, thick * 2.0, thick, ink);
    }
}
