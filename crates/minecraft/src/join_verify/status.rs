//! The line in the server list, and the ping that measures the latency.

use crate::DecodeError;
use crate::codec::{Reader, put_text, put_varint};
use serde_json::json;

use super::frame::frame;
use super::protocol::Protocol;

const STATUS_ID: i32 = 0;
const PING_ID: i32 = 1;
const VERSION_NAME: &str = "Rollcall";

/// Packets that a client may send after a handshake that asks for the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusRequest {
    Status,
    /// The payload comes back in the pong.
    Ping(u64),
}

/// Decodes a request, without its length prefix.
pub fn decode_status_request(message: &[u8]) -> Result<StatusRequest, DecodeError> {
    let mut reader = Reader::new(message);
    match reader.varint()? {
        STATUS_ID => Ok(StatusRequest::Status),
        PING_ID => Ok(StatusRequest::Ping(reader.u64()?)),
        _ => Err(DecodeError::Malformed("the packet is neither a status request nor a ping")),
    }
}

/// The status, with its length prefix. It claims the client's own protocol version, so no client shows the listener as outdated.
pub fn encode_status(protocol: Protocol, motd: &str) -> Vec<u8> {
    let status = json!({
        "version": {"name": VERSION_NAME, "protocol": protocol.0},
        "players": {"max": 1, "online": 0},
        "description": {"text": motd},
    });
    let mut body = Vec::new();
    put_varint(&mut body, STATUS_ID);
    put_text(&mut body, &status.to_string());
    frame(&body)
}

/// The pong, with its length prefix.
pub fn encode_pong(payload: u64) -> Vec<u8> {
    let mut body = Vec::new();
    put_varint(&mut body, PING_ID);
    body.extend_from_slice(&payload.to_be_bytes());
    frame(&body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{FrameBuffer, decode_status};

    fn body(packet: &[u8]) -> Vec<u8> {
        let mut frames = FrameBuffer::new(1024);
        frames.push(packet);
        frames.next_message().unwrap().unwrap().to_vec()
    }

    #[test]
    fn our_own_ping_client_reads_the_status() {
        let status = decode_status(&body(&encode_status(Protocol(769), "Join \"here\"\nnow"))).unwrap();
        assert_eq!((status.motd_raw.as_str(), status.version.as_str()), ("Join \"here\"\nnow", "Rollcall"));
        assert_eq!((status.players, status.max_players), (0, 1));
    }

    #[test]
    fn pings_come_back() {
        let ping = body(&encode_pong(0x0123_4567_89ab_cdef));
        assert_eq!(decode_status_request(&ping), Ok(StatusRequest::Ping(0x0123_4567_89ab_cdef)));
        assert_eq!(decode_status_request(&[0]), Ok(StatusRequest::Status));
        assert_eq!(decode_status_request(&ping[..8]), Err(DecodeError::Truncated));
        assert!(decode_status_request(&[2]).is_err());
    }
}
