//! The emblem of a server: what it shows and in which colours, the same on icon and banner.

mod landmarks;
mod loot;
mod weapons;

use rand::RngExt;

use super::canvas::{Canvas, Ink};
use super::color::{Rgb, brightness, darker, hex, lighter, mix};
use super::palette::Palette;
use super::{Dice, glyph, text};

const PURPOSE: u64 = 3;

/// Motifs are drawn on a square of this side and scaled by the canvas view.
pub const SIDE: f32 = 64.0;

/// A way to draw one motif.
type Draw = fn(&mut Canvas, &Coat, &mut Dice);

/// Colours of one motif.
pub struct Coat {
    pub main: Rgb,
    pub light: Rgb,
    pub dark: Rgb,
    /// A second colour for handles, doors and jewels.
    pub trim: Rgb,
}

/// What the pictures of a server show.
pub enum Motif {
    /// The first letter of its name.
    Monogram,
    Drawn(Draw),
    /// A landscape that fills the picture.
    Landscape,
}

const DRAWN: [Draw; 19] = [
    weapons::sword,
    weapons::crossed_swords,
    weapons::pickaxe,
    weapons::axe,
    weapons::shield,
    weapons::bow,
    loot::gem,
    loot::heart,
    loot::star,
    loot::bolt,
    loot::crown,
    loot::potion,
    loot::skull,
    landmarks::castle,
    landmarks::block,
    landmarks::tree,
    landmarks::rocket,
    landmarks::planet,
    landmarks::flame,
];

/// Jewel colours, for motifs that should not repeat the accent of the palette.
const JEWELS: [u32; 6] = [0x4FD8EB, 0xFF5B6E, 0x52D273, 0xFFC93C, 0xB98CFF, 0xF4F7FB];

/// The motif of a seed, its colours, and the dice to draw it with.
pub fn of(seed: u64, palette: &Palette) -> (Motif, Coat, Dice) {
    let mut dice = super::dice(seed, PURPOSE);
    let motif = match dice.random_range(0..DRAWN.len() + 6) {
        pick if pick < DRAWN.len() => Motif::Drawn(DRAWN[pick]),
        pick if pick < DRAWN.len() + 3 => Motif::Monogram,
        _ => Motif::Landscape,
    };
    let jewel = hex(JEWELS[dice.random_range(0..JEWELS.len())]);
    let backdrop = mix(palette.top, palette.bottom, 0.5);
    let stands_out = distance(jewel, backdrop) > 150;
    let main = if stands_out && dice.random_bool(0.45) { jewel } else { palette.accent };
    // White has no room for highlights: facets and folds would vanish.
    let main = if brightness(main) > 0.93 { darker(mix(main, palette.bottom, 0.16), 0.05) } else { main };
    let coat = Coat {
        main,
        light: lighter(main, 0.55),
        dark: darker(mix(main, palette.near, 0.3), 0.12),
        trim: if distance(main, jewel) > 120 { jewel } else { mix(palette.far, palette.glow, 0.25) },
    };
    (motif, coat, dice)
}

/// Draws a motif; a landscape has no emblem and leaves the canvas as it is.
pub fn draw(canvas: &mut Canvas, name: &str, motif: &Motif, coat: &Coat, dice: &mut Dice) {
    match motif {
        Motif::Monogram => monogram(canvas, name, coat),
        Motif::Drawn(draw) => draw(canvas, coat, dice),
        Motif::Landscape => {}
    }
}

/// An outline that sets a motif off from the palette's sky.
pub fn outline(palette: &Palette) -> Rgb {
    let ink = darker(palette.near, 0.25);
    if brightness(ink) > 0.3 { darker(ink, 0.5) } else { ink }
}

/// The first letter of the name in large font pixels, with a lit upper half.
fn monogram(canvas: &mut Canvas, name: &str, coat: &Coat) {
    let initial =
        name.chars().find(|c| c.is_alphanumeric()).or_else(|| name.chars().find(|c| !c.is_whitespace())).unwrap_or('?');
    let shown: String = initial.to_uppercase().take(1).collect();
    let line = text::plain(&shown, glyph::WIDTH);
    let Some(letter) = line.first() else {
        return;
    };
    let (mut left, mut right, mut top, mut bottom) = (glyph::WIDTH, 0, glyph::HEIGHT, 0);
    for (x, y) in letter.bitmap.pixels() {
        (left, right) = (left.min(x), right.max(x + 1));
        (top, bottom) = (top.min(y), bottom.max(y + 1));
    }
    let (width, height) = ((right - left) as f32, (bottom - top) as f32);
    // Bold, one more column, suits the thin strokes of letters but closes up ideographs.
    let bold = if width <= 8.0 { 1.0 } else { 0.0 };
    let scale = (48.0 / (width + bold)).min(48.0 / height).min(6.0).floor();
    let x0 = ((SIDE - (width + bold) * scale) / 2.0).round();
    let y0 = ((SIDE - height * scale) / 2.0).round();
    let ink = Ink::down(y0, coat.light, y0 + height * scale, coat.main);
    let places = letter.bitmap.pixels().map(|(x, y)| {
        let (x, y) = ((x - left) as f32, (y - top) as f32);
        (x0 + x * scale, y0 + y * scale)
    });
    let strikes = places.flat_map(|(x, y)| [(x, y), (x + bold * scale, y)]);
    canvas.squares(strikes, scale, ink);
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    a.iter().zip(b).map(|(&a, b)| u32::from(a.abs_diff(b))).sum()
}
