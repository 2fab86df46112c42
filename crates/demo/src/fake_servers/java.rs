//! The server's side of Java's Server List Ping: what its messages mean, and what is answered.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::status::Says;
use rollcall_ping::Wrong;
use rollcall_ping::codec::{Reader, put_text, put_varint};

const STATUS_ID: u8 = 0x00;
const PING_ID: u8 = 0x01;
/// The next state of a handshake that only wants to know how we are.
const TELL: i32 = 1;
/// Bytes of the host's name in a handshake; the game allows 255 characters.
const NAME: usize = 1024;

/// A message of a client, by where in the conversation it stands.
#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    /// The conversation begins.
    Begin,
    Status,
    /// To be sent back as it is.
    Ping(u64),
}

pub fn wish(message: &[u8], begun: bool) -> Result<Wish, Wrong> {
    let mut reader = Reader::new(message);
    match (reader.byte()?, begun) {
        (STATUS_ID, false) => {
            reader.varint()?;
            reader.text(NAME)?;
            reader.u16()?;
            match reader.varint()? {
                TELL => Ok(Wish::Begin),
                _ => Err(Wrong::Other("nobody can play here")),
            }
        }
        (STATUS_ID, true) => Ok(Wish::Status),
        (PING_ID, true) => Ok(Wish::Ping(reader.u64()?)),
        _ => Err(Wrong::Other("it sends another packet than those of a ping")),
    }
}

/// The whole message, its length in front.
pub fn status(says: &Says) -> Vec<u8> {
    let mut players = json!({ "max": says.max_players, "online": says.players });
    if !says.sample.is_empty() {
        players["sample"] = says.sample.iter().map(|(name, uuid)| json!({ "name": name, "id": uuid })).collect();
    }
    let mut told = json!({
        "version": { "name": says.version, "protocol": says.protocol },
        "players": players,
        "description": says.motd,
    });
    if let Some(icon) = &says.icon {
        told["favicon"] = Value::String(format!("data:image/png;base64,{}", STANDARD.encode(icon)));
    }
    let mut body = vec![STATUS_ID];
    put_text(&mut body, &told.to_string());
    framed(&body)
}

pub fn pong(payload: u64) -> Vec<u8> {
    let mut body = vec![PING_ID];
    body.extend_from_slice(&payload.to_be_bytes());
    framed(&body)
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(body.len() + 5);
    put_varint(&mut out, i32::try_from(body.len()).unwrap_or(i32::MAX));
    out.extend_from_slice(body);
    out
}
