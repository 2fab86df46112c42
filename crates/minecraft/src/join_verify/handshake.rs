//! The first packet of a connection: the client's protocol version and what it wants.

use crate::DecodeError;
use crate::codec::Reader;

use super::protocol::Protocol;

const HANDSHAKE_ID: i32 = 0;
/// Bytes of the host name: 255 characters of up to three bytes each, as in the game.
const MAX_HOST: usize = 3 * 255;

/// The requested next state.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{put_text, put_varint};

    fn handshake(protocol: i32, host: &str, state: i32) -> Vec<u8> {
        let mut message = vec![0];
        put_varint(&mut message, protocol);
        put_text(&mut message, host);
        message.extend_from_slice(&25_565_u16.to_be_bytes());
        put_varint(&mut message, state);
        message
    }

    #[test]
    fn every_version_and_three_states_are_known() {
        for (state, intent) in [(1, Intent::Status), (2, Intent::Login), (3, Intent::Login)] {
            for protocol in [-1, 0, 4, 47, 769, 0x4000_0001, i32::MAX] {
                let expected = Handshake { protocol: Protocol(protocol), intent };
                assert_eq!(decode_handshake(&handshake(protocol, "verify.example.org", state)), Ok(expected));
            }
        }
        for state in [0, 4, -1] {
            assert!(decode_handshake(&handshake(47, "host", state)).is_err(), "state {state}");
        }
    }

    #[test]
    fn long_hosts_and_other_packets_are_refused() {
        assert!(decode_handshake(&handshake(47, &"a".repeat(MAX_HOST), 2)).is_ok());
        let too_long = decode_handshake(&handshake(47, &"a".repeat(MAX_HOST + 1), 2));
        assert_eq!(too_long, Err(DecodeError::TooLong(766, MAX_HOST)));
        let mut other = handshake(47, "host", 2);
        other[0] = 1;
        assert!(decode_handshake(&other).is_err());
        let whole = handshake(769, "host", 2);
        for length in 0..whole.len() {
            assert_eq!(decode_handshake(&whole[..length]), Err(DecodeError::Truncated), "{length} bytes");
        }
    }
}
