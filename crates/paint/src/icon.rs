//! Icons of servers that have none: a motif or a landscape in the server's palette.

use rand::RngExt;

use super::PaintRng;
use super::canvas::{Canvas, CanvasPoint, Fill};
use super::color::{BLACK, WHITE, lighter, mix};
use super::landscape;
use super::motifs::{self, Motif};
use super::palette::Palette;

/// The only size that Minecraft accepts.
const SIDE: u32 = 64;

/// Leaves a margin between motif and edge.
const MOTIF_SCALE: f32 = 0.76;

const RNG_STREAM: u64 = 4;

/// `name` is used only if the motif is a monogram.
pub fn icon(name: &str, seed: u64) -> Vec<u8> {
    let palette = Palette::from_seed(seed);
    let (motif, colors, mut motif_rng) = motifs::choose(seed, &palette);
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let mut canvas = Canvas::new(SIDE, SIDE);
    if matches!(motif, Motif::Landscape) {
        landscape::paint(&mut canvas, &palette, &mut rng);
    } else {
        paint_backdrop(&mut canvas, &palette, &mut rng);
        let mut layer = Canvas::new(SIDE, SIDE);
        layer.transform = layer
            .transform
            .post_translate(-motifs::SIDE / 2.0, -motifs::SIDE / 2.0)
            .post_scale(MOTIF_SCALE, MOTIF_SCALE)
            .post_translate(SIDE as f32 / 2.0, SIDE as f32 / 2.0);
        if matches!(motif, Motif::Monogram) {
            layer.transform = tiny_skia::Transform::identity();
        }
        motifs::draw(&mut layer, name, &motif, &colors, &mut motif_rng);
        canvas.draw_outlined(&layer, motifs::outline_color(&palette), 2);
    }
    bevel(&mut canvas);
    canvas.into_small_png()
}

fn paint_backdrop(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let side = canvas.width();
    let middle = (side / 2.0, side / 2.0);
    let (start, end) = if rng.random_bool(0.5) { ((0.0, 0.0), (side, side)) } else { ((0.0, 0.0), (0.0, side)) };
    canvas.fill_all(Fill::Linear(start, palette.top, end, palette.bottom));
    match rng.random_range(0..7) {
        0 => rays(canvas, palette, middle, rng),
        1 => bubbles(canvas, palette, rng),
        2 => pixels(canvas, palette, rng),
        3 => stripes(canvas, palette, rng),
        4 => badge(canvas, palette, middle),
        5 => landscape::paint(canvas, palette, rng),
        _ => {}
    }
    canvas.glow(middle, side * 0.55, palette.glow, 0.32);
}

fn rays(canvas: &mut Canvas, palette: &Palette, (x, y): CanvasPoint, rng: &mut PaintRng) {
    let count = rng.random_range(8..=14);
    let turn = rng.random_range(0.0..1.0_f32);
    let reach = canvas.width();
    let step = std::f32::consts::TAU / count as f32;
    for ray in 0..count {
        let from = (ray as f32 + turn) * step;
        let to = from + step * 0.5;
        let corners =
            [(x, y), (x + reach * from.cos(), y + reach * from.sin()), (x + reach * to.cos(), y + reach * to.sin())];
        canvas.polygon(&corners, Fill::Translucent(lighter(palette.bottom, 0.35), 0.3));
    }
}

fn bubbles(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let side = canvas.width();
    for _ in 0..14 {
        let (x, y) = (rng.random_range(0.0..side), rng.random_range(0.0..side));
        let tint = mix(palette.far, palette.glow, rng.random_range(0.0..1.0));
        canvas.circle(x, y, rng.random_range(2.0..11.0), Fill::Translucent(tint, 0.22));
    }
}

fn pixels(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    const CELL: f32 = 8.0;
    let count = (canvas.width() / CELL) as usize;
    for cell in 0..count * count {
        let (x, y) = ((cell % count) as f32 * CELL, (cell / count) as f32 * CELL);
        let tint = if rng.random_bool(0.5) { palette.near } else { palette.glow };
        canvas.rect(x, y, CELL, CELL, Fill::Translucent(tint, rng.random_range(0.0..0.2)));
    }
}

fn stripes(canvas: &mut Canvas, palette: &Palette, rng: &mut PaintRng) {
    let side = canvas.width();
    let gap = rng.random_range(9.0..15.0_f32);
    let mut x = -side;
    while x < side {
        let band = [(x, side), (x + side, 0.0), (x + side + gap * 0.5, 0.0), (x + gap * 0.5, side)];
        canvas.polygon(&band, Fill::Translucent(palette.far, 0.45));
        x += gap;
    }
}

fn badge(canvas: &mut Canvas, palette: &Palette, (x, y): CanvasPoint) {
    canvas.circle(x, y, 29.0, Fill::Solid(palette.near));
    canvas.ring(x, y, 28.0, 2.4, Fill::Solid(mix(palette.accent, palette.far, 0.3)));
    canvas.circle(x, y, 25.5, Fill::vertical(8.0, palette.far, 58.0, palette.near));
}

/// A light upper and a dark lower edge.
fn bevel(canvas: &mut Canvas) {
    let side = canvas.width();
    canvas.rect(0.0, 0.0, side, 1.0, Fill::Translucent(WHITE, 0.25));
    canvas.rect(0.0, 0.0, 1.0, side, Fill::Translucent(WHITE, 0.12));
    canvas.rect(0.0, side - 1.0, side, 1.0, Fill::Translucent(BLACK, 0.3));
    canvas.rect(side - 1.0, 0.0, 1.0, side, Fill::Translucent(BLACK, 0.18));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode, hostile_strings};
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
    fn hostile_text_does_not_panic() {
        for (text, seed) in hostile_strings().iter().zip(0..) {
            icon(text, seed);
        }
    }
}
