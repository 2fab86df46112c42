//! GameSpy's Query, version 4, over UDP: the whole list of players, where a server tells it.

use super::status::{Seen, Status, is_text};
use super::wire::{Reader, Wrong};

const MAGIC: [u8; 2] = [0xfe, 0xfd];
const HANDSHAKE: u8 = 0x09;
const STAT: u8 = 0x00;
/// Minecraft looks at these bits of a session's number only.
const SESSION: u32 = 0x0f0f_0f0f;
/// What a full answer has between its head and its pairs, and between these and the players.
const BEFORE_PAIRS: usize = 11;
const BEFORE_PLAYERS: usize = 10;
/// Pairs of a name and a value; there are about ten.
const PAIRS: usize = 64;
/// Names that are read of one list. The largest networks have more players, and are then known by some of them; a hostile
/// server would put twenty thousand into a datagram, every time it is asked.
const PLAYERS: usize = 2_000;
/// Bytes of a name or value that are kept.
const LONGEST: usize = 4096;

/// Asks for a number that must be repeated, by which the server knows that our address is ours.
pub fn query_challenge(session: u32) -> Vec<u8> {
    let mut out = vec![MAGIC[0], MAGIC[1], HANDSHAKE];
    out.extend_from_slice(&(session & SESSION).to_be_bytes());
    out
}

/// Asks for everything.
pub fn query_request(session: u32, challenge: i32) -> Vec<u8> {
    let mut out = vec![MAGIC[0], MAGIC[1], STAT];
    out.extend_from_slice(&(session & SESSION).to_be_bytes());
    out.extend_from_slice(&challenge.to_be_bytes());
    // Four bytes more are what makes it the full form.
    out.extend_from_slice(&[0; 4]);
    out
}

/// The number that the server wants to see again.
pub fn challenge(datagram: &[u8], session: u32) -> Result<i32, Wrong> {
    let mut reader = head(datagram, HANDSHAKE, session)?;
    let text = reader.until_zero().unwrap_or(reader.rest());
    let text = std::str::from_utf8(text).map_err(|_| NO_NUMBER)?;
    text.trim().parse().map_err(|_| NO_NUMBER)
}

const NO_NUMBER: Wrong = Wrong::Other("its challenge is no number");

fn head(datagram: &[u8], kind: u8, session: u32) -> Result<Reader<'_>, Wrong> {
    let mut reader = Reader::new(datagram);
    if reader.byte()? != kind {
        return Err(Wrong::Other("it answers with another packet than was asked for"));
    }
    if reader.take(4)? != (session & SESSION).to_be_bytes() {
        return Err(Wrong::Other("it answers another question than ours"));
    }
    Ok(reader)
}

pub fn full_stat(datagram: &[u8], session: u32) -> Result<Status, Wrong> {
    let mut reader = head(datagram, STAT, session)?;
    reader.take(BEFORE_PAIRS)?;
    let mut status = Status::default();
    let (mut known, mut told) = (0, 0);
    loop {
        let name = reader.until_zero()?;
        if name.is_empty() {
            break;
        }
        let value = text(reader.until_zero()?);
        told += 1;
        if told > PAIRS {
            return Err(Wrong::Other("its list of figures does not end"));
        }
        let number = || value.trim().parse::<i64>().ok();
        match name {
            b"hostname" => status.motd_raw = value,
            b"version" => status.version = Status::cut_version(&value),
            b"numplayers" => known += i32::from(number().map(|count| status.players = count).is_some()),
            b"maxplayers" => known += i32::from(number().map(|count| status.max_players = count).is_some()),
            _ => {}
        }
    }
    if known < 2 {
        return Err(Wrong::Other("its answer has no number of players"));
    }
    // A list that is cut short has given what it could: datagrams end somewhere.
    if reader.take(BEFORE_PLAYERS).is_ok() {
        while let Ok(name) = reader.until_zero() {
            if name.is_empty() || status.sample.len() >= PLAYERS {
                break;
            }
            status.sample.push(Seen { name: text(name), uuid: None });
        }
    }
    Ok(status)
}

/// Servers send what Java calls Latin-1: each byte is a character.
fn text(bytes: &[u8]) -> String {
    bytes.iter().take(LONGEST).map(|byte| char::from(*byte)).filter(|c| is_text(*c)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SESSION_OF_OURS: u32 = 0x1234_5678;

    fn answer(pairs: &[(&str, &str)], players: &[&str]) -> Vec<u8> {
        let mut out = vec![STAT];
        out.extend_from_slice(&(SESSION_OF_OURS & SESSION).to_be_bytes());
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
    fn what_is_sent() {
        assert_eq!(query_challenge(SESSION_OF_OURS), [0xfe, 0xfd, 9, 2, 4, 6, 8]);
        assert_eq!(query_request(SESSION_OF_OURS, -1), [0xfe, 0xfd, 0, 2, 4, 6, 8, 255, 255, 255, 255, 0, 0, 0, 0]);
    }

    #[test]
    fn the_number_to_repeat() {
        let told = |text: &[u8]| challenge(&[&[9, 2, 4, 6, 8], text].concat(), SESSION_OF_OURS);
        assert_eq!(told(b"9513307\0"), Ok(9_513_307));
        assert_eq!(told(b"-17"), Ok(-17));
        assert!(told(b"x\0").is_err() && told(b"").is_err() && told(b"99999999999\0").is_err());
        assert!(challenge(&[9, 2, 4, 6, 9, b'1', 0], SESSION_OF_OURS).is_err(), "another session");
    }

    #[test]
    fn a_whole_answer() {
        let pairs = [
            ("hostname", "A §aserver é"),
            ("gametype", "SMP"),
            ("version", "1.21.4"),
            ("plugins", ""),
            ("numplayers", "2"),
            ("maxplayers", "20"),
        ];
        let told = full_stat(&answer(&pairs, &["Notch", "jeb_"]), SESSION_OF_OURS).unwrap();
        let seen = |name: &str| Seen { name: name.into(), uuid: None };
        let expected = Status {
            version: "1.21.4".into(),
            players: 2,
            max_players: 20,
            sample: vec![seen("Notch"), seen("jeb_")],
            motd_raw: "A §aserver é".into(),
            ..Status::default()
        };
        assert_eq!(told, expected);
        let whole = answer(&pairs, &["Notch", "jeb_"]);
        let cut = full_stat(&whole[..whole.len() - 4], SESSION_OF_OURS).unwrap();
        assert_eq!(cut.sample, [seen("Notch")], "what came before the cut");
    }

    #[test]
    fn what_does_not_end_is_not_read_to_its_end() {
        let many: Vec<(&str, &str)> = vec![("a", "b"); PAIRS + 1];
        assert!(full_stat(&answer(&many, &[]), SESSION_OF_OURS).is_err());
        assert!(full_stat(&answer(&[("hostname", "x")], &[]), SESSION_OF_OURS).is_err());
        let crowd: Vec<&str> = vec!["x"; PLAYERS + 5];
        let told = full_stat(&answer(&[("numplayers", "1"), ("maxplayers", "1")], &crowd), SESSION_OF_OURS);
        assert_eq!(told.unwrap().sample.len(), PLAYERS);
    }

    proptest! {
        #[test]
        fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let whole = [&[STAT, 2, 4, 6, 8][..], &bytes].concat();
            let _ = (full_stat(&bytes, 0), full_stat(&whole, SESSION_OF_OURS), challenge(&whole, SESSION_OF_OURS));
        }
    }
}
