//! Colour arithmetic.

/// An opaque colour: red, green, blue.
pub type Rgb = [u8; 3];

pub const WHITE: Rgb = [255, 255, 255];
pub const BLACK: Rgb = [0, 0, 0];

/// A colour from `0xRRGGBB`.
pub const fn hex(value: u32) -> Rgb {
    let [_, r, g, b] = value.to_be_bytes();
    [r, g, b]
}

/// The colour `share` of the way from `a` to `b`.
pub fn mix(a: Rgb, b: Rgb, share: f32) -> Rgb {
    let share = share.clamp(0.0, 1.0);
    std::array::from_fn(|i| {
        let (from, to) = (f32::from(a[i]), f32::from(b[i]));
        (from + (to - from) * share).round() as u8
    })
}

pub fn lighter(color: Rgb, share: f32) -> Rgb {
    mix(color, WHITE, share)
}

pub fn darker(color: Rgb, share: f32) -> Rgb {
    mix(color, BLACK, share)
}

/// Adds the same amount to each channel, for texture noise.
pub fn shifted(color: Rgb, amount: i32) -> Rgb {
    color.map(|channel| (i32::from(channel) + amount).clamp(0, 255) as u8)
}

/// Perceived brightness from 0 to 1.
pub fn brightness(color: Rgb) -> f32 {
    let [r, g, b] = color.map(f32::from);
    (0.299 * r + 0.587 * g + 0.114 * b) / 255.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixes_and_clamps() {
        assert_eq!(mix(BLACK, WHITE, 0.5), [128, 128, 128]);
        assert_eq!(mix(BLACK, WHITE, 7.0), WHITE);
        assert_eq!(shifted([250, 3, 100], 10), [255, 13, 110]);
        assert_eq!(hex(0x12_34_56), [0x12, 0x34, 0x56]);
    }
}
