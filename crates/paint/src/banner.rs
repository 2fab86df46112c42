//! Server banners: a landscape with the server's motif, name and tagline.

use super::canvas::{Canvas, Fill, VerticalGradient};
use super::color::{Rgb, WHITE, brightness, mix};
use super::glyph;
use super::landscape;
use super::motifs::{self, Motif};
use super::palette::Palette;
use super::text_layout::{self, PlacedGlyph};

/// The standard size of web banners, which server lists use.
const WIDTH: u32 = 468;
const HEIGHT: u32 = 60;

const LEFT: i32 = 14;

const TAGLINE_TOP: i32 = 42;

/// Accent colours below this brightness are not readable on the darkened side.
const MIN_TEXT_BRIGHTNESS: f32 = 0.6;

/// The motif's side and its distance from the right edge.
const MOTIF_SIDE: f32 = 46.0;
const MOTIF_MARGIN: f32 = 14.0;

const RNG_STREAM: u64 = 5;

/// Uses the palette and motif of the icon with the same seed.
pub fn banner(name: &str, tagline: &str, seed: u64) -> Vec<u8> {
    let palette = Palette::from_seed(seed);
    let (motif, colors, mut motif_rng) = motifs::choose(seed, &palette);
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    landscape::paint(&mut canvas, &palette, &mut rng);
    darken_text_side(&mut canvas, &palette);
    let outline = motifs::outline_color(&palette);
    let mut max_width = WIDTH as i32 - 2 * LEFT;
    if !matches!(motif, Motif::Landscape) {
        max_width -= (MOTIF_SIDE + MOTIF_MARGIN) as i32;
        let mut layer = Canvas::new(WIDTH, HEIGHT);
        let scale = MOTIF_SIDE / motifs::SIDE;
        let left = WIDTH as f32 - MOTIF_SIDE - MOTIF_MARGIN;
        layer.transform =
            tiny_skia::Transform::from_scale(scale, scale).post_translate(left, (HEIGHT as f32 - MOTIF_SIDE) / 2.0);
        motifs::draw(&mut layer, name, &motif, &colors, &mut motif_rng);
        canvas.draw_outlined(&layer, outline, 2);
    }
    let tagline = text_layout::lay_out_ellipsized(tagline.trim(), max_width);
    let (scale, line) = fit_name(name.trim(), max_width, tagline.is_empty());
    let middle = if tagline.is_empty() { 30 } else { 22 };
    let top = middle - scale * glyph::HEIGHT / 2;
    let tint = if brightness(palette.accent) > MIN_TEXT_BRIGHTNESS { palette.accent } else { palette.glow };
    let gradient = VerticalGradient { from: (top + scale * 4, WHITE), to: (top + scale * 14, mix(tint, WHITE, 0.3)) };
    let mut title_layer = Canvas::new(WIDTH, HEIGHT);
    draw_text(&mut title_layer, &line, top, scale, gradient);
    canvas.draw_outlined(&title_layer, outline, 2);
    let mut tagline_layer = Canvas::new(WIDTH, HEIGHT);
    let gradient = VerticalGradient { from: (0, palette.glow), to: (0, palette.glow) };
    draw_text(&mut tagline_layer, &tagline, TAGLINE_TOP, 1, gradient);
    canvas.draw_outlined(&tagline_layer, outline, 1);
    frame(&mut canvas, outline);
    canvas.into_small_png()
}

/// The largest scale at which the name fits, or scale 1 with an ellipsis.
fn fit_name(name: &str, max_width: i32, alone: bool) -> (i32, Vec<PlacedGlyph<()>>) {
    let largest = if alone { 3 } else { 2 };
    for scale in (2..=largest).rev() {
        let line = text_layout::lay_out_bold(name, max_width / scale + glyph::WIDTH);
        if text_layout::width(&line) * scale <= max_width {
            return (scale, line);
        }
    }
    (1, text_layout::lay_out_ellipsized(name, max_width))
}

/// Scaled letters are drawn twice with an offset, because the font's strokes are thin.
fn draw_text(canvas: &mut Canvas, line: &[PlacedGlyph<()>], top: i32, scale: i32, gradient: VerticalGradient) {
    let corners = line.iter().flat_map(|placed| {
        let twice = scale > 1 && placed.bitmap.advance < glyph::WIDTH;
        placed.bitmap.pixels().flat_map(move |(x, y)| {
            let left = LEFT + (placed.x + x) * scale;
            let second = if twice { scale / 2 } else { 0 };
            let top = top + y * scale;
            [(left, top), (left + second, top)]
        })
    });
    canvas.pixel_squares(corners, scale, gradient);
}

fn darken_text_side(canvas: &mut Canvas, palette: &Palette) {
    let end = (canvas.width() * 0.8, 0.0);
    canvas.fill_all(Fill::FadeOut((0.0, 0.0), end, palette.near, 0.55));
}

fn frame(canvas: &mut Canvas, outline: Rgb) {
    let (width, height) = (canvas.width(), canvas.height());
    canvas.rect(0.0, 0.0, width, 1.0, Fill::Translucent(WHITE, 0.25));
    canvas.rect(0.0, height - 1.0, width, 1.0, Fill::Translucent(outline, 0.7));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode, hostile_strings};
    use super::*;

    #[test]
    fn banners_have_one_size() {
        for seed in 0..40 {
            let (width, height, pixels) = decode(&banner("Rollcall", "play.example.org", seed));
            assert_eq!((width, height), (WIDTH, HEIGHT));
            assert!(pixels.chunks_exact(4).all(|pixel| pixel[3] == 255));
        }
    }

    #[test]
    fn same_input_same_banner() {
        assert_eq!(banner("A", "b", 5), banner("A", "b", 5));
        assert_ne!(banner("A", "b", 5), banner("A", "c", 5));
    }

    #[test]
    fn hostile_text_does_not_panic() {
        for (text, seed) in hostile_strings().iter().step_by(3).zip(0..) {
            banner(text, text, seed);
        }
    }
}
