//! Enlarges a picture by whole pixels.

use super::raster::Raster;
use super::untrusted_picture;

/// Pixels on a side that the result may have.
const MAX_SIDE: u32 = 4096;

/// Every pixel becomes a square of `factor` pixels. `None` if it is no PNG that we accept, or if the result is too large.
pub fn enlarge(png: &[u8], factor: u32) -> Option<Vec<u8>> {
    let source = untrusted_picture::decode_png(png, |_| true)?;
    let (width, height) = source.size();
    let fits = |side: u32| factor > 0 && side.checked_mul(factor).is_some_and(|side| side <= MAX_SIDE);
    if !fits(width) || !fits(height) {
        return None;
    }
    let mut pixels = Vec::with_capacity((width * height * factor * factor * 4) as usize);
    for y in 0..height * factor {
        for x in 0..width * factor {
            pixels.extend(source.get((x / factor) as i32, (y / factor) as i32));
        }
    }
    Raster::from_rgba(width * factor, height * factor, pixels).map(Raster::into_png)
}

#[cfg(test)]
mod tests {
    use super::super::testing::decode;
    use super::*;

    #[test]
    fn pixels_become_squares() {
        let mut raster = Raster::new(2, 1);
        raster.set(1, 0, [1, 2, 3]);
        let (width, height, pixels) = decode(&enlarge(&raster.into_png(), 2).unwrap());
        assert_eq!((width, height), (4, 2));
        let row = [[0; 8].as_slice(), &[1, 2, 3, 255, 1, 2, 3, 255]].concat();
        assert_eq!(pixels, [row.as_slice(), &row].concat());
    }

    #[test]
    fn sizes_are_bounded() {
        let wide = Raster::new(2048, 1).into_png();
        assert!(enlarge(&wide, 2).is_some() && enlarge(&wide, 3).is_none() && enlarge(&wide, 0).is_none());
        assert_eq!(enlarge(b"GIF", 2), None);
    }
}
