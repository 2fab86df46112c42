//! Numbers in as few bytes as they need.

/// Seven bits in each byte, the lowest first; this one says that more follow.
pub const MORE: u8 = 0x80;
pub const BITS: u32 = 7;

pub fn put(mut value: u64, mut push: impl FnMut(u8)) {
    while value >= u64::from(MORE) {
        push(value as u8 | MORE);
        value >>= BITS;
    }
    push(value as u8);
}
