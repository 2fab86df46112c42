//! The pings of Java Edition before 1.7. A server of today answers them, too.

use super::status::Status;
use super::wire::{Reader, Wrong};

/// Which of the old forms is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legacy {
    /// 1.6: says whom it asks for.
    V1_6,
    /// 1.4 and 1.5.
    V1_4,
    /// Beta 1.8 to 1.3.
    Beta,
}

const ASK: u8 = 0xfe;
const PLUGIN_MESSAGE: u8 = 0xfa;
const CHANNEL: &str = "MC|PingHost";
/// The protocol of 1.6.2, by which 1.6 is known.
const PROTOCOL: u8 = 74;
/// Every answer is a kick.
const KICK: u8 = 0xff;
/// Characters of an answer; a length of 16 bits could say 65,535.
const LONGEST: usize = 1024;
/// Bytes of an answer.
pub const LONGEST_REPLY: usize = 3 + 2 * LONGEST;
/// What an answer of 1.4 and later begins with.
const MARK: &str = "§1\0";

pub fn legacy_request(form: Legacy, host: &str, port: u16) -> Vec<u8> {
    match form {
        Legacy::Beta => vec![ASK],
        Legacy::V1_4 => vec![ASK, 1],
        Legacy::V1_6 => {
            let host = utf16(host);
            let mut out = vec![ASK, 1, PLUGIN_MESSAGE];
            put_counted(&mut out, &utf16(CHANNEL));
            let rest = 1 + 2 + host.len() + 4;
            out.extend_from_slice(&u16::try_from(rest).unwrap_or(u16::MAX).to_be_bytes());
            out.push(PROTOCOL);
            put_counted(&mut out, &host);
            out.extend_from_slice(&u32::from(port).to_be_bytes());
            out
        }
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Bytes of UTF-16 with their number of characters in front.
fn put_counted(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&u16::try_from(text.len() / 2).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(text);
}

/// What the server says; `None` when more bytes must come.
pub fn legacy_reply(bytes: &[u8]) -> Result<Option<Status>, Wrong> {
    let mut reader = Reader::new(bytes);
    match reader.byte() {
        Ok(KICK) => {}
        Ok(_) => return Err(Wrong::Other("it answers with another packet than a kick")),
        Err(_) => return Ok(None),
    }
    let Ok(length) = reader.u16() else { return Ok(None) };
    if usize::from(length) > LONGEST {
        return Err(Wrong::TooLong(length.into(), LONGEST));
    }
    let Ok(text) = reader.take(2 * usize::from(length)) else { return Ok(None) };
    let units = text.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    read(&text).map(Some)
}

fn read(text: &str) -> Result<Status, Wrong> {
    let told = |version: &str, protocol: &str, motd: &str, players: &str, most: &str| {
        let number = |text: &str| text.trim().parse().ok();
        Some(Status {
            version: Status::cut_version(version),
            protocol: Status::cut_protocol(number(protocol)?),
            players: number(players)?,
            max_players: number(most)?,
            motd_raw: Status::cut_motd(motd),
            ..Status::default()
        })
    };
    let status = match text.strip_prefix(MARK) {
        Some(rest) => match rest.split('\0').collect::<Vec<_>>()[..] {
            [protocol, version, motd, players, most] => told(version, protocol, motd, players, most),
            _ => None,
        },
        // The MOTD may have the mark in it; what comes after the last two are the figures.
        None => match text.rsplitn(3, '§').collect::<Vec<_>>()[..] {
            [most, players, motd] => told("", "0", motd, players, most),
            _ => None,
        },
    };
    status.ok_or(Wrong::Other("its answer is no status"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kick(text: &str) -> Vec<u8> {
        let mut out = vec![KICK];
        put_counted(&mut out, &utf16(text));
        out
    }

    fn marked(fields: &[&str]) -> String {
        format!("{MARK}{}", fields.join("\0"))
    }

    #[test]
    fn what_is_sent() {
        assert_eq!(legacy_request(Legacy::Beta, "x", 1), [0xfe]);
        assert_eq!(legacy_request(Legacy::V1_4, "x", 1), [0xfe, 1]);
        let bytes = legacy_request(Legacy::V1_6, "ab", 25_565);
        let channel: Vec<u8> = utf16("MC|PingHost");
        let expected = [&[0xfe, 1, 0xfa, 0, 11][..], &channel, &[0, 11, 74, 0, 2, 0, b'a', 0, b'b', 0, 0, 0x63, 0xdd]];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn both_forms_of_an_answer() {
        let told = legacy_reply(&kick(&marked(&["127", "1.6.4", "A §aserver", "3", "20"]))).unwrap().unwrap();
        let expected = Status {
            version: "1.6.4".into(),
            protocol: 127,
            players: 3,
            max_players: 20,
            motd_raw: "A §aserver".into(),
            ..Status::default()
        };
        assert_eq!(told, expected);
        let old = legacy_reply(&kick("A §cserver§5§10")).unwrap().unwrap();
        assert_eq!((old.motd_raw.as_str(), old.players, old.max_players), ("A §cserver", 5, 10));
    }

    #[test]
    fn what_is_not_there_yet_is_waited_for_and_what_is_wrong_is_not() {
        let whole = kick(&marked(&["127", "1.6.4", "x", "3", "20"]));
        for end in 0..whole.len() {
            assert_eq!(legacy_reply(&whole[..end]), Ok(None), "{end}");
        }
        assert_eq!(legacy_reply(&[KICK, 0xff, 0xff]), Err(Wrong::TooLong(65_535, LONGEST)));
        let marked = [marked(&["a", "b", "c", "d", "e"]), marked(&["1", "2", "3"])];
        for wrong in ["", "x", "a§b§c", &marked[0], &marked[1]] {
            assert!(legacy_reply(&kick(wrong)).is_err(), "{wrong}");
        }
        assert!(legacy_reply(&[0]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_bring_it_down(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = legacy_reply(&bytes);
            bytes.insert(0, KICK);
            let _ = legacy_reply(&bytes);
        }
    }
}
