//! Hash functions for values that must be the same on every run and platform. None of them is cryptographic.

/// The increment of SplitMix64: 2^64 divided by the golden ratio, made odd.
pub const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// One step of SplitMix64: each bit of the input changes about half of the output bits.
pub fn splitmix64(value: u64) -> u64 {
    let value = value.wrapping_add(GOLDEN_GAMMA);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

/// 64-bit FNV-1a of a text.
pub fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Maps random bits to [0, 1).
pub fn unit_interval(bits: u64) -> f64 {
    // A double holds 53 bits.
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From the reference implementations: a changed result would change every generated picture and demo world.
    #[test]
    fn hashes_match_the_reference_values() {
        assert_eq!(splitmix64(0), 0xe220_a839_7b1d_cdaf);
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn unit_interval_excludes_one() {
        assert_eq!(unit_interval(0), 0.0);
        assert!(unit_interval(u64::MAX) < 1.0);
    }
}
