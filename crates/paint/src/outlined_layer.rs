//! Draws a layer with an outline and a soft shadow, so that it stands out from the background.

use super::canvas::Canvas;
use super::color::Rgb;

/// Opacity of the shadow, and its distance below the outline.
const SHADOW_OPACITY: f32 = 0.28;
const SHADOW_DROP: i32 = 2;

impl Canvas {
    /// `layer` must have the size of this canvas. `width` is that of the outline.
    pub fn draw_outlined(&mut self, layer: &Self, outline: Rgb, width: i32) {
        let (columns, rows) = (layer.pixmap.width() as i32, layer.pixmap.height() as i32);
        let source = layer.pixmap.data();
        let mask = AlphaMask::from_rgba(source, columns, rows);
        let Some((left, top, right, bottom)) = mask.bounds() else {
            return;
        };
        let reach = ring_offsets(width);
        let margin = width + SHADOW_DROP + 1;
        let target = self.pixmap.data_mut();
        for y in (top - margin).max(0)..(bottom + margin).min(rows) {
            for x in (left - margin).max(0)..(right + margin).min(columns) {
                let at = ((y * columns + x) * 4) as usize;
                let (under, over) = (&mut target[at..at + 4], &source[at..at + 4]);
                let shade = mask.alpha(x - 1, y - width - SHADOW_DROP);
                blend(under, [0; 3], (f32::from(shade) * SHADOW_OPACITY) as u8);
                let edge = reach.iter().map(|&(dx, dy)| mask.alpha(x + dx, y + dy));
                let edge = edge.fold(0, u8::max);
                blend(under, premultiplied(outline, edge), edge);
                blend(under, [over[0], over[1], over[2]], over[3]);
            }
        }
    }
}

/// Opacity of a picture with an empty border, so that reads of neighbours need no bounds checks.
struct AlphaMask {
    alphas: Vec<u8>,
    columns: i32,
    rows: i32,
}

impl AlphaMask {
    /// Wider than any outline and its shadow.
    const BORDER: i32 = 8;

    fn from_rgba(rgba: &[u8], columns: i32, rows: i32) -> Self {
        let stride = columns + 2 * Self::BORDER;
        let mut alphas = vec![0; (stride * (rows + 2 * Self::BORDER)) as usize];
        for (row, y) in rgba.chunks_exact(columns as usize * 4).zip(Self::BORDER..) {
            let start = (y * stride + Self::BORDER) as usize;
            for (alpha, pixel) in alphas[start..].iter_mut().zip(row.chunks_exact(4)) {
                *alpha = pixel[3];
            }
        }
        Self { alphas, columns, rows }
    }

    fn alpha(&self, x: i32, y: i32) -> u8 {
        let stride = self.columns + 2 * Self::BORDER;
        self.alphas[((y + Self::BORDER) * stride + x + Self::BORDER) as usize]
    }

    /// Left, top, right and bottom of the visible pixels. `None` if there are none.
    fn bounds(&self) -> Option<(i32, i32, i32, i32)> {
        let (mut left, mut top, mut right, mut bottom) = (self.columns, self.rows, 0, 0);
        for y in 0..self.rows {
            for x in (0..self.columns).filter(|&x| self.alpha(x, y) > 0) {
                (left, right) = (left.min(x), right.max(x + 1));
                (top, bottom) = (top.min(y), bottom.max(y + 1));
            }
        }
        (left < right).then_some((left, top, right, bottom))
    }
}

/// Source-over blending. Both colours are premultiplied.
fn blend(pixel: &mut [u8], color: Rgb, alpha: u8) {
    if alpha == 0 {
        return;
    }
    let keep = u16::from(u8::MAX - alpha);
    let over = [color[0], color[1], color[2], alpha];
    for (channel, value) in pixel.iter_mut().zip(over) {
        let kept = (u16::from(*channel) * keep + 127) / 255;
        *channel = value.saturating_add(kept as u8);
    }
}

fn premultiplied(color: Rgb, alpha: u8) -> Rgb {
    color.map(|channel| (u16::from(channel) * u16::from(alpha) / 255) as u8)
}

/// Eight directions at the outline's distance, with shorter diagonals for a round outline.
fn ring_offsets(width: i32) -> [(i32, i32); 8] {
    let slant = ((width * 5 + 3) / 7).max(1);
    [
        (width, 0),
        (-width, 0),
        (0, width),
        (0, -width),
        (slant, slant),
        (slant, -slant),
        (-slant, slant),
        (-slant, -slant),
    ]
}
