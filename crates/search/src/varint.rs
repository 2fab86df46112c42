//! LEB128 variable-length integers: seven bits in each byte, the lowest first.

/// Set in every byte but the last one of a number.
pub const CONTINUATION: u8 = 0x80;
pub const PAYLOAD_BITS: u32 = 7;

pub fn encode(mut value: u64, mut push: impl FnMut(u8)) {
    while value >= u64::from(CONTINUATION) {
        push(value as u8 | CONTINUATION);
        value >>= PAYLOAD_BITS;
    }
    push(value as u8);
}
