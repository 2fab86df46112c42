//! RGBA pixels.

use super::color::Rgb;
use super::encode::{encode_png, reduce_colors};

/// Straight (not premultiplied) RGBA pixels.
pub struct Raster {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Raster {
    /// Fully transparent.
    pub fn new(width: u32, height: u32) -> Self {
        Self { width, height, pixels: vec![0; width as usize * height as usize * 4] }
    }

    /// Sets an opaque pixel. Positions outside are ignored, which clips text.
    pub fn set(&mut self, x: i32, y: i32, color: Rgb) {
        if let Some(at) = self.offset(x, y) {
            self.pixels[at..at + 3].copy_from_slice(&color);
            self.pixels[at + 3] = u8::MAX;
        }
    }

    /// Fills a rectangle, clipped to the raster.
    pub fn fill(&mut self, x: i32, y: i32, width: i32, height: i32, color: Rgb) {
        for row in y..y + height {
            for column in x..x + width {
                self.set(column, row, color);
            }
        }
    }

    /// `None` if the number of bytes does not match the size.
    pub fn from_rgba(width: u32, height: u32, pixels: Vec<u8>) -> Option<Self> {
        let bytes = width as usize * height as usize * 4;
        (pixels.len() == bytes).then_some(Self { width, height, pixels })
    }

    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Transparent outside.
    pub fn get(&self, x: i32, y: i32) -> [u8; 4] {
        let at = self.offset(x, y);
        at.map_or([0; 4], |at| [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2], self.pixels[at + 3]])
    }

    /// Replaces a pixel and its alpha. Positions outside are ignored.
    pub fn put(&mut self, x: i32, y: i32, pixel: [u8; 4]) {
        if let Some(at) = self.offset(x, y) {
            self.pixels[at..at + 4].copy_from_slice(&pixel);
        }
    }

    pub fn as_rgba(&self) -> &[u8] {
        &self.pixels
    }

    pub fn as_rgba_mut(&mut self) -> &mut [u8] {
        &mut self.pixels
    }

    pub fn into_png(self) -> Vec<u8> {
        encode_png(self.width, self.height, &self.pixels)
    }

    /// With no more colours than a palette holds: a quarter of the bytes, and hardly a visible difference.
    pub fn into_small_png(mut self) -> Vec<u8> {
        reduce_colors(&mut self.pixels);
        self.into_png()
    }

    fn offset(&self, x: i32, y: i32) -> Option<usize> {
        let x = u32::try_from(x).ok().filter(|&x| x < self.width)?;
        let y = u32::try_from(y).ok().filter(|&y| y < self.height)?;
        Some((y as usize * self.width as usize + x as usize) * 4)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    #[test]
    fn pixels_are_encoded_and_outside_ones_ignored() {
        let mut raster = Raster::new(3, 2);
        raster.set(2, 1, [9, 8, 7]);
        raster.set(3, 0, [1, 1, 1]);
        raster.set(0, -1, [1, 1, 1]);
        let (width, height, pixels) = decode(&raster.into_png());
        assert_eq!((width, height), (3, 2));
        assert_eq!(pixels[20..], [9, 8, 7, 255]);
        assert!(pixels[..20].iter().all(|&byte| byte == 0));
    }
}
