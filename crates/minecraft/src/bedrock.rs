//! Bedrock Edition: the unconnected ping of RakNet, over UDP.

use super::status::ServerStatus;
use super::wire::{DecodeError, Reader};

const PING_ID: u8 = 0x01;
const PONG_ID: u8 = 0x1c;
const MAGIC: [u8; 16] =
    [0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78];
/// Bytes of the status text; a datagram can hold 64 KiB.
const MAX_TEXT: usize = 4096;

/// The pong echoes `timestamp`. A random value proves that the sender of the pong received our ping.
pub fn encode_unconnected_ping(timestamp: u64, client_guid: u64) -> Vec<u8> {
    let mut out = vec![PING_ID];
    out.extend_from_slice(&timestamp.to_be_bytes());
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&client_guid.to_be_bytes());
    out
}

/// Decodes the pong to the ping with this timestamp.
pub fn decode_pong(datagram: &[u8], timestamp: u64) -> Result<ServerStatus, DecodeError> {
    let mut reader = Reader::new(datagram);
    if reader.byte()? != PONG_ID {
        return Err(DecodeError::Malformed("the packet is not a pong"));
    }
    if reader.u64()? != timestamp {
        return Err(DecodeError::Malformed("the pong does not match our ping"));
    }
    // The server's GUID.
    reader.u64()?;
    if reader.take(MAGIC.len())? != MAGIC {
        return Err(DecodeError::Malformed("the packet is not RakNet"));
    }
    let length = usize::from(reader.u16()?);
    if length > MAX_TEXT {
        return Err(DecodeError::TooLong(length as u64, MAX_TEXT));
    }
    parse_status(&String::from_utf8_lossy(reader.take(length)?))
}

/// `MCPE;motd;protocol;version;players;max players;server id;second line;mode;…`. Fields after the sixth may be missing.
fn parse_status(text: &str) -> Result<ServerStatus, DecodeError> {
    let fields = split_fields(text);
    let field = |index: usize| fields.get(index).map_or("", String::as_str);
    let number = |index: usize| field(index).trim().parse::<i64>().ok();
    let (Some(players), Some(max_players), "MCPE" | "MCEE") = (number(4), number(5), field(0)) else {
        return Err(DecodeError::Malformed("the pong has no Bedrock Edition status"));
    };
    let lines: Vec<&str> = [field(1), field(7)].into_iter().filter(|line| !line.is_empty()).collect();
    Ok(ServerStatus {
        version: ServerStatus::clean_version(field(3)),
        protocol: ServerStatus::clean_protocol(number(2).unwrap_or(0)),
        players,
        max_players,
        motd_raw: ServerStatus::clean_motd(&lines.join("\n")),
        ..ServerStatus::default()
    })
}

/// Splits at semicolons. A backslash escapes a semicolon or a backslash.
fn split_fields(text: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut escaped = false;
    for c in text.chars() {
        let last = fields.len() - 1;
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            ';' if !escaped => fields.push(String::new()),
            _ => {
                if escaped && c != ';' && c != '\\' {
                    fields[last].push('\\');
                }
                fields[last].push(c);
            }
        }
        escaped = false;
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pong(timestamp: u64, text: &str) -> Vec<u8> {
        let mut out = vec![PONG_ID];
        out.extend_from_slice(&timestamp.to_be_bytes());
        out.extend_from_slice(&9u64.to_be_bytes());
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&(text.len() as u16).to_be_bytes());
        out.extend_from_slice(text.as_bytes());
        out
    }

    #[test]
    fn encodes_a_ping() {
        let bytes = encode_unconnected_ping(1, 2);
        assert_eq!((bytes.len(), bytes[0], bytes[8], bytes[32]), (33, 1, 1, 2));
        assert_eq!(bytes[9..25], MAGIC);
    }

    #[test]
    fn decodes_full_and_short_pongs() {
        let text =
            "MCPE;§aDedicated\\; Server;390;1.14.60;5;10;13253860892328930865;Bedrock level;Survival;1;19132;19133;";
        let status = decode_pong(&pong(7, text), 7).unwrap();
        let expected = ServerStatus {
            version: "1.14.60".into(),
            protocol: 390,
            players: 5,
            max_players: 10,
            motd_raw: "§aDedicated; Server\nBedrock level".into(),
            ..ServerStatus::default()
        };
        assert_eq!(status, expected);
        let short = decode_pong(&pong(7, "MCPE;x;1;1.0;0;1"), 7).unwrap();
        assert_eq!((short.motd_raw.as_str(), short.max_players), ("x", 1));
    }

    #[test]
    fn invalid_pongs_are_rejected() {
        assert!(decode_pong(&pong(8, "MCPE;x;1;1.0;0;1"), 7).is_err());
        for text in ["", "MCPE", "HTTP;x;1;1.0;0;1", "MCPE;x;1;1.0;many;1", "MCPE;x;1;1.0;1"] {
            assert!(decode_pong(&pong(7, text), 7).is_err(), "{text}");
        }
        let whole = pong(7, "MCPE;x;1;1.0;0;1");
        assert!((0..whole.len()).all(|end| decode_pong(&whole[..end], 7).is_err()));
        let mut long = pong(7, "");
        let end = long.len();
        long[end - 2..].copy_from_slice(&[0xff, 0xff]);
        assert_eq!(decode_pong(&long, 7), Err(DecodeError::TooLong(65_535, MAX_TEXT)));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "\\PC{0,100}") {
            let _ = (decode_pong(&bytes, 0), decode_pong(&pong(7, &text), 7), decode_pong(&pong(7, &format!("MCPE;{text}")), 7));
        }
    }
}
