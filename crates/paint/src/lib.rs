//! Draws icons, banners, MOTD images, skins, capes and avatars as PNG.
//!
//! Everything is pure and deterministic: the same input gives the same bytes on every platform. The functions for
//! pictures from outside are [`sanitize_icon`], [`sanitize_banner`], [`sanitize_png`] and [`normalize_upload`].

mod arabic_shaping;
mod avatar;
mod banner;
mod canvas;
mod cape;
mod card;
mod character;
mod color;
mod encode;
mod enlarge;
mod face;
mod fallback_glyphs;
mod glyph;
mod headwear;
mod icon;
mod landscape;
mod logo;
mod motd;
mod motifs;
mod outfit;
mod outlined_layer;
mod palette;
mod raster;
mod render;
mod skin;
mod skin_layout;
mod sky;
mod text_layout;
mod texture_upload;
mod untrusted_picture;

pub use avatar::avatar;
pub use banner::banner;
pub use cape::cape;
pub use card::{CardFigure, CardSubject, PlayerCard, ServerCard, player_card, server_card};
pub use enlarge::enlarge;
pub use icon::icon;
pub use logo::logo;
pub use motd::motd;
pub use render::{
    CapeTexture, SkinTexture as WornSkin, render_body, render_cape, render_face, render_head, render_skin,
};
pub use skin::{default_skin, skin};
pub use skin_layout::ArmModel;
pub use texture_upload::{MAX_UPLOAD_BYTES, TextureKind, UploadedTexture, normalize_upload};
pub use untrusted_picture::{sanitize_banner, sanitize_icon, sanitize_png};

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use rollcall_model::hash::GOLDEN_GAMMA;

/// Small, and the same on every platform.
type PaintRng = Pcg64Mcg;

/// The generator of one seed and stream. Each kind of picture has its own stream, so that their choices are
/// independent.
fn seeded_rng(seed: u64, stream: u64) -> PaintRng {
    PaintRng::seed_from_u64(seed ^ stream.wrapping_mul(GOLDEN_GAMMA))
}

#[cfg(test)]
mod testing {
    use rand::RngExt;

    /// Returns width, height and RGBA bytes.
    pub fn decode(picture: &[u8]) -> (u32, u32, Vec<u8>) {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(picture));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().expect("valid PNG header");
        let size = reader.output_buffer_size().expect("size fits in usize");
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).expect("valid PNG frame");
        assert_eq!(info.color_type, png::ColorType::Rgba);
        assert_eq!(info.bit_depth, png::BitDepth::Eight);
        (info.width, info.height, pixels)
    }

    /// Random strings with many characters that are difficult for text layout.
    pub fn hostile_strings() -> Vec<String> {
        const DIFFICULT: &[char] = &[
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
        let mut rng = super::seeded_rng(7, 7);
        let mut strings = vec![String::new(), "§".repeat(5000), "\u{301}".repeat(9000)];
        for _ in 0..300 {
            let length = rng.random_range(0..120);
            let text =
                (0..length)
                    .map(|_| {
                        if rng.random_bool(0.5) {
                            DIFFICULT[rng.random_range(0..DIFFICULT.len())]
                        } else {
                            rng.random()
                        }
                    })
                    .collect();
            strings.push(text);
        }
        strings
    }
}
