//! GameSpy Query 4 over UDP: the full player list, where a server offers it.

use super::status::{ListedPlayer, ServerStatus, is_printable};
use super::wire::{DecodeError, Reader};

const MAGIC: [u8; 2] = [0xfe, 0xfd];
const HANDSHAKE: u8 = 0x09;
const STAT: u8 = 0x00;
/// Minecraft uses only these bits of a session id.
const SESSION_MASK: u32 = 0x0f0f_0f0f;
/// Fixed padding of a full stat, before the key-value pairs and before the players.
const PADDING_BEFORE_PAIRS: usize = 11;
const PADDING_BEFORE_PLAYERS: usize = 10;
/// Key-value pairs; servers send about ten.
const MAX_PAIRS: usize = 64;
/// Players of one list. A hostile server can put 20,000 names into one datagram; the largest networks are cut to a sample.
const MAX_PLAYERS: usize = 2_000;
/// Bytes of a name or value.
const MAX_TEXT: usize = 4096;

/// Requests a challenge token, which proves to the server that we own our address.
pub fn encode_challenge_request(session: u32) -> Vec<u8> {
    let mut out = vec![MAGIC[0], MAGIC[1], HANDSHAKE];
    out.extend_from_slice(&(session & SESSION_MASK).to_be_bytes());
    out
}

pub fn encode_full_stat_request(session: u32, challenge: i32) -> Vec<u8> {
    let mut out = vec![MAGIC[0], MAGIC[1], STAT];
    out.extend_from_slice(&(session & SESSION_MASK).to_be_bytes());
    out.extend_from_slice(&challenge.to_be_bytes());
    // Four more bytes request the full stat instead of the basic one.
    out.extend_from_slice(&[0; 4]);
    out
}

/// The challenge token.
pub fn decode_challenge(datagram: &[u8], session: u32) -> Result<i32, DecodeError> {
    const NOT_A_NUMBER: DecodeError = DecodeError::Malformed("the challenge token is not a number");
    let mut reader = read_header(datagram, HANDSHAKE, session)?;
    let text = reader.until_zero().unwrap_or(reader.rest());
    let text = std::str::from_utf8(text).map_err(|_| NOT_A_NUMBER)?;
    text.trim().parse().map_err(|_| NOT_A_NUMBER)
}

fn read_header(datagram: &[u8], kind: u8, session: u32) -> Result<Reader<'_>, DecodeError> {
    let mut reader = Reader::new(datagram);
    if reader.byte()? != kind {
        return Err(DecodeError::Malformed("the packet has another type than requested"));
    }
    if reader.take(4)? != (session & SESSION_MASK).to_be_bytes() {
        return Err(DecodeError::Malformed("the packet does not match our session"));
    }
    Ok(reader)
}

pub fn decode_full_stat(datagram: &[u8], session: u32) -> Result<ServerStatus, DecodeError> {
    let mut reader = read_header(datagram, STAT, session)?;
    reader.take(PADDING_BEFORE_PAIRS)?;
    let mut status = ServerStatus::default();
    let (mut counts, mut pairs) = (0, 0);
    loop {
        let key = reader.until_zero()?;
        if key.is_empty() {
            break;
        }
        let value = latin1(reader.until_zero()?);
        pairs += 1;
        if pairs > MAX_PAIRS {
            return Err(DecodeError::Malformed("the stat has too many key-value pairs"));
        }
        let number = || value.trim().parse::<i64>().ok();
        match key {
            b"hostname" => status.motd_raw = value,
            b"version" => status.version = ServerStatus::clean_version(&value),
            b"numplayers" => counts += i32::from(number().map(|count| status.players = count).is_some()),
            b"maxplayers" => counts += i32::from(number().map(|count| status.max_players = count).is_some()),
            _ => {}
        }
    }
    if counts < 2 {
        return Err(DecodeError::Malformed("the stat has no player counts"));
    }
    // A datagram may end within the list; the players before that point count.
    if reader.take(PADDING_BEFORE_PLAYERS).is_ok() {
        while let Ok(name) = reader.until_zero() {
            if name.is_empty() || status.sample.len() >= MAX_PLAYERS {
                break;
            }
            status.sample.push(ListedPlayer { name: latin1(name), uuid: None });
        }
    }
    Ok(status)
}

