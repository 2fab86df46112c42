//! The Server List Ping of Java Edition 1.7 and later.

use super::chat_component::flatten;
use super::json::Json;
use super::lazy_json::{first_items, raw_fields};
use super::status::{ListedPlayer, ServerStatus, is_printable};
use super::wire::{DecodeError, Reader, put_text, put_varint};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};

const STATUS_ID: i32 = 0x00;
/// The "next state" of a handshake that requests the status.
const NEXT_STATE_STATUS: i32 = 1;
/// Bytes of the status JSON, icon included. The game accepts 32,767 characters of up to three bytes each.
const MAX_JSON: usize = 3 * 32_767;
/// The same with packet id and text length.
pub const MAX_MESSAGE: usize = MAX_JSON + 8;
/// Entries of the player sample.
const MAX_SAMPLE: usize = 200;
/// Characters of a player name.
const MAX_NAME_CHARS: usize = 64;
/// Bytes of JSON of a player name or id.
const MAX_PLAYER_FIELD: usize = 1024;
/// Bytes of JSON of a description. One with a colour per letter has about 8 KiB.
const MAX_DESCRIPTION: usize = 32 * 1024;
/// Bytes of JSON of a number.
const MAX_NUMBER: usize = 64;
/// Bytes of an icon's data URI.
const MAX_ICON: usize = 64 * 1024;
const ICON_PREFIX: &str = "data:image/png;base64,";

/// A status request, with its length prefix.
pub const STATUS_REQUEST: [u8; 2] = [1, STATUS_ID as u8];

pub const NOT_A_STATUS: DecodeError = DecodeError::Malformed("the packet is not a status");

/// The handshake that opens the connection. Proxies route by `host`.
pub fn encode_handshake(host: &str, port: u16, protocol_version: i32) -> Vec<u8> {
    let mut body = Vec::with_capacity(host.len() + 16);
    put_varint(&mut body, STATUS_ID);
    put_varint(&mut body, protocol_version);
    put_text(&mut body, host);
    body.extend_from_slice(&port.to_be_bytes());
    put_varint(&mut body, NEXT_STATE_STATUS);
    // The caller appends the status request.
    let mut out = Vec::with_capacity(body.len() + 3 + STATUS_REQUEST.len());
    put_varint(&mut out, i32::try_from(body.len()).unwrap_or(i32::MAX));
    out.extend_from_slice(&body);
    out
}

/// Whether a message with this first byte may be a status.
pub fn is_status(first_byte: u8) -> bool {
    i32::from(first_byte) == STATUS_ID
}

/// Decodes a status message, without its length prefix. Missing or invalid fields get default values.
pub fn decode_status(message: &[u8]) -> Result<ServerStatus, DecodeError> {
    let mut reader = Reader::new(message);
    if reader.varint()? != STATUS_ID {
        return Err(NOT_A_STATUS);
    }
    let text = reader.text(MAX_JSON)?;
    let [players, version, description, favicon] = raw_fields(&text, ["players", "version", "description", "favicon"])
        .ok_or(DecodeError::Malformed("the status is not a JSON object"))?;
    let [online, max, sample] = raw_fields(players, ["online", "max", "sample"]).unwrap_or_default();
    let [name, protocol] = raw_fields(version, ["name", "protocol"]).unwrap_or_default();
    Ok(ServerStatus {
        version: ServerStatus::clean_version(parse(name, MAX_JSON).text().unwrap_or_default()),
        protocol: ServerStatus::clean_protocol(number(protocol)),
        players: number(online),
        max_players: number(max),
        sample: first_items(sample, MAX_SAMPLE).into_iter().filter_map(listed_player).collect(),
        motd_raw: flatten(&parse(description, MAX_DESCRIPTION)),
        icon: parse(favicon, MAX_JSON).text().and_then(decode_icon),
    })
}

/// Parses a value of at most `max_bytes`. A larger or invalid one is null.
fn parse(json: &str, max_bytes: usize) -> Json<'_> {
    Some(json).filter(|json| json.len() <= max_bytes).and_then(Json::parse).unwrap_or(Json::Null)
}

