//! Bitmaps of single characters: Unifont with Minecraft's spacing.

use super::fallback_glyphs;

pub const HEIGHT: i32 = 16;

/// The widest glyph.
pub const WIDTH: i32 = 16;

/// Minecraft's space is two thirds of a letter. Servers rely on it to centre text.
const SPACE_ADVANCE: i32 = 5;

/// Empty columns after a proportional glyph.
const GAP: i32 = 2;

/// The bit of the leftmost column.
const LEFTMOST: u16 = 0x8000;

/// The pixels of a character, left-aligned, and its advance width.
#[derive(Clone, Copy)]
pub struct GlyphBitmap {
    pub rows: [u16; HEIGHT as usize],
    pub advance: i32,
}

impl GlyphBitmap {
    /// Columns and rows of the set pixels.
    pub fn pixels(&self) -> impl Iterator<Item = (i32, i32)> + '_ {
        self.rows
            .iter()
            .zip(0..)
            .flat_map(|(&row, y)| (0..WIDTH).filter(move |&x| row & (LEFTMOST >> x) != 0).map(move |x| (x, y)))
    }

    /// Draws a combining mark over this glyph.
    pub fn overlay(&mut self, mark: &Self) {
        for (row, more) in self.rows.iter_mut().zip(mark.rows) {
            *row |= more;
        }
    }
}

/// Every character has a bitmap: unknown ones get a replacement.
pub fn bitmap(c: char) -> GlyphBitmap {
    if let Some(rows) = fallback_glyphs::custom_bitmap(c) {
        let advance = WIDTH + 1;
        return GlyphBitmap { rows, advance };
    }
    let c = fallback_glyphs::look_alike(c);
    let glyph = unifont::get_glyph(c).or_else(|| unifont::get_glyph(char::REPLACEMENT_CHARACTER));
    let (rows, cell) = match glyph {
        Some(unifont::Glyph::Halfwidth(rows)) => (rows.map(|row| u16::from(row) << 8), 8),
        Some(unifont::Glyph::Fullwidth(rows)) => (*rows, WIDTH),
        None => ([0; HEIGHT as usize], WIDTH),
    };
    if is_proportional(c) && !is_mark(c) {
        trim(rows)
    } else {
        let advance = cell;
        GlyphBitmap { rows, advance }
    }
}

/// Characters without a glyph, which the layout skips.
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{AD}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{FEFF}'
            | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FE00}'..='\u{FE0F}' | '\u{FFF0}'..='\u{FFFB}'
            | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Combining marks are drawn over the previous character.
pub fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36F}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5BD}'
        | '\u{5BF}' | '\u{5C1}' | '\u{5C2}' | '\u{5C4}' | '\u{5C5}' | '\u{5C7}'
        | '\u{610}'..='\u{61A}' | '\u{64B}'..='\u{65F}' | '\u{670}'
        | '\u{6D6}'..='\u{6DC}' | '\u{6DF}'..='\u{6E4}' | '\u{6E7}' | '\u{6E8}'
        | '\u{6EA}'..='\u{6ED}' | '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}'
        | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20F0}'
        | '\u{FE20}'..='\u{FE2F}')
}

/// Alphabets with separate letters. Joined scripts and box drawing need their full cells.
fn is_proportional(c: char) -> bool {
    matches!(c, '\0'..='\u{52F}' | '\u{1D00}'..='\u{1FFF}' | '\u{2000}'..='\u{206F}'
        | '\u{A720}'..='\u{A7FF}')
}

/// Removes empty columns on both sides.
fn trim(rows: [u16; HEIGHT as usize]) -> GlyphBitmap {
    let columns = rows.iter().fold(0, |all, row| all | row);
    if columns == 0 {
        let advance = SPACE_ADVANCE;
        return GlyphBitmap { rows, advance };
    }
    let left = columns.leading_zeros();
    let width = 16 - left - columns.trailing_zeros();
    GlyphBitmap { rows: rows.map(|row| row << left), advance: width as i32 + GAP }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_proportional_and_ideographs_are_not() {
        assert!(bitmap('i').advance < bitmap('W').advance);
        assert_eq!(bitmap('中').advance, WIDTH);
        assert_eq!(bitmap(' ').advance, SPACE_ADVANCE);
        assert!(bitmap('A').pixels().count() > 10);
    }

    #[test]
    fn unknown_characters_have_a_replacement() {
        for c in ['😀', '\u{10FFFF}', '\u{E000}', '𝓐', '🧿'] {
            assert!(bitmap(c).pixels().count() > 4, "{c}");
        }
    }
}