/// Query texts are Latin-1: one byte per character.
fn latin1(bytes: &[u8]) -> String {
    bytes.iter().take(MAX_TEXT).map(|byte| char::from(*byte)).filter(|c| is_printable(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SESSION: u32 = 0x1234_5678;

    fn full_stat(pairs: &[(&str, &str)], players: &[&str]) -> Vec<u8> {
        let mut out = vec![STAT];
        out.extend_from_slice(&(SESSION & SESSION_MASK).to_be_bytes());
        out.extend_from_slice(b"splitnum\0\x80\0");
        for (name, value) in pairs {
            out.extend_from_slice(name.as_bytes());
            out.push(0);
            out.extend(value.chars().map(|c| c as u8));
            out.push(0);
        }
        out.extend_from_slice(b"\0\x01player_\0\0");
        for name in players {
            out.extend_from_slice(name.as_bytes());
            out.push(0);
        }
        out.push(0);
        out
    }

    #[test]
    fn encodes_requests() {
        assert_eq!(encode_challenge_request(SESSION), [0xfe, 0xfd, 9, 2, 4, 6, 8]);
        assert_eq!(encode_full_stat_request(SESSION, -1), [0xfe, 0xfd, 0, 2, 4, 6, 8, 255, 255, 255, 255, 0, 0, 0, 0]);
    }

    #[test]
    fn decodes_the_challenge_token() {
        let decode = |text: &[u8]| decode_challenge(&[&[9, 2, 4, 6, 8], text].concat(), SESSION);
        assert_eq!(decode(b"9513307\0"), Ok(9_513_307));
        assert_eq!(decode(b"-17"), Ok(-17));
        assert!(decode(b"x\0").is_err() && decode(b"").is_err() && decode(b"99999999999\0").is_err());
        assert!(decode_challenge(&[9, 2, 4, 6, 9, b'1', 0], SESSION).is_err(), "another session");
    }

    #[test]
    fn decodes_a_full_stat() {
        let pairs = [
            ("hostname", "A §aserver é"),
            ("gametype", "SMP"),
            ("version", "1.21.4"),
            ("plugins", ""),
            ("numplayers", "2"),
            ("maxplayers", "20"),
        ];
        let status = decode_full_stat(&full_stat(&pairs, &["Notch", "jeb_"]), SESSION).unwrap();
        let listed = |name: &str| ListedPlayer { name: name.into(), uuid: None };
        let expected = ServerStatus {
            version: "1.21.4".into(),
            players: 2,
            max_players: 20,
            sample: vec![listed("Notch"), listed("jeb_")],
            motd_raw: "A §aserver é".into(),
            ..ServerStatus::default()
        };
        assert_eq!(status, expected);
        let whole = full_stat(&pairs, &["Notch", "jeb_"]);
        let cut = decode_full_stat(&whole[..whole.len() - 4], SESSION).unwrap();
        assert_eq!(cut.sample, [listed("Notch")], "players before the cut");
    }

    #[test]
    fn oversized_lists_are_bounded() {
        let many: Vec<(&str, &str)> = vec![("a", "b"); MAX_PAIRS + 1];
        assert!(decode_full_stat(&full_stat(&many, &[]), SESSION).is_err());
        assert!(decode_full_stat(&full_stat(&[("hostname", "x")], &[]), SESSION).is_err());
        let names: Vec<&str> = vec!["x"; MAX_PLAYERS + 5];
        let status = decode_full_stat(&full_stat(&[("numplayers", "1"), ("maxplayers", "1")], &names), SESSION);
        assert_eq!(status.unwrap().sample.len(), MAX_PLAYERS);
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let whole = [&[STAT, 2, 4, 6, 8][..], &bytes].concat();
            let _ = (decode_full_stat(&bytes, 0), decode_full_stat(&whole, SESSION), decode_challenge(&whole, SESSION));
        }
    }
}
