//! Draws a message of the day as Minecraft's multiplayer list shows it.

use rand::RngExt;

use super::PaintRng;
use super::color::{Rgb, hex, mix, shifted};
use super::glyph::{self, GlyphBitmap};
use super::raster::Raster;
use super::text_layout::{self, PlacedGlyph};
use rollcall_model::game_font;
use rollcall_model::hash::fnv1a;
use rollcall_model::motd::StyledText;

const WIDTH: i32 = 740;
const HEIGHT: i32 = 84;

/// Screen pixels per font pixel, as on most players' screens.
const SCALE: i32 = 2;

/// The multiplayer list shows no more.
const MAX_LINES: usize = 2;

const LEFT: i32 = 12;
const TOP: i32 = 10;

/// Font pixels from the left margin to the right edge.
const MAX_LINE_WIDTH: i32 = (WIDTH - LEFT) / SCALE;

/// Font pixels between equal margins: a centred line has as much room on its left as on its right.
const CENTRED_WIDTH: i32 = (WIDTH - 2 * LEFT) / SCALE;

/// How far a line may be from the centre, in pixels of the game's font, to count as centred: servers can only add whole
/// spaces, and many count with old widths.
const CENTRE_TOLERANCE: i32 = 8;

const UNDERLINE_ROW: i32 = 14;
const STRIKE_ROW: i32 = 8;

/// Minecraft draws the shadow at a quarter of the brightness, one font pixel down and right.
const SHADOW_DARKNESS: f32 = 0.75;

const RNG_STREAM: u64 = 2;

#[derive(Clone, Copy)]
struct GlyphStyle {
    color: Rgb,
    bold: bool,
    italic: bool,
    underline: bool,
    strikethrough: bool,
    obfuscated: bool,
}

impl From<&StyledText> for GlyphStyle {
    fn from(span: &StyledText) -> Self {
        Self {
            color: span.color,
            bold: span.bold,
            italic: span.italic,
            underline: span.underline,
            strikethrough: span.strikethrough,
            obfuscated: span.obfuscated,
        }
    }
}

/// A picture of fixed size. Long lines are clipped.
pub fn motd(raw: &str) -> Vec<u8> {
    let mut panel = Raster::new(WIDTH as u32, HEIGHT as u32);
    let mut rng = super::seeded_rng(fnv1a(raw), RNG_STREAM);
    paint_background(&mut panel);
    for (line, y) in rollcall_model::motd::parse(raw).iter().take(MAX_LINES).zip(0..) {
        let mut placed = lay_out(line);
        scramble(&mut placed, &mut rng);
        let top = TOP + y * glyph::HEIGHT * SCALE;
        for shadow in [true, false] {
            for glyph in &placed {
                paint_glyph(&mut panel, glyph, top, shadow);
            }
        }
    }
    panel.into_png()
}

/// Our font is not as wide as the game's, so that spaces cannot move a line to where the game shows it: the middle of the
/// line is moved there instead.
fn lay_out(line: &[StyledText]) -> Vec<PlacedGlyph<GlyphStyle>> {
    let (game_width, indent) = game_font::line_widths(line);
    let characters = line.iter().flat_map(|span| {
        let style = GlyphStyle::from(span);
        span.text.chars().map(move |c| (c, style))
    });
    if indent == 0 {
        return text_layout::lay_out(characters, MAX_LINE_WIDTH, extra_width);
    }
    let is_blank =
        |&(c, style): &(char, GlyphStyle)| game_font::is_space(c) && !style.underline && !style.strikethrough;
    let characters = characters.skip_while(is_blank);
    let mut placed = text_layout::lay_out(characters, MAX_LINE_WIDTH, extra_width);
    let width = ink_width(&placed);
    let centre = (indent + game_width) / 2;
    let is_centred = (centre - game_font::LINE_CENTRE).abs() <= CENTRE_TOLERANCE;
    let left = match is_centred {
        true => (CENTRED_WIDTH - width) / 2,
        false => centre * CENTRED_WIDTH / (2 * game_font::LINE_CENTRE) - width / 2,
    };
    for glyph in &mut placed {
        glyph.x += left.max(0);
    }
    placed
}

fn extra_width(style: GlyphStyle) -> i32 {
    i32::from(style.bold)
}

/// Without the empty columns after the last visible character.
fn ink_width(line: &[PlacedGlyph<GlyphStyle>]) -> i32 {
    let ends = line.iter().map(|glyph| {
        let strike = extra_width(glyph.style);
        glyph.bitmap.pixels().map(|(x, _)| glyph.x + x + 1 + strike).max().unwrap_or_default()
    });
    ends.max().unwrap_or_default()
}

/// Replaces obfuscated glyphs by random ones of the same width.
fn scramble(line: &mut [PlacedGlyph<GlyphStyle>], rng: &mut PaintRng) {
    const TRIES: usize = 40;
    for placed in line.iter_mut().filter(|placed| placed.style.obfuscated) {
        let advance = placed.bitmap.advance;
        let blank = placed.bitmap.pixels().next().is_none();
        let found = (0..TRIES).map(|_| random_glyph(rng, advance)).find(|other| other.advance == advance);
        if let (false, Some(other)) = (blank, found) {
            placed.bitmap = other;
        }
    }
}

fn random_glyph(rng: &mut PaintRng, advance: i32) -> GlyphBitmap {
    if advance >= glyph::WIDTH {
        glyph::bitmap(rng.random_range('\u{4E00}'..'\u{9F00}'))
    } else {
        glyph::bitmap(rng.random_range('!'..='~'))
    }
}