/// Some servers send numbers as text or with a fraction.
fn number(json: &str) -> i64 {
    match parse(json, MAX_NUMBER) {
        Json::Number(number) => number.as_i64().or_else(|| Some(number.as_f64()? as i64)).unwrap_or(0),
        Json::Text(text) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

fn listed_player(json: &str) -> Option<ListedPlayer> {
    let [name, uuid] = raw_fields(json, ["name", "id"])?;
    let name =
        parse(name, MAX_PLAYER_FIELD).text()?.chars().filter(|c| is_printable(*c)).take(MAX_NAME_CHARS).collect();
    Some(ListedPlayer { name, uuid: parse(uuid, MAX_PLAYER_FIELD).text().and_then(normalize_uuid) })
}

fn decode_icon(data_uri: &str) -> Option<Vec<u8>> {
    if data_uri.len() > MAX_ICON {
        return None;
    }
    let base64 = data_uri.strip_prefix(ICON_PREFIX)?;
    LENIENT_BASE64.decode(base64).ok().or_else(|| {
        // Some servers break the lines.
        let base64: Vec<u8> = base64.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        LENIENT_BASE64.decode(base64).ok()
    })
}

/// Some servers omit the padding.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Hyphenated and lower-case. Servers send UUIDs with or without hyphens; other notations are rejected.
fn normalize_uuid(text: &str) -> Option<String> {
    let is_known_notation = matches!(text.len(), 32 | 36);
    is_known_notation.then(|| uuid::Uuid::try_parse(text).ok())?.map(|uuid| uuid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn message(json: &str) -> Vec<u8> {
        let mut out = vec![0];
        put_text(&mut out, json);
        out
    }

    #[test]
    fn encodes_the_handshake() {
        let expected = [15, 0, 0x2f, 9, b'l', b'o', b'c', b'a', b'l', b'h', b'o', b's', b't', 0x63, 0xdd, 1];
        assert_eq!(encode_handshake("localhost", 25_565, 47), expected);
        assert_eq!(STATUS_REQUEST, [1, 0]);
    }

    #[test]
    fn decodes_a_full_status() {
        let json = json!({
            "version": {"name": "Paper 1.21.4", "protocol": 769},
            "players": {"online": 2, "max": 20, "sample": [
                {"name": "Notch", "id": "069a79f4-44e9-4726-a5be-fca90e38aaf5"},
                {"name": "§6Vote!", "id": "00000000-0000-0000-0000-000000000000"},
                {"id": "no name"}, 7,
            ]},
            "description": {"text": "Hello ", "extra": [{"text": "world", "color": "gold"}]},
            "favicon": "data:image/png;base64,iVBO\nRw0KGgo=",
            "enforcesSecureChat": true,
        });
        let status = decode_status(&message(&json.to_string())).unwrap();
        let listed = |name: &str, uuid: &str| ListedPlayer { name: name.into(), uuid: Some(uuid.into()) };
        let expected = ServerStatus {
            version: "Paper 1.21.4".into(),
            protocol: 769,
            players: 2,
            max_players: 20,
            sample: vec![
                listed("Notch", "069a79f4-44e9-4726-a5be-fca90e38aaf5"),
                listed("§6Vote!", "00000000-0000-0000-0000-000000000000"),
            ],
            motd_raw: "Hello §r§6world".into(),
            icon: Some(b"\x89PNG\r\n\x1a\n".to_vec()),
        };
        assert_eq!(status, expected);
    }

    #[test]
    fn missing_and_invalid_fields_get_defaults() {
        assert_eq!(decode_status(&message("{}")).unwrap(), ServerStatus::default());
        let odd = r#"{"players":{"online":"5","max":7.9},"version":{"protocol":"x"},"favicon":"data:,x"}"#;
        let status = decode_status(&message(odd)).unwrap();
        assert_eq!((status.players, status.max_players, status.protocol, status.icon), (5, 7, 0, None));
        for invalid in ["", "[]", "{", "\"x\"", &"[".repeat(100_000)] {
            assert!(decode_status(&message(invalid)).is_err());
        }
        assert!(decode_status(&[5, 0]).is_err() && decode_status(&[]).is_err());
        let mut long = vec![0];
        put_varint(&mut long, i32::MAX);
        assert_eq!(decode_status(&long), Err(DecodeError::TooLong(i32::MAX as u64, MAX_JSON)));
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300), json in "\\PC{0,200}") {
            let _ = (decode_status(&bytes), decode_status(&message(&json)));
        }
    }
}
