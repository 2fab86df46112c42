//! The server's side of GameSpy's Query.

use std::net::SocketAddr;

use super::status::Says;
use crate::rng::mix;
use rollcall_ping::codec::Reader;

const MAGIC: [u8; 2] = [0xfe, 0xfd];
const HANDSHAKE: u8 = 0x09;
const STAT: u8 = 0x00;
/// The full form of a request for the figures is so much longer than the basic one.
const PADDING: usize = 4;
/// Bytes that a datagram surely holds.
const ROOM: usize = 60_000;

/// What a client asks, with the session it wants repeated.
#[derive(Debug, PartialEq, Eq)]
pub enum Question {
    Challenge([u8; 4]),
    Basic([u8; 4], i32),
    Full([u8; 4], i32),
}

pub fn question(datagram: &[u8]) -> Option<Question> {
    let mut reader = Reader::new(datagram);
    (reader.take(MAGIC.len()).ok()? == MAGIC).then_some(())?;
    let kind = reader.byte().ok()?;
    let session = reader.take(4).ok()?.try_into().ok()?;
    match kind {
        HANDSHAKE => Some(Question::Challenge(session)),
        STAT => {
            let token = i32::from_be_bytes(reader.take(4).ok()?.try_into().ok()?);
            let full = reader.rest().len() >= PADDING;
            Some(if full { Question::Full(session, token) } else { Question::Basic(session, token) })
        }
        _ => None,
    }
}

/// The number by which a client shows that its address is its own: nothing has to be remembered of whoever asked.
pub fn token(client: SocketAddr, secret: u64) -> i32 {
    let ip = match client.ip().to_canonical() {
        std::net::IpAddr::V4(four) => u64::from(four.to_bits()),
        std::net::IpAddr::V6(six) => six.to_bits() as u64 ^ (six.to_bits() >> 64) as u64,
    };
    (mix(mix(ip) ^ u64::from(client.port()) ^ secret) & 0x7fff_ffff) as i32
}

pub fn challenge(session: [u8; 4], token: i32) -> Vec<u8> {
    let mut out = head(HANDSHAKE, session);
    put(&mut out, &token.to_string());
    out
}

pub fn basic(says: &Says, session: [u8; 4], own: SocketAddr) -> Vec<u8> {
    let mut out = head(STAT, session);
    let [players, most] = [says.players.to_string(), says.max_players.to_string()];
    for text in [&says.motd_with_codes(), "SMP", "world", &players, &most] {
        put(&mut out, text);
    }
    // The one number of the protocol that begins with its small end.
    out.extend_from_slice(&own.port().to_le_bytes());
    put(&mut out, &own.ip().to_string());
    out
}

pub fn full(says: &Says, session: [u8; 4], own: SocketAddr) -> Vec<u8> {
    let mut out = head(STAT, session);
    out.extend_from_slice(b"splitnum\0\x80\0");
    for (name, value) in [
        ("hostname", says.motd_with_codes()),
        ("gametype", "SMP".into()),
        ("game_id", "MINECRAFT".into()),
        ("version", says.version.clone()),
        ("plugins", String::new()),
        ("map", "world".into()),
        ("numplayers", says.players.to_string()),
        ("maxplayers", says.max_players.to_string()),
        ("hostport", own.port().to_string()),
        ("hostip", own.ip().to_string()),
    ] {
        put(&mut out, name);
        put(&mut out, &value);
    }
    out.extend_from_slice(b"\0\x01player_\0\0");
    for (name, _) in &says.sample {
        if out.len() > ROOM {
            break;
        }
        put(&mut out, name);
    }
    out.push(0);
    out
}

fn head(kind: u8, session: [u8; 4]) -> Vec<u8> {
    let mut out = vec![kind];
    out.extend_from_slice(&session);
    out
}

/// Servers send what Java calls Latin-1, which has no signs for most of the world.
fn put(out: &mut Vec<u8>, text: &str) {
    const UNKNOWN: u8 = b'?';
    out.extend(text.chars().filter(|c| *c != '\0').map(|c| u8::try_from(c).unwrap_or(UNKNOWN)));
    out.push(0);
}
