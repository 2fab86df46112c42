//! The pings of Java Edition before 1.7. Current servers still answer them.

use super::status::ServerStatus;
use super::wire::{DecodeError, Reader};

/// Which legacy request is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyVersion {
    /// 1.6. The request names the host.
    V1_6,
    /// 1.4 and 1.5.
    V1_4,
    /// Beta 1.8 to 1.3.
    Beta,
}

const PING_ID: u8 = 0xfe;
const PLUGIN_MESSAGE_ID: u8 = 0xfa;
const PING_CHANNEL: &str = "MC|PingHost";
/// The protocol version of 1.6.2.
const PROTOCOL_VERSION: u8 = 74;
/// The reply is always a kick packet.
const KICK_ID: u8 = 0xff;
/// UTF-16 units of a reply; its 16-bit length could announce 65,535.
const MAX_TEXT_UNITS: usize = 1024;
/// Bytes of a reply.
pub const MAX_LEGACY_REPLY: usize = 3 + 2 * MAX_TEXT_UNITS;
/// The prefix of a reply in the format of 1.4 and later.
const V1_4_PREFIX: &str = "§1\0";

pub fn encode_legacy_request(version: LegacyVersion, host: &str, port: u16) -> Vec<u8> {
    match version {
        LegacyVersion::Beta => vec![PING_ID],
        LegacyVersion::V1_4 => vec![PING_ID, 1],
        LegacyVersion::V1_6 => {
            let host = utf16(host);
            let mut out = vec![PING_ID, 1, PLUGIN_MESSAGE_ID];
            put_utf16(&mut out, &utf16(PING_CHANNEL));
            let data_length = 1 + 2 + host.len() + 4;
            out.extend_from_slice(&u16::try_from(data_length).unwrap_or(u16::MAX).to_be_bytes());
            out.push(PROTOCOL_VERSION);
            put_utf16(&mut out, &host);
            out.extend_from_slice(&u32::from(port).to_be_bytes());
            out
        }
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_be_bytes).collect()
}

/// Writes UTF-16 bytes, prefixed by the number of units.
fn put_utf16(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(&u16::try_from(text.len() / 2).unwrap_or(u16::MAX).to_be_bytes());
    out.extend_from_slice(text);
}

/// Decodes a reply; `None` if it is incomplete.
pub fn decode_legacy_reply(bytes: &[u8]) -> Result<Option<ServerStatus>, DecodeError> {
    let mut reader = Reader::new(bytes);
    match reader.byte() {
        Ok(KICK_ID) => {}
        Ok(_) => return Err(DecodeError::Malformed("the packet is not a kick")),
        Err(_) => return Ok(None),
    }
    let Ok(length) = reader.u16() else { return Ok(None) };
    if usize::from(length) > MAX_TEXT_UNITS {
        return Err(DecodeError::TooLong(length.into(), MAX_TEXT_UNITS));
    }
    let Ok(text) = reader.take(2 * usize::from(length)) else { return Ok(None) };
    let units = text.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    parse_status(&text).map(Some)
}

fn parse_status(text: &str) -> Result<ServerStatus, DecodeError> {
    let status = |version: &str, protocol: &str, motd: &str, players: &str, max_players: &str| {
        let number = |text: &str| text.trim().parse().ok();
        Some(ServerStatus {
            version: ServerStatus::clean_version(version),
            protocol: ServerStatus::clean_protocol(number(protocol)?),
            players: number(players)?,
            max_players: number(max_players)?,
            motd_raw: ServerStatus::clean_motd(motd),
            ..ServerStatus::default()
        })
    };
    let status = match text.strip_prefix(V1_4_PREFIX) {
        Some(rest) => match rest.split('\0').collect::<Vec<_>>()[..] {
            [protocol, version, motd, players, max] => status(version, protocol, motd, players, max),
            _ => None,
        },
        // The MOTD may contain the separator, so the two numbers are split off from the end.
        None => match text.rsplitn(3, '§').collect::<Vec<_>>()[..] {
            [max, players, motd] => status("", "0", motd, players, max),
            _ => None,
        },
    };
    status.ok_or(DecodeError::Malformed("the kick message is not a status"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kick(text: &str) -> Vec<u8> {
        let mut out = vec![KICK_ID];
        put_utf16(&mut out, &utf16(text));
        out
    }

    fn marked(fields: &[&str]) -> String {
        format!("{V1_4_PREFIX}{}", fields.join("\0"))
    }

    #[test]
    fn encodes_all_versions() {
        assert_eq!(encode_legacy_request(LegacyVersion::Beta, "x", 1), [0xfe]);
        assert_eq!(encode_legacy_request(LegacyVersion::V1_4, "x", 1), [0xfe, 1]);
        let bytes = encode_legacy_request(LegacyVersion::V1_6, "ab", 25_565);
        let channel: Vec<u8> = utf16("MC|PingHost");
        let expected = [&[0xfe, 1, 0xfa, 0, 11][..], &channel, &[0, 11, 74, 0, 2, 0, b'a', 0, b'b', 0, 0, 0x63, 0xdd]];
        assert_eq!(bytes, expected.concat());
    }

    #[test]
    fn decodes_both_reply_formats() {
        let status = decode_legacy_reply(&kick(&marked(&["127", "1.6.4", "A §aserver", "3", "20"]))).unwrap().unwrap();
        let expected = ServerStatus {
            version: "1.6.4".into(),
            protocol: 127,
            players: 3,
            max_players: 20,
            motd_raw: "A §aserver".into(),
            ..ServerStatus::default()
        };
        assert_eq!(status, expected);
        let old = decode_legacy_reply(&kick("A §cserver§5§10")).unwrap().unwrap();
        assert_eq!((old.motd_raw.as_str(), old.players, old.max_players), ("A §cserver", 5, 10));
    }

    #[test]
    fn incomplete_replies_wait_and_invalid_ones_fail() {
        let whole = kick(&marked(&["127", "1.6.4", "x", "3", "20"]));
        for end in 0..whole.len() {
            assert_eq!(decode_legacy_reply(&whole[..end]), Ok(None), "{end}");
        }
        assert_eq!(decode_legacy_reply(&[KICK_ID, 0xff, 0xff]), Err(DecodeError::TooLong(65_535, MAX_TEXT_UNITS)));
        let marked = [marked(&["a", "b", "c", "d", "e"]), marked(&["1", "2", "3"])];
        for invalid in ["", "x", "a§b§c", &marked[0], &marked[1]] {
            assert!(decode_legacy_reply(&kick(invalid)).is_err(), "{invalid}");
        }
        assert!(decode_legacy_reply(&[0]).is_err());
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode_legacy_reply(&bytes);
            bytes.insert(0, KICK_ID);
            let _ = decode_legacy_reply(&bytes);
        }
    }
}
