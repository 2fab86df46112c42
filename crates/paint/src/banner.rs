//! Banners for servers: their landscape, their emblem, and their name to be read at a glance.

use super::canvas::{Canvas, Ink, Shade};
use super::color::{Rgb, WHITE, brightness, mix};
use super::glyph;
use super::motifs::{self, Motif};
use super::palette::Palette;
use super::scene;
use super::text::{self, Placed};

/// The size web banners have had since the nineties, and server lists with them.
const WIDTH: u32 = 468;
const HEIGHT: u32 = 60;

const LEFT: i32 = 14;

const TAGLINE_TOP: i32 = 42;

/// Darker accents cannot be read against the dark side of a banner.
const READABLE: f32 = 0.6;

/// The emblem's side and its distance from the right edge.
const EMBLEM: f32 = 46.0;
const EMBLEM_MARGIN: f32 = 14.0;

const PURPOSE: u64 = 5;

/// Paints a banner that shares palette and emblem with the icon of the same seed.
pub fn banner(name: &str, tagline: &str, seed: u64) -> Vec<u8> {
    let palette = Palette::of(seed);
    let (motif, coat, mut motif_dice) = motifs::of(seed, &palette);
    let mut dice = super::dice(seed, PURPOSE);
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    scene::landscape(&mut canvas, &palette, &mut dice);
    veil(&mut canvas, &palette);
    let ink = motifs::outline(&palette);
    let mut room = WIDTH as i32 - 2 * LEFT;
    if !matches!(motif, Motif::Landscape) {
        room -= (EMBLEM + EMBLEM_MARGIN) as i32;
        let mut layer = Canvas::new(WIDTH, HEIGHT);
        let scale = EMBLEM / motifs::SIDE;
        let left = WIDTH as f32 - EMBLEM - EMBLEM_MARGIN;
        layer.view =
            tiny_skia::Transform::from_scale(scale, scale).post_translate(left, (HEIGHT as f32 - EMBLEM) / 2.0);
        motifs::draw(&mut layer, name, &motif, &coat, &mut motif_dice);
        canvas.stick(&layer, ink, 2);
    }
    let tagline = text::shortened(tagline.trim(), room);
    let (scale, line) = fitted(name.trim(), room, tagline.is_empty());
    let middle = if tagline.is_empty() { 30 } else { 22 };
    let top = middle - scale * glyph::HEIGHT / 2;
    let tint = if brightness(palette.accent) > READABLE { palette.accent } else { palette.glow };
    let fill = Shade { from: (top + scale * 4, WHITE), to: (top + scale * 14, mix(tint, WHITE, 0.3)) };
    let mut letters = Canvas::new(WIDTH, HEIGHT);
    write(&mut letters, &line, top, scale, fill);
    canvas.stick(&letters, ink, 2);
    let mut small = Canvas::new(WIDTH, HEIGHT);
    let fill = Shade { from: (0, palette.glow), to: (0, palette.glow) };
    write(&mut small, &tagline, TAGLINE_TOP, 1, fill);
    canvas.stick(&small, ink, 1);
    frame(&mut canvas, ink);
    canvas.into_png()
}

/// The largest scale at which the name fits, or the smallest and as much of it as fits.
fn fitted(name: &str, room: i32, alone: bool) -> (i32, Vec<Placed<()>>) {
    let largest = if alone { 3 } else { 2 };
    for scale in (2..=largest).rev() {
        let line = text::bold(name, room / scale + glyph::WIDTH);
        if text::width(&line) * scale <= room {
            return (scale, line);
        }
    }
    (1, text::shortened(name, room))
}

/// Large letters are struck twice: the font's strokes are thin for a title.
fn write(canvas: &mut Canvas, line: &[Placed<()>], top: i32, scale: i32, fill: Shade) {
    let corners = line.iter().flat_map(|placed| {
        let twice = scale > 1 && placed.bitmap.advance < glyph::WIDTH;
        placed.bitmap.pixels().flat_map(move |(x, y)| {
            let left = LEFT + (placed.x + x) * scale;
            let second = if twice { scale / 2 } else { 0 };
            let top = top + y * scale;
            [(left, top), (left + second, top)]
        })
    });
    canvas.dots(corners, scale, fill);
}

/// Darkens the side where the text stands.
fn veil(canvas: &mut Canvas, palette: &Palette) {
    let end = (canvas.width() * 0.8, 0.0);
    canvas.wash(Ink::Fade((0.0, 0.0), end, palette.near, 0.55));
}

fn frame(canvas: &mut Canvas, ink: Rgb) {
    let (width, height) = (canvas.width(), canvas.height());
    canvas.rect(0.0, 0.0, width, 1.0, Ink::Veil(WHITE, 0.25));
    canvas.rect(0.0, height - 1.0, width, 1.0, Ink::Veil(ink, 0.7));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode, nasty_strings};
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
    fn nothing_upsets_the_painter() {
        for (text, seed) in nasty_strings().iter().step_by(3).zip(0..) {
            banner(text, text, seed);
        }
    }
}
