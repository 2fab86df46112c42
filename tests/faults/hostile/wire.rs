//! What game servers send, written by hand, so that it can be written wrongly.

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

/// With its length in front.
pub fn framed(body: &[u8]) -> Vec<u8> {
    [&varint(body.len() as i32), body].concat()
}

/// The status of Java Edition, of any bytes.
pub fn status(json: &[u8]) -> Vec<u8> {
    framed(&[&[0], varint(json.len() as i32).as_slice(), json].concat())
}

/// A sound answer, but for what `change` puts in its place.
pub fn told(change: Value) -> Vec<u8> {
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

pub fn good() -> Vec<u8> {
    told(json!({}))
}

/// The kick of Java Edition before 1.7, which says this length.
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

/// The stamp of a Bedrock ping.
pub fn stamp(question: &[u8]) -> [u8; 8] {
    question.get(1..9).and_then(|stamp| stamp.try_into().ok()).unwrap_or_default()
}

/// Bedrock's answer, which says this length.
pub fn pong(stamp: [u8; 8], magic: [u8; 16], length: u16, text: &[u8]) -> Vec<u8> {
    [&[0x1c], &stamp[..], &[7; 8], &magic, &length.to_be_bytes(), text].concat()
}

/// A sound one.
pub fn bedrock(question: &[u8], text: &[u8]) -> Vec<u8> {
    pong(stamp(question), MAGIC, text.len() as u16, text)
}

/// Whether a query asks for its challenge, and its session.
pub fn query(question: &[u8]) -> (bool, [u8; 4]) {
    let session = question.get(3..7).and_then(|session| session.try_into().ok()).unwrap_or_default();
    (question.get(2) == Some(&9), session)
}

pub fn challenge(session: [u8; 4], number: &[u8]) -> Vec<u8> {
    [&[9], &session[..], number, &[0]].concat()
}

/// Everything that a query tells; names and values as they are.
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
