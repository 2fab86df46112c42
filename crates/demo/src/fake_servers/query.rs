//! The server side of GameSpy Query.

use std::net::SocketAddr;

use super::status::FakeStatus;
use rollcall_minecraft::codec::Reader;
use rollcall_model::hash::splitmix64;

const MAGIC: [u8; 2] = [0xfe, 0xfd];
const HANDSHAKE: u8 = 0x09;
const STAT: u8 = 0x00;
/// A full stat request has this many bytes more than a basic one.
const FULL_STAT_PADDING: usize = 4;
/// Below the largest UDP payload, with room for one more name.
const MAX_RESPONSE: usize = 60_000;

/// Requests with the session id to repeat, and the challenge token.
#[derive(Debug, PartialEq, Eq)]
pub enum QueryRequest {
    Challenge([u8; 4]),
    Basic([u8; 4], i32),
    Full([u8; 4], i32),
}

pub fn parse_request(datagram: &[u8]) -> Option<QueryRequest> {
    let mut reader = Reader::new(datagram);
    (reader.take(MAGIC.len()).ok()? == MAGIC).then_some(())?;
    let kind = reader.byte().ok()?;
    let session = reader.take(4).ok()?.try_into().ok()?;
    match kind {
        HANDSHAKE => Some(QueryRequest::Challenge(session)),
        STAT => {
            let token = i32::from_be_bytes(reader.take(4).ok()?.try_into().ok()?);
            let full = reader.rest().len() >= FULL_STAT_PADDING;
            Some(if full { QueryRequest::Full(session, token) } else { QueryRequest::Basic(session, token) })
        }
        _ => None,
    }
}

/// A client that returns this token has proved its address. The token is derived from the address, so that no state per
/// client is needed.
pub fn challenge_token(client: SocketAddr, secret: u64) -> i32 {
    let ip = match client.ip().to_canonical() {
        std::net::IpAddr::V4(v4) => u64::from(v4.to_bits()),
        std::net::IpAddr::V6(v6) => v6.to_bits() as u64 ^ (v6.to_bits() >> 64) as u64,
    };
    (splitmix64(splitmix64(ip) ^ u64::from(client.port()) ^ secret) & 0x7fff_ffff) as i32
}

pub fn encode_challenge(session: [u8; 4], token: i32) -> Vec<u8> {
    let mut out = header(HANDSHAKE, session);
    put_string(&mut out, &token.to_string());
    out
}

pub fn encode_basic_stat(status: &FakeStatus, session: [u8; 4], own_address: SocketAddr) -> Vec<u8> {
    let mut out = header(STAT, session);
    let [players, max_players] = [status.players.to_string(), status.max_players.to_string()];
    for text in [&status.motd_with_codes(), "SMP", "world", &players, &max_players] {
        put_string(&mut out, text);
    }
    // The only little-endian number of the protocol.
    out.extend_from_slice(&own_address.port().to_le_bytes());
    put_string(&mut out, &own_address.ip().to_string());
    out
}

pub fn encode_full_stat(status: &FakeStatus, session: [u8; 4], own_address: SocketAddr) -> Vec<u8> {
    let mut out = header(STAT, session);
    out.extend_from_slice(b"splitnum\0\x80\0");
    for (name, value) in [
        ("hostname", status.motd_with_codes()),
        ("gametype", "SMP".into()),
        ("game_id", "MINECRAFT".into()),
        ("version", status.version.clone()),
        ("plugins", String::new()),
        ("map", "world".into()),
        ("numplayers", status.players.to_string()),
        ("maxplayers", status.max_players.to_string()),
        ("hostport", own_address.port().to_string()),
        ("hostip", own_address.ip().to_string()),
    ] {
        put_string(&mut out, name);
        put_string(&mut out, &value);
    }
    out.extend_from_slice(b"\0\x01player_\0\0");
    for (name, _) in &status.sample {
        if out.len() > MAX_RESPONSE {
            break;
        }
        put_string(&mut out, name);
    }
    out.push(0);
    out
}

fn header(kind: u8, session: [u8; 4]) -> Vec<u8> {
    let mut out = vec![kind];
    out.extend_from_slice(&session);
    out
}

/// NUL-terminated Latin-1, as real servers send it. Other characters become `?`.
fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend(text.chars().filter(|c| *c != '\0').map(|c| u8::try_from(c).unwrap_or(b'?')));
    out.push(0);
}
