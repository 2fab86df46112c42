//! The Server List Ping of Java Edition since 1.7.

use super::chat_component::flatten;
use super::json::Json;
use super::lazy_json::{fields, first};
use super::status::{Seen, Status, is_text};
use super::wire::{Reader, Wrong, put_text, put_varint};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::{Engine, alphabet};

const STATUS_ID: i32 = 0x00;
/// The next state: telling how it is.
const TELL: i32 = 1;
/// Bytes of the answer's JSON, icon included: the game itself reads 32,767 characters, of up to three bytes each.
const LONGEST: usize = 3 * 32_767;
/// The same with what stands in front of it.
pub const LONGEST_MESSAGE: usize = LONGEST + 8;
/// Lines of the list of players that are read.
const SAMPLE: usize = 200;
/// Characters of a line.
const NAME: usize = 64;
/// Bytes of a line's name or id as JSON.
const LINE: usize = 1024;
/// Bytes of a description; one with a colour for every letter has some 8 KiB.
const DESCRIPTION: usize = 32 * 1024;
/// Bytes of a figure.
const NUMBER: usize = 64;
/// Bytes of an icon as text.
const ICON: usize = 64 * 1024;
const ICON_PREFIX: &str = "data:image/png;base64,";

/// Begins a conversation: who asks for whom. Servers behind one address are told apart by the name.
pub fn handshake(host: &str, port: u16, protocol: i32) -> Vec<u8> {
    let mut body = Vec::with_capacity(host.len() + 16);
    put_varint(&mut body, STATUS_ID);
    put_varint(&mut body, protocol);
    put_text(&mut body, host);
    body.extend_from_slice(&port.to_be_bytes());
    put_varint(&mut body, TELL);
    let mut out = Vec::with_capacity(body.len() + 3 + STATUS_REQUEST.len());
    put_varint(&mut out, i32::try_from(body.len()).unwrap_or(i32::MAX));
    out.extend_from_slice(&body);
    out
}

/// With its length in front.
pub const STATUS_REQUEST: [u8; 2] = [1, STATUS_ID as u8];

/// Whether a message that begins with this byte may be a status.
pub fn is_status(first: u8) -> bool {
    i32::from(first) == STATUS_ID
}

pub const ANOTHER_PACKET: Wrong = Wrong::Other("it answers with another packet than its status");

/// What a message of the server says.
pub fn status(message: &[u8]) -> Result<Status, Wrong> {
    let mut reader = Reader::new(message);
    if reader.varint()? != STATUS_ID {
        return Err(ANOTHER_PACKET);
    }
    let text = reader.text(LONGEST)?;
    let [players, version, description, favicon] = fields(&text, ["players", "version", "description", "favicon"])
        .ok_or(Wrong::Other("its status is no JSON object"))?;
    let [online, max, sample] = fields(players, ["online", "max", "sample"]).unwrap_or_default();
    let [name, protocol] = fields(version, ["name", "protocol"]).unwrap_or_default();
    Ok(Status {
        version: Status::cut_version(read(name, LONGEST).text().unwrap_or_default()),
        protocol: Status::cut_protocol(number(protocol)),
        players: number(online),
        max_players: number(max),
        sample: first(sample, SAMPLE).into_iter().filter_map(seen).collect(),
        motd_raw: flatten(&read(description, DESCRIPTION)),
        icon: read(favicon, LONGEST).text().and_then(icon),
    })
}

/// A value, built if it is no larger than this; what is larger or no JSON is none.
fn read(json: &str, most: usize) -> Json<'_> {
    Some(json).filter(|json| json.len() <= most).and_then(Json::read).unwrap_or(Json::Null)
}

/// Some servers send figures as text or with a fraction.
fn number(json: &str) -> i64 {
    match read(json, NUMBER) {
        Json::Number(number) => number.as_i64().or_else(|| Some(number.as_f64()? as i64)).unwrap_or(0),
        Json::Text(text) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

fn seen(line: &str) -> Option<Seen> {
    let [name, uuid] = fields(line, ["name", "id"])?;
    let name = read(name, LINE).text()?.chars().filter(|c| is_text(*c)).take(NAME).collect();
    Some(Seen { name, uuid: read(uuid, LINE).text().and_then(parse_uuid) })
}

fn icon(text: &str) -> Option<Vec<u8>> {
    if text.len() > ICON {
        return None;
    }
    let digits = text.strip_prefix(ICON_PREFIX)?;
    FORGIVING.decode(digits).ok().or_else(|| {
        // Lines are broken in some servers' icons.
        let digits: Vec<u8> = digits.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        FORGIVING.decode(digits).ok()
    })
}

/// Some leave out the padding.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Hyphenated and lower-case, from either spelling that servers send.
fn parse_uuid(text: &str) -> Option<String> {
    let has_plain_length = matches!(text.len(), 32 | 36);
    has_plain_length.then(|| uuid::Uuid::try_parse(text).ok())?.map(|uuid| uuid.to_string())
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
    fn what_is_sent() {
        let hello = [15, 0, 0x2f, 9, b'l', b'o', b'c', b'a', b'l', b'h', b'o', b's', b't', 0x63, 0xdd, 1];
        assert_eq!(handshake("localhost", 25_565, 47), hello);
        assert_eq!(STATUS_REQUEST, [1, 0]);
    }

    #[test]
    fn a_whole_answer() {
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
        let told = status(&message(&json.to_string())).unwrap();
        let seen = |name: &str, uuid: &str| Seen { name: name.into(), uuid: Some(uuid.into()) };
        let expected = Status {
            version: "Paper 1.21.4".into(),
            protocol: 769,
            players: 2,
            max_players: 20,
            sample: vec![
                seen("Notch", "069a79f4-44e9-4726-a5be-fca90e38aaf5"),
                seen("§6Vote!", "00000000-0000-0000-0000-000000000000"),
            ],
            motd_raw: "Hello §r§6world".into(),
            icon: Some(b"\x89PNG\r\n\x1a\n".to_vec()),
        };
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_missing_or_odd_is_borne() {
        assert_eq!(status(&message("{}")).unwrap(), Status::default());
        let odd = r#"{"players":{"online":"5","max":7.9},"version":{"protocol":"x"},"favicon":"data:,x"}"#;
        let told = status(&message(odd)).unwrap();
        assert_eq!((told.players, told.max_players, told.protocol, told.icon), (5, 7, 0, None));
        for wrong in ["", "[]", "{", "\"x\"", &"[".repeat(100_000)] {
            assert!(status(&message(wrong)).is_err());
        }
        assert!(status(&[5, 0]).is_err() && status(&[]).is_err());
        let mut long = vec![0];
        put_varint(&mut long, i32::MAX);
        assert_eq!(status(&long), Err(Wrong::TooLong(i32::MAX as u64, LONGEST)));
    }

    proptest! {
        #[test]
        fn no_bytes_bring_it_down(bytes in proptest::collection::vec(any::<u8>(), 0..300), json in "\\PC{0,200}") {
            let _ = (status(&bytes), status(&message(&json)));
        }
    }
}
