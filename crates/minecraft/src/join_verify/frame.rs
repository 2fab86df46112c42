//! Length prefixes of packets.

use crate::codec::put_varint;

/// The longest packet that is read: the login start of 1.19, with the player's signing key (at most 512 bytes) and its signature
/// (at most 4,096).
pub const MAX_MESSAGE: usize = 5 * 1024;

/// The packet with its length in front.
pub(crate) fn frame(body: &[u8]) -> Vec<u8> {
    let mut packet = Vec::with_capacity(body.len() + 3);
    put_varint(&mut packet, i32::try_from(body.len()).unwrap_or(i32::MAX));
    packet.extend_from_slice(body);
    packet
}
