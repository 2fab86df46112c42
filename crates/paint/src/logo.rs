//! The logo as a bitmap, for places that take no SVG. The same shapes as `web/src/logo.svg`.

use tiny_skia::Transform;

use super::canvas::{Canvas, CanvasPoint, Fill};
use super::color::{Rgb, WHITE, hex};

/// Side of the drawing.
const SIDE: f32 = 32.0;
const CORNER: f32 = 8.0;
const GROUND: Rgb = hex(0x17_66_4f);
const STROKE: f32 = 2.6;
/// Opacity of the lines beside the check mark.
const FAINT: f32 = 0.55;

const LINES: [[CanvasPoint; 2]; 5] = [
    [(15.5, 9.5), (24.0, 9.5)],
    [(15.5, 16.0), (24.0, 16.0)],
    [(15.5, 22.5), (24.0, 22.5)],
    [(8.0, 9.5), (11.0, 9.5)],
    [(8.0, 22.5), (11.0, 22.5)],
];
const CHECK: [CanvasPoint; 3] = [(7.2, 16.0), (9.5, 18.3), (13.5, 13.7)];

/// A square of `size` pixels, at most 1024. Systems that cut the corners themselves want it without rounded ones.
pub fn logo(size: u32, is_rounded: bool) -> Vec<u8> {
    let size = size.clamp(1, 1024);
    let mut canvas = Canvas::new(size, size);
    draw_logo(&mut canvas, 0.0, 0.0, size as f32, if is_rounded { CORNER } else { 0.0 });
    canvas.into_png()
}

/// With its top left corner at this point.
pub(crate) fn draw_logo(canvas: &mut Canvas, x: f32, y: f32, size: f32, corner: f32) {
    let before = canvas.transform;
    canvas.transform = Transform::from_scale(size / SIDE, size / SIDE).post_translate(x, y);
    canvas.rounded_rect(0.0, 0.0, SIDE, SIDE, corner, Fill::Solid(GROUND));
    for line in &LINES {
        canvas.line(line, STROKE, Fill::Translucent(WHITE, FAINT));
    }
    canvas.line(&CHECK, STROKE, Fill::Solid(WHITE));
    canvas.transform = before;
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    fn pixel(picture: &(u32, u32, Vec<u8>), x: u32, y: u32) -> [u8; 4] {
        let at = ((y * picture.0 + x) * 4) as usize;
        picture.2[at..at + 4].try_into().unwrap()
    }

    #[test]
    fn the_logo_has_its_colours_at_every_size() {
        for size in [180, 192, 512] {
            let square = decode(&logo(size, false));
            assert_eq!((square.0, square.1), (size, size));
            assert_eq!(pixel(&square, 0, 0), [0x17, 0x66, 0x4f, 255]);
            let rounded = decode(&logo(size, true));
            assert_eq!(pixel(&rounded, 0, 0)[3], 0);
            // On the check mark, and on a line.
            let at = |value: f32| (value / SIDE * size as f32) as u32;
            assert_eq!(pixel(&rounded, at(9.5), at(18.0)), [255; 4]);
            let [r, g, b, a] = pixel(&rounded, at(20.0), at(16.0));
            assert!((150..155).contains(&r) && (184..189).contains(&g) && (175..180).contains(&b) && a == 255);
        }
    }
}
