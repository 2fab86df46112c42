//! The server side of Java Edition's Server List Ping: parses requests and encodes responses.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::status::FakeStatus;
use rollcall_minecraft::DecodeError;
use rollcall_minecraft::codec::{Reader, put_text, put_varint};

/// The handshake and the status packet have the same id.
const HANDSHAKE_OR_STATUS_ID: u8 = 0x00;
const PING_ID: u8 = 0x01;
/// The "next state" of a handshake that asks for the status.
const NEXT_STATE_STATUS: i32 = 1;
/// Limit for the hostname in a handshake, in bytes. The game allows 255 characters.
const MAX_HOSTNAME: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub enum JavaRequest {
    Handshake,
    Status,
    /// The payload must be returned unchanged.
    Ping(u64),
}

/// What a packet means depends on whether the handshake was received before.
pub fn parse_request(message: &[u8], after_handshake: bool) -> Result<JavaRequest, DecodeError> {
    let mut reader = Reader::new(message);
    match (reader.byte()?, after_handshake) {
        (HANDSHAKE_OR_STATUS_ID, false) => {
            reader.varint()?;
            reader.text(MAX_HOSTNAME)?;
            reader.u16()?;
            match reader.varint()? {
                NEXT_STATE_STATUS => Ok(JavaRequest::Handshake),
                _ => Err(DecodeError::Malformed("fake servers do not accept logins")),
            }
        }
        (HANDSHAKE_OR_STATUS_ID, true) => Ok(JavaRequest::Status),
        (PING_ID, true) => Ok(JavaRequest::Ping(reader.u64()?)),
        _ => Err(DecodeError::Malformed("unknown packet id")),
    }
}

/// The status response, with its length prefix.
pub fn encode_status(status: &FakeStatus) -> Vec<u8> {
    let mut players = json!({ "max": status.max_players, "online": status.players });
    if !status.sample.is_empty() {
        players["sample"] = status.sample.iter().map(|(name, uuid)| json!({ "name": name, "id": uuid })).collect();
    }
    let mut response = json!({
        "version": { "name": status.version, "protocol": status.protocol },
        "players": players,
        "description": status.motd,
    });
    if let Some(icon) = &status.icon {
        response["favicon"] = Value::String(format!("data:image/png;base64,{}", STANDARD.encode(icon)));
    }
    let mut body = vec![HANDSHAKE_OR_STATUS_ID];
    put_text(&mut body, &response.to_string());
    with_length_prefix(&body)
}

pub fn encode_pong(payload: u64) -> Vec<u8> {
    let mut body = vec![PING_ID];
    body.extend_from_slice(&payload.to_be_bytes());
    with_length_prefix(&body)
}

fn with_length_prefix(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 5);
    put_varint(&mut out, i32::try_from(body.len()).unwrap_or(i32::MAX));
    out.extend_from_slice(body);
    out
}
