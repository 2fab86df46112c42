//! Shared parts of cards: background, text, tiles and the footer. The colours are those of the site in the dark.

use super::CardFigure;
use crate::canvas::{Canvas, Fill, VerticalGradient};
use crate::color::{Rgb, hex};
use crate::glyph;
use crate::logo::draw_logo;
use crate::text_layout::{self, PlacedGlyph};

/// The size that OpenGraph and others recommend.
pub const WIDTH: u32 = 1200;
pub const HEIGHT: u32 = 630;
pub const MARGIN: i32 = 64;
/// Of a name that is wrapped: more never fit on two lines.
const MAX_CHARACTERS: usize = 128;
const TILE_GAP: i32 = 16;
const TILE_PADDING: i32 = 20;
pub const TILE_HEIGHT: i32 = 116;

const GROUND_TOP: Rgb = hex(0x15_1d_1a);
const GROUND_BOTTOM: Rgb = hex(0x0c_11_10);
pub const TILE: Rgb = hex(0x1d_26_23);
pub const LINE: Rgb = hex(0x31_3c_38);
pub const INK: Rgb = hex(0xf1_f5_f3);
pub const SOFT: Rgb = hex(0xa3_ae_aa);
pub const ACCENT: Rgb = hex(0x62_d0_ac);
pub const GOOD: Rgb = hex(0x6f_d6_a0);
pub const BAD: Rgb = hex(0xff_9a_93);

pub fn sheet() -> Canvas {
    let mut canvas = Canvas::new(WIDTH, HEIGHT);
    canvas.fill_all(Fill::vertical(0.0, GROUND_TOP, HEIGHT as f32, GROUND_BOTTOM));
    canvas.glow((WIDTH as f32 - 120.0, -60.0), 620.0, hex(0x17_66_4f), 0.55);
    canvas.rect(0.0, 0.0, WIDTH as f32, 8.0, Fill::Linear((0.0, 0.0), hex(0x17_66_4f), (WIDTH as f32, 0.0), ACCENT));
    canvas
}

/// A line of text: what it says, where its top left corner is, and how much room it has.
#[derive(Clone, Copy)]
pub struct Line<'a> {
    pub text: &'a str,
    pub left: i32,
    pub top: i32,
    pub max_width: i32,
    pub color: Rgb,
}

impl Line<'_> {
    /// Bold, at the largest of these scales that fits; at the smallest with an ellipsis. Returns the scale.
    pub fn draw_fitting(&self, canvas: &mut Canvas, scales: &[i32]) -> i32 {
        let fitting = scales.iter().copied().find(|&scale| self.fits(self.text, scale));
        let scale = fitting.or(scales.last().copied()).unwrap_or(1);
        self.draw_bold(canvas, scale);
        scale
    }

    /// Bold on two lines, the second with an ellipsis if it does not fit.
    pub fn draw_wrapped(&self, canvas: &mut Canvas, scale: i32) {
        let (first, second) = self.wrap(scale);
        Line { text: first, ..*self }.draw_bold(canvas, scale);
        Line { text: second, top: self.top + scale * glyph::HEIGHT, ..*self }.draw_bold(canvas, scale);
    }

    pub fn fits(&self, text: &str, scale: i32) -> bool {
        let line = text_layout::lay_out_bold(text, self.max_width / scale + glyph::WIDTH);
        text_layout::width(&line) * scale <= self.max_width
    }

    /// As many words as fit, and the rest. A word that is too long is broken.
    fn wrap(&self, scale: i32) -> (&str, &str) {
        let ends = self.text.char_indices().map(|(at, c)| at + c.len_utf8()).take(MAX_CHARACTERS);
        let end = ends.take_while(|&end| self.fits(&self.text[..end], scale)).last().unwrap_or_default();
        let at = match self.text[..end].rfind(' ') {
            Some(space) if end < self.text.len() && !self.text[end..].starts_with(' ') => space,
            _ => end,
        };
        (self.text[..at].trim_end(), self.text[at..].trim_start())
    }

    fn draw_bold(&self, canvas: &mut Canvas, scale: i32) {
        let line = match self.fits(self.text, scale) {
            true => text_layout::lay_out_bold(self.text, self.max_width / scale + glyph::WIDTH),
            false => text_layout::lay_out_ellipsized(self.text, self.max_width / scale),
        };
        draw(canvas, &line, self, scale, scale / 2);
    }

    /// With an ellipsis if it does not fit. Returns the width.
    pub fn draw(&self, canvas: &mut Canvas, scale: i32) -> i32 {
        let line = text_layout::lay_out_ellipsized(self.text, self.max_width / scale);
        draw(canvas, &line, self, scale, 0);
        text_layout::width(&line) * scale
    }
}

/// `strike`: how far a second strike is moved, which makes thin letters bold.
fn draw(canvas: &mut Canvas, line: &[PlacedGlyph<()>], at: &Line, scale: i32, strike: i32) {
    let corners = line.iter().flat_map(|placed| {
        // Ideographs would run together.
        let strike = if placed.bitmap.advance < glyph::WIDTH { strike } else { 0 };
        placed.bitmap.pixels().flat_map(move |(x, y)| {
            let (left, top) = (at.left + (placed.x + x) * scale, at.top + y * scale);
            [(left, top), (left + strike, top)]
        })
    });
    canvas.pixel_squares(corners, scale, VerticalGradient { from: (0, at.color), to: (1, at.color) });
}

/// Tiles of equal width in rows of `columns`.
pub fn tiles(canvas: &mut Canvas, figures: &[CardFigure], (left, top): (i32, i32), width: i32, columns: i32) {
    let tile = (width - (columns - 1) * TILE_GAP) / columns;
    for (figure, i) in figures.iter().zip(0..) {
        let (x, y) = (left + i % columns * (tile + TILE_GAP), top + i / columns * (TILE_HEIGHT + TILE_GAP));
        panel(canvas, (x, y), tile, TILE_HEIGHT);
        let (left, max_width) = (x + TILE_PADDING, tile - 2 * TILE_PADDING);
        Line { text: figure.label, left, top: y + 12, max_width, color: SOFT }.draw(canvas, 2);
        let value = Line { text: figure.value, left, top: y + 50, max_width, color: INK };
        value.draw_fitting(canvas, &[3, 2]);
    }
}

pub fn panel(canvas: &mut Canvas, (x, y): (i32, i32), width: i32, height: i32) {
    let (x, y, width, height) = (x as f32, y as f32, width as f32, height as f32);
    canvas.rounded_rect(x - 1.0, y - 1.0, width + 2.0, height + 2.0, 17.0, Fill::Solid(LINE));
    canvas.rounded_rect(x, y, width, height, 16.0, Fill::Solid(TILE));
}

/// The name of the site on the left, a note on the right.
pub fn footer(canvas: &mut Canvas, site: &str, note: &str) {
    const TOP: i32 = 578;
    draw_logo(canvas, MARGIN as f32, TOP as f32 - 4.0, 36.0, 8.0);
    let room = WIDTH as i32 / 2 - MARGIN;
    Line { text: site, left: MARGIN + 50, top: TOP, max_width: room - 50, color: INK }.draw(canvas, 2);
    let width = text_layout::width(&text_layout::lay_out_ellipsized(note, room / 2)) * 2;
    let left = WIDTH as i32 - MARGIN - width;
    Line { text: note, left, top: TOP, max_width: room, color: SOFT }.draw(canvas, 2);
}
