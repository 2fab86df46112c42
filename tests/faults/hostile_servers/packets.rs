//! Packets of game servers, encoded by hand so that they can be wrong.

use serde_json::{Value, json};

pub fn varint(value: i32) -> Vec<u8> {
    let (mut rest, mut out) = (value.cast_unsigned(), Vec::new());
    while rest >= 0x80 {
        out.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
    out
}

/// With a length prefix.
pub fn framed(body: &[u8]) -> Vec<u8> {
    [&varint(body.len() as i32), body].concat()
}

/// A Java status packet with any payload.
pub fn status(json: &[u8]) -> Vec<u8> {
    framed(&[&[0], varint(json.len() as i32).as_slice(), json].concat())
}

/// A valid status with these fields replaced.
pub fn status_with(change: Value) -> Vec<u8> {
    let mut whole = json!({
        "version": {"name": "Paper 1.21.4", "protocol": 769},
        "players": {"online": 2, "max": 20},
        "description": "A server",
    });
    if let (Some(whole), Value::Object(change)) = (whole.as_object_mut(), change) {
        whole.extend(change);
    }
    status(whole.to_string().as_bytes())
}

pub fn valid_status() -> Vec<u8> {
    status_with(json!({}))
}

/// A legacy kick packet with this length field.
pub fn kick(length: u16, units: &[u16]) -> Vec<u8> {
    let mut out = vec![0xff];
    out.extend_from_slice(&length.to_be_bytes());
    out.extend(units.iter().flat_map(|unit| unit.to_be_bytes()));
    out
}

pub fn kick_text(text: &str) -> Vec<u8> {
    let units: Vec<u16> = text.encode_utf16().collect();
    kick(units.len() as u16, &units)
}

pub const MAGIC: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];

/// The timestamp of a Bedrock ping.
pub fn timestamp(request: &[u8]) -> [u8; 8] {
    request.get(1..9).and_then(|timestamp| timestamp.try_into().ok()).unwrap_or_default()
}

/// A Bedrock pong with this length field.
pub fn pong(timestamp: [u8; 8], magic: [u8; 16], length: u16, text: &[u8]) -> Vec<u8> {
    [&[0x1c], &timestamp[..], &[7; 8], &magic, &length.to_be_bytes(), text].concat()
}

/// A valid pong.
pub fn bedrock(request: &[u8], text: &[u8]) -> Vec<u8> {
    pong(timestamp(request), MAGIC, text.len() as u16, text)
}

/// Whether a Query packet is a challenge request, and its session.
pub fn query(request: &[u8]) -> (bool, [u8; 4]) {
    let session = request.get(3..7).and_then(|session| session.try_into().ok()).unwrap_or_default();
    (request.get(2) == Some(&9), session)
}

pub fn challenge(session: [u8; 4], number: &[u8]) -> Vec<u8> {
    [&[9], &session[..], number, &[0]].concat()
}

/// A full Query stat with these pairs and players.
pub fn stat(session: [u8; 4], pairs: &[(&str, &str)], players: &[u8]) -> Vec<u8> {
    let mut out = [&[0], &session[..], b"splitnum\0\x80\0"].concat();
    for (name, value) in pairs {
        out.extend_from_slice(format!("{name}\0{value}\0").as_bytes());
    }
    out.extend_from_slice(b"\0\x01player_\0\0");
    out.extend_from_slice(players);
    out.push(0);
    out
}
