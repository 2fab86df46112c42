//! Pictures that strangers send: looked at before they are decoded, bounded while they are, and drawn anew, so that
//! nothing but pixels is ever handed on.

use png::{ColorType, Decoder, Limits, Transformations};

use crate::raster::encode;

/// Width and height of a server's icon; the game shows no other.
const ICON: u32 = 64;
/// Bytes that decoding may take, whatever the picture says of itself.
const MEMORY: usize = 1 << 20;

/// The icon as a picture of ours; `None` when it is no PNG of 64 by 64 that can be read whole.
pub fn redraw_icon(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = Decoder::new_with_limits(std::io::Cursor::new(bytes), Limits { bytes: MEMORY });
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8() | Transformations::ALPHA);
    let head = decoder.read_header_info().ok()?;
    if (head.width, head.height) != (ICON, ICON) {
        return None;
    }
    let mut reader = decoder.read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let drawn = reader.next_frame(&mut pixels).ok()?;
    let rgba = match drawn.color_type {
        ColorType::Rgba => pixels,
        ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|p| [p[0], p[0], p[0], p[1]]).collect(),
        _ => return None,
    };
    (rgba.len() == (ICON * ICON * 4) as usize).then(|| encode(ICON, ICON, &rgba))
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
    fn icons_are_drawn_anew_without_what_they_carry() {
        for color in [ColorType::Rgb, ColorType::Rgba, ColorType::Grayscale, ColorType::GrayscaleAlpha] {
            let sent = picture(64, 64, color);
            let drawn = redraw_icon(&sent).unwrap();
            assert!(!drawn.windows(4).any(|chunk| chunk == b"zTXt"), "{color:?}");
            assert_eq!(redraw_icon(&drawn), Some(drawn));
        }
        assert!(redraw_icon(&crate::icon("Emberfall", 7)).is_some());
    }

    #[test]
    fn what_is_no_icon_is_none() {
        let good = picture(64, 64, ColorType::Rgba);
        for (width, height) in [(63, 64), (64, 65), (1, 1), (2000, 2000)] {
            assert_eq!(redraw_icon(&picture(width, height, ColorType::Grayscale)), None);
        }
        for end in [0, 8, 20, 33, good.len() / 2] {
            assert_eq!(redraw_icon(&good[..end]), None, "{end}");
        }
        assert_eq!(redraw_icon(b"GIF89a"), None);
        // A header that promises 4 GiB.
        let mut vast = good.clone();
        vast[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
        assert_eq!(redraw_icon(&vast), None);
    }
}
