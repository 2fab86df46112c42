//! The first packet of a connection: the client's protocol version and what it wants.

use rollcall_ping::DecodeError;
use rollcall_ping::codec::Reader;

use super::protocol::Protocol;

const HANDSHAKE_ID: i32 = 0;
/// Bytes of the host name: 255 characters of up to three bytes each, as in the game.
const MAX_HOST: usize = 3 * 255;

/// What the client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intent {
    /// The line in the server list.
    Status,
    /// To join. A client that another server sent over (a transfer) joins like any other.
    Login,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    pub protocol: Protocol,
    pub intent: Intent,
}

/// Decodes a handshake, without its length prefix. Host and port are skipped: every name leads to the same listener.
pub fn decode_handshake(message: &[u8]) -> Result<Handshake, DecodeError> {
    let mut reader = Reader::new(message);
    if reader.varint()? != HANDSHAKE_ID {
        return Err(DecodeError::Malformed("the first packet is not a handshake"));
    }
    let protocol = Protocol(reader.varint()?);
    reader.text(MAX_HOST)?;
    reader.u16()?;
    let intent = match reader.varint()? {
        1 => Intent::Status,
        2 | 3 => Intent::Login,
        _ => return Err(DecodeError::Malformed("the handshake asks for an unknown state")),
    };
    Ok(Handshake { protocol, intent })
}
