//! Sanitizes pictures from outside, which are untrusted: checks the size before decoding, bounds the memory, and encodes the
//! pixels again, so that no other chunk is passed on.

use png::{ColorType, Decoder, Limits, Transformations};

use crate::raster::Raster;

/// The only size of an icon that the game shows.
const ICON_SIDE: u32 = 64;
/// Width and height of banners from outside.
const BANNER_SIZES: [(u32, u32); 2] = [(936, 120), (468, 60)];
/// Memory limit of the decoder for an icon, in bytes.
const MAX_ICON_MEMORY: usize = 1 << 20;
/// Larger than any picture of ours: banners are the widest.
const MAX_SIDE: u32 = 2048;
/// Memory limit of the decoder for any picture: the pixels of the largest one, and its working memory.
const MAX_MEMORY: usize = 32 << 20;

/// Returns a PNG with the same pixels, or `None` if the input is not a complete PNG of 64x64 pixels.
pub fn sanitize_icon(bytes: &[u8]) -> Option<Vec<u8>> {
    decode(bytes, MAX_ICON_MEMORY, |size| size == (ICON_SIDE, ICON_SIDE)).map(Raster::into_png)
}

/// Returns a PNG with the same pixels, or `None` if the input is not a complete PNG of the size of a banner, or half of it.
pub fn sanitize_banner(bytes: &[u8]) -> Option<Vec<u8>> {
    decode_png(bytes, |size| BANNER_SIZES.contains(&size)).map(Raster::into_png)
}

/// Returns a PNG with the same pixels, or `None` if the input is not a complete PNG of at most 2048x2048 pixels. Pictures that
/// this crate drew come out as they went in.
pub fn sanitize_png(bytes: &[u8]) -> Option<Vec<u8>> {
    decode_png(bytes, |_| true).map(Raster::into_png)
}

/// The pixels of a PNG of at most 2048x2048 pixels and an allowed size.
pub fn decode_png(bytes: &[u8], is_allowed: impl Fn((u32, u32)) -> bool) -> Option<Raster> {
    let fits = |side: u32| (1..=MAX_SIDE).contains(&side);
    decode(bytes, MAX_MEMORY, |(width, height)| fits(width) && fits(height) && is_allowed((width, height)))
}

fn decode(bytes: &[u8], max_memory: usize, is_allowed: impl Fn((u32, u32)) -> bool) -> Option<Raster> {
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), Limits { bytes: max_memory });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let header = decoder.read_header_info().ok()?;
    let (width, height) = (header.width, header.height);
    if !is_allowed((width, height)) {
        return None;
    }
    let mut reader = decoder.read_info().ok()?;
    // The decoder panics when it reads a colour that is not whole.
    if reader.info().palette.as_ref().is_some_and(|palette| !palette.len().is_multiple_of(3)) {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let frame = reader.next_frame(&mut pixels).ok()?;
    let rgba = match frame.color_type {
        ColorType::Rgba => pixels,
        ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => return None,
    };
    Raster::from_rgba(width, height, rgba)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, color: ColorType) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, width, height);
        encoder.set_color(color);
        let _ = encoder.add_ztxt_chunk("Comment".into(), "x".repeat(9 << 20));
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&vec![7; (width * height) as usize * color.samples()]).unwrap();
        writer.finish().unwrap();
        file
    }

    #[test]
    fn icons_are_encoded_again_without_other_chunks() {
        for color in [ColorType::Rgb, ColorType::Rgba, ColorType::Grayscale, ColorType::GrayscaleAlpha] {
            let original = picture(64, 64, color);
            let sanitized = sanitize_icon(&original).unwrap();
            assert!(!sanitized.windows(4).any(|chunk| chunk == b"zTXt"), "{color:?}");
            assert_eq!(sanitize_icon(&sanitized), Some(sanitized));
        }
        assert!(sanitize_icon(&crate::icon("Emberfall", 7)).is_some());
    }

    #[test]
    fn pictures_of_ours_stay_as_they_are_and_others_lose_what_is_no_pixel() {
        let ours = [
            crate::icon("Emberfall", 7),
            crate::banner("Emberfall", "", 7),
            crate::motd("§6Emberfall"),
            crate::skin(crate::ArmModel::Slim, 7),
            crate::cape(7),
            crate::avatar(7),
        ];
        for picture in ours {
            assert!(sanitize_png(&picture).as_ref() == Some(&picture));
            let polyglot = [&picture[..], b"<script>alert(1)</script>"].concat();
            assert!(sanitize_png(&polyglot) == Some(picture));
        }
        let commented = picture(640, 100, ColorType::Rgb);
        assert!(!sanitize_png(&commented).unwrap().windows(4).any(|chunk| chunk == b"zTXt"));
        assert_eq!(sanitize_png(&picture(MAX_SIDE + 1, 1, ColorType::Grayscale)), None);
        assert_eq!(sanitize_png(b"\x89PNG\r\n\x1a\n<html>"), None);
    }

    #[test]
    fn other_sizes_and_invalid_files_are_rejected() {
        let good = picture(64, 64, ColorType::Rgba);
        for (width, height) in [(63, 64), (64, 65), (1, 1), (2000, 2000)] {
            assert_eq!(sanitize_icon(&picture(width, height, ColorType::Grayscale)), None);
        }
        for end in [0, 8, 20, 33, good.len() / 2] {
            assert_eq!(sanitize_icon(&good[..end]), None, "{end}");
        }
        assert_eq!(sanitize_icon(b"GIF89a"), None);
        // A palette whose second colour is not whole.
        let mut indexed = Vec::new();
        let mut encoder = png::Encoder::new(&mut indexed, 64, 64);
        encoder.set_color(ColorType::Indexed);
        encoder.set_palette(vec![1, 2, 3, 4]);
        encoder.write_header().unwrap().write_image_data(&[0; 64 * 64]).unwrap();
        assert_eq!(sanitize_icon(&indexed), None);
        // A header that claims 4 GiB of pixels.
        let mut huge = good.clone();
        huge[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert_eq!(sanitize_icon(&huge), None);
    }
}
