//! The motif of a server, the same on its icon and banner.

mod landmarks;
mod loot;
mod weapons;

use rand::RngExt;

use super::canvas::{Canvas, Fill};
use super::color::{Rgb, brightness, darker, hex, lighter, mix};
use super::palette::Palette;
use super::{PaintRng, glyph, text_layout};

const RNG_STREAM: u64 = 3;

/// Motifs are drawn on a square of this side. The canvas transform scales them.
pub const SIDE: f32 = 64.0;

type DrawMotif = fn(&mut Canvas, &MotifColors, &mut PaintRng);

pub struct MotifColors {
    pub main: Rgb,
    pub light: Rgb,
    pub dark: Rgb,
    /// For details such as guards, roofs and jewels.
    pub trim: Rgb,
}

pub enum Motif {
    /// The first letter of the server name.
    Monogram,
    Drawn(DrawMotif),
    /// No motif: a landscape fills the icon.
    Landscape,
}

const DRAWN: [DrawMotif; 19] = [
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

/// Alternatives to the accent colour of the palette.
const JEWELS: [u32; 6] = [0x4FD8EB, 0xFF5B6E, 0x52D273, 0xFFC93C, 0xB98CFF, 0xF4F7FB];

/// Returns the motif of a seed, its colours, and the generator to draw it with.
pub fn choose(seed: u64, palette: &Palette) -> (Motif, MotifColors, PaintRng) {
    let mut rng = super::seeded_rng(seed, RNG_STREAM);
    let motif = match rng.random_range(0..DRAWN.len() + 6) {
        pick if pick < DRAWN.len() => Motif::Drawn(DRAWN[pick]),
        pick if pick < DRAWN.len() + 3 => Motif::Monogram,
        _ => Motif::Landscape,
    };
    let jewel = hex(JEWELS[rng.random_range(0..JEWELS.len())]);
    let backdrop = mix(palette.top, palette.bottom, 0.5);
    let stands_out = distance(jewel, backdrop) > 150;
    let main = if stands_out && rng.random_bool(0.45) { jewel } else { palette.accent };
    // Highlights would not be visible on white.
    let main = if brightness(main) > 0.93 { darker(mix(main, palette.bottom, 0.16), 0.05) } else { main };
    let colors = MotifColors {
        main,
        light: lighter(main, 0.55),
        dark: darker(mix(main, palette.near, 0.3), 0.12),
        trim: if distance(main, jewel) > 120 { jewel } else { mix(palette.far, palette.glow, 0.25) },
    };
    (motif, colors, rng)
}

/// Draws nothing for [`Motif::Landscape`].
pub fn draw(canvas: &mut Canvas, name: &str, motif: &Motif, colors: &MotifColors, rng: &mut PaintRng) {
    match motif {
        Motif::Monogram => monogram(canvas, name, colors),
        Motif::Drawn(draw) => draw(canvas, colors, rng),
        Motif::Landscape => {}
    }
}

/// A dark colour that contrasts with the palette's sky.
pub fn outline_color(palette: &Palette) -> Rgb {
    let color = darker(palette.near, 0.25);
    if brightness(color) > 0.3 { darker(color, 0.5) } else { color }
}

/// The first letter of the name in large font pixels.
fn monogram(canvas: &mut Canvas, name: &str, colors: &MotifColors) {
    let initial =
        name.chars().find(|c| c.is_alphanumeric()).or_else(|| name.chars().find(|c| !c.is_whitespace())).unwrap_or('?');
    let initial: String = initial.to_uppercase().take(1).collect();
    let line = text_layout::lay_out_plain(&initial, glyph::WIDTH);
    let Some(letter) = line.first() else {
        return;
    };
    let (mut left, mut right, mut top, mut bottom) = (glyph::WIDTH, 0, glyph::HEIGHT, 0);
    for (x, y) in letter.bitmap.pixels() {
        (left, right) = (left.min(x), right.max(x + 1));
        (top, bottom) = (top.min(y), bottom.max(y + 1));
    }
    let (width, height) = ((right - left) as f32, (bottom - top) as f32);
    // Letters are drawn bold. Ideographs are not, because their lines would merge.
    let bold = if width <= 8.0 { 1.0 } else { 0.0 };
    let scale = (48.0 / (width + bold)).min(48.0 / height).min(6.0).floor();
    let x0 = ((SIDE - (width + bold) * scale) / 2.0).round();
    let y0 = ((SIDE - height * scale) / 2.0).round();
    let fill = Fill::vertical(y0, colors.light, y0 + height * scale, colors.main);
    let corners = letter.bitmap.pixels().map(|(x, y)| {
        let (x, y) = ((x - left) as f32, (y - top) as f32);
        (x0 + x * scale, y0 + y * scale)
    });
    let strikes = corners.flat_map(|(x, y)| [(x, y), (x + bold * scale, y)]);
    canvas.squares(strikes, scale, fill);
}

fn distance(a: Rgb, b: Rgb) -> u32 {
    a.iter().zip(b).map(|(&a, b)| u32::from(a.abs_diff(b))).sum()
}