fn paint_glyph(panel: &mut Raster, placed: &PlacedGlyph<GlyphStyle>, top: i32, shadow: bool) {
    let style = placed.style;
    let (offset, color) = if shadow { (SCALE, mix(style.color, [0; 3], SHADOW_DARKNESS)) } else { (0, style.color) };
    let left = LEFT + placed.x * SCALE + offset;
    let top = top + offset;
    // A full second strike would merge the fine lines of ideographs.
    let strike = if placed.bitmap.advance < glyph::WIDTH { SCALE } else { SCALE / 2 };
    for (x, y) in placed.bitmap.pixels() {
        let slant = if style.italic { (10 - y) / 2 } else { 0 };
        let width = SCALE + if style.bold { strike } else { 0 };
        panel.fill(left + x * SCALE + slant, top + y * SCALE, width, SCALE, color);
    }
    let advance = (placed.bitmap.advance + i32::from(style.bold)) * SCALE;
    for (drawn, row) in [(style.underline, UNDERLINE_ROW), (style.strikethrough, STRIKE_ROW)] {
        if drawn {
            panel.fill(left - SCALE, top + row * SCALE, advance, SCALE, color);
        }
    }
}

/// A dark brick-like texture, darker towards the bottom.
fn paint_background(panel: &mut Raster) {
    const TILE: i32 = 4;
    const TOP_COLOR: Rgb = hex(0x231F26);
    const BOTTOM_COLOR: Rgb = hex(0x17141B);
    const EDGE: Rgb = hex(0x0E0C11);
    const GRAIN: i32 = 3;
    let mut rng = super::seeded_rng(0, RNG_STREAM);
    for y in (0..HEIGHT).step_by(TILE as usize) {
        let row = mix(TOP_COLOR, BOTTOM_COLOR, y as f32 / HEIGHT as f32);
        for x in (0..WIDTH).step_by(TILE as usize) {
            let color = shifted(row, rng.random_range(-GRAIN..=GRAIN));
            panel.fill(x, y, TILE, TILE, color);
        }
    }
    panel.fill(0, 0, WIDTH, SCALE, EDGE);
    panel.fill(0, HEIGHT - SCALE, WIDTH, SCALE, EDGE);
    panel.fill(0, 0, SCALE, HEIGHT, EDGE);
    panel.fill(WIDTH - SCALE, 0, SCALE, HEIGHT, EDGE);
}

#[cfg(test)]
mod tests {
    use super::super::testing::{decode, hostile_strings};
    use super::*;

    #[test]
    fn size_is_fixed_and_text_shows() {
        let (width, height, empty) = decode(&motd(""));
        assert_eq!((width, height), (WIDTH as u32, HEIGHT as u32));
        assert!(empty.chunks_exact(4).all(|pixel| pixel[3] == 255));
        let (_, _, filled) = decode(&motd("§aHello"));
        assert!(filled.chunks_exact(4).any(|pixel| pixel[..3] == [0x55, 0xFF, 0x55]));
    }

    /// Empty pixels left and right of the text of this colour.
    fn margins(raw: &str, color: Rgb) -> (usize, usize) {
        let (_, _, pixels) = decode(&motd(raw));
        let is_text = |at: &usize| pixels[at * 4..at * 4 + 3] == color;
        let columns: Vec<usize> = (0..pixels.len() / 4).filter(is_text).map(|at| at % WIDTH as usize).collect();
        (*columns.iter().min().unwrap(), WIDTH as usize - 1 - columns.iter().max().unwrap())
    }

    #[test]
    fn lines_that_the_game_shows_centred_are_centred() {
        // In the game's font the texts are 47, 120 and 29 pixels wide: so many spaces move their middles next to 127.
        for raw in
            [" ".repeat(26) + "§aMinecraft", " ".repeat(17) + "§aThe best server of all", " ".repeat(28) + "§a§lHello"]
        {
            let (left, right) = margins(&raw, [0x55, 0xFF, 0x55]);
            assert!(left.abs_diff(right) <= SCALE as usize, "{raw}: {left} {right}");
        }
    }

    #[test]
    fn other_lines_stay_where_they_are() {
        let (left, _) = margins("§aMinecraft", [0x55, 0xFF, 0x55]);
        assert_eq!(left, LEFT as usize);
        // Four spaces are 16 of 254 pixels; the text is 47 wide, so that its middle is at 39.
        let (left, right) = margins("    §aMinecraft", [0x55, 0xFF, 0x55]);
        let middle = (left + WIDTH as usize - 1 - right) / 2;
        assert!(middle.abs_diff((LEFT + SCALE * (39 * CENTRED_WIDTH / 254)) as usize) <= SCALE as usize, "{middle}");
        // A line of strikes is text, even if it has no letter.
        assert_eq!(motd("§m          §r"), motd("§m          "));
    }

    #[test]
    fn same_text_same_picture() {
        let raw = "§k中文obfuscated§r\n§l§oשלום (world)";
        assert_eq!(motd(raw), motd(raw));
        assert_ne!(motd("§kabc"), motd("abc"));
    }

    #[test]
    fn hostile_text_does_not_panic() {
        for text in hostile_strings() {
            motd(&text);
        }
        motd(&"§l\u{FDFD}W".repeat(20_000));
    }
}
