//! Icons for servers that sent none: an emblem or a landscape in the server's palette.

use rand::RngExt;

use super::Dice;
use super::canvas::{At, Canvas, Ink};
use super::color::{BLACK, WHITE, lighter, mix};
use super::motifs::{self, Motif};
use super::palette::Palette;
use super::scene;

/// Minecraft accepts server icons of this size only.
const SIDE: u32 = 64;

/// Leaves air between an emblem and the edge.
const EMBLEM_SCALE: f32 = 0.76;

const PURPOSE: u64 = 4;

/// Paints the icon of a server; its name gives the letter when the motif is a monogram.
pub fn icon(name: &str, seed: u64) -> Vec<u8> {
    let palette = Palette::of(seed);
    let (motif, coat, mut motif_dice) = motifs::of(seed, &palette);
    let mut dice = super::dice(seed, PURPOSE);
    let mut canvas = Canvas::new(SIDE, SIDE);
    if matches!(motif, Motif::Landscape) {
        scene::landscape(&mut canvas, &palette, &mut dice);
    } else {
        paint_backdrop(&mut canvas, &palette, &mut dice);
        let mut layer = Canvas::new(SIDE, SIDE);
        layer.view = layer
            .view
            .post_translate(-motifs::SIDE / 2.0, -motifs::SIDE / 2.0)
            .post_scale(EMBLEM_SCALE, EMBLEM_SCALE)
            .post_translate(SIDE as f32 / 2.0, SIDE as f32 / 2.0);
        if matches!(motif, Motif::Monogram) {
            layer.view = tiny_skia::Transform::identity();
        }
        motifs::draw(&mut layer, name, &motif, &coat, &mut motif_dice);
        canvas.stick(&layer, motifs::outline(&palette), 2);
    }
    bevel(&mut canvas);
    canvas.into_png()
}

fn paint_backdrop(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let side = canvas.width();
    let middle = (side / 2.0, side / 2.0);
    let (start, end) = if dice.random_bool(0.5) { ((0.0, 0.0), (side, side)) } else { ((0.0, 0.0), (0.0, side)) };
    canvas.wash(Ink::Linear(start, palette.top, end, palette.bottom));
    match dice.random_range(0..7) {
        0 => rays(canvas, palette, middle, dice),
        1 => bubbles(canvas, palette, dice),
        2 => pixels(canvas, palette, dice),
        3 => stripes(canvas, palette, dice),
        4 => badge(canvas, palette, middle),
        5 => scene::landscape(canvas, palette, dice),
        _ => {}
    }
    canvas.glow(middle, side * 0.55, palette.glow, 0.32);
}

fn rays(canvas: &mut Canvas, palette: &Palette, (x, y): At, dice: &mut Dice) {
    let count = dice.random_range(8..=14);
    let turn = dice.random_range(0.0..1.0_f32);
    let reach = canvas.width();
    let step = std::f32::consts::TAU / count as f32;
    for ray in 0..count {
        let from = (ray as f32 + turn) * step;
        let to = from + step * 0.5;
        let corners =
            [(x, y), (x + reach * from.cos(), y + reach * from.sin()), (x + reach * to.cos(), y + reach * to.sin())];
        canvas.polygon(&corners, Ink::Veil(lighter(palette.bottom, 0.35), 0.3));
    }
}

fn bubbles(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let side = canvas.width();
    for _ in 0..14 {
        let (x, y) = (dice.random_range(0.0..side), dice.random_range(0.0..side));
        let tint = mix(palette.far, palette.glow, dice.random_range(0.0..1.0));
        canvas.circle(x, y, dice.random_range(2.0..11.0), Ink::Veil(tint, 0.22));
    }
}

fn pixels(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    const CELL: f32 = 8.0;
    let count = (canvas.width() / CELL) as usize;
    for cell in 0..count * count {
        let (x, y) = ((cell % count) as f32 * CELL, (cell / count) as f32 * CELL);
        let tint = if dice.random_bool(0.5) { palette.near } else { palette.glow };
        canvas.rect(x, y, CELL, CELL, Ink::Veil(tint, dice.random_range(0.0..0.2)));
    }
}

fn stripes(canvas: &mut Canvas, palette: &Palette, dice: &mut Dice) {
    let side = canvas.width();
    let gap = dice.random_range(9.0..15.0_f32);
    let mut x = -side;
    while x < side {
        let band = [(x, side), (x + side, 0.0), (x + side + gap * 0.5, 0.0), (x + gap * 0.5, side)];
        canvas.polygon(&band, Ink::Veil(palette.far, 0.45));
        x += gap;
    }
}

fn badge(canvas: &mut Canvas, palette: &Palette, (x, y): At) {
    canvas.circle(x, y, 29.0, Ink::Flat(palette.near));
    canvas.ring(x, y, 28.0, 2.4, Ink::Flat(mix(palette.accent, palette.far, 0.3)));
    canvas.circle(x, y, 25.5, Ink::down(8.0, palette.far, 58.0, palette.near));
}

/// A lit upper and a dark lower edge, so that icons look like tiles on any page.
fn bevel(canvas: &mut Canvas) {
    let side = canvas.width();
    canvas.rect(0.0, 0.0, side, 1.0, Ink::Veil(WHITE, 0.25));
    canvas.rect(0.0, 0.0, 1.0, side, Ink::Veil(WHITE, 0.12));
    canvas.rect(0.0, side - 1.0, side, 1.0, Ink::Veil(BLACK, 0.3));
    canvas.rect(side - 1.0, 0.0, 1.0, side, Ink::Veil(BLACK, 0.18));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode, nasty_strings};
    use super::*;

    #[test]
    fn icons_are_opaque_squares() {
        for seed in 0..120 {
            let (width, height, pixels) = decode(&icon("Rollcall", seed));
            assert_eq!((width, height), (SIDE, SIDE));
            assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
        }
    }

    #[test]
    fn same_seed_same_icon() {
        assert_eq!(icon("A", 5), icon("A", 5));
        assert_ne!(icon("A", 5), icon("A", 6));
    }

    #[test]
    fn nothing_upsets_the_painter() {
        for (text, seed) in nasty_strings().iter().zip(0..) {
            icon(text, seed);
        }
    }
}
