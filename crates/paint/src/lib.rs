//! Painters of every picture the service makes itself: pure, and the same for the same input.

mod avatar;
mod banner;
mod canvas;
mod cape;
mod character;
mod color;
mod face;
mod glyph;
mod headwear;
mod icon;
mod letters;
mod motd;
mod motifs;
mod outfit;
mod palette;
mod raster;
mod sanitize_png;
mod scene;
mod skin;
mod skin_layout;
mod sky;
mod sticker;
mod symbols;
mod text;

pub use avatar::avatar;
pub use banner::banner;
pub use cape::cape;
pub use icon::icon;
pub use motd::motd;
pub use sanitize_png::redraw_icon;
pub use skin::{Model, default_skin, skin};

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// The generator behind every random choice: small, and stable across platforms.
type Dice = Pcg64Mcg;

/// Dice for one purpose of one seed, so that painters do not echo each other's choices.
fn dice(seed: u64, purpose: u64) -> Dice {
    Dice::seed_from_u64(seed ^ purpose.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// A stable 64-bit hash of text (FNV-1a), to seed choices from names.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod testing {
    use rand::RngExt;

    /// Decodes a picture and gives its width, height and RGBA bytes.
    pub fn decode(picture: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(picture)).read_info().expect("a PNG header");
        let size = reader.output_buffer_size().expect("a size that fits");
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).expect("a PNG frame");
        assert_eq!(info.color_type, png::ColorType::Rgba);
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        (info.width, info.height, pixels)
    }

    /// Strings of arbitrary code points, thick with the ones that upset text layout.
    pub fn nasty_strings() -> Vec<String> {
        const TRAPS: &[char] = &[
            '§',
            '\n',
            '\r',
            '\0',
            '\u{200F}',
            '\u{202E}',
            '\u{2066}',
            '\u{2029}',
            '\u{301}',
            '\u{FE0F}',
            '\u{10FFFF}',
            'ل',
            'ا',
            'א',
            '(',
            '中',
            '😀',
            ' ',
            'x',
            'k',
            'l',
        ];
        let mut dice = super::dice(7, 7);
        let mut strings = vec![String::new(), "§".repeat(5000), "\u{301}".repeat(9000)];
        for _ in 0..300 {
            let length = dice.random_range(0..120);
            let text = (0..length)
                .map(|_| if dice.random_bool(0.5) { TRAPS[dice.random_range(0..TRAPS.len())] } else { dice.random() })
                .collect();
            strings.push(text);
        }
        strings
    }
}
