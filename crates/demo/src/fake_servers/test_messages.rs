//! Encoded messages of fake servers, for tests of the codecs.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::json;

use super::status::FakeStatus;
use super::{bedrock, java, legacy, query};

const OWN_ADDRESS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 25_565);

/// A minimal status, and one with every field.
pub fn statuses() -> [FakeStatus; 2] {
    let uuid = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
    let minimal = FakeStatus {
        version: "1.21.4".into(),
        players: 1,
        max_players: 2,
        motd: json!("A server"),
        ..FakeStatus::default()
    };
    let full = FakeStatus {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 2,
        max_players: 20,
        sample: vec![("Notch".into(), uuid.into()), ("jeb_".into(), uuid.into())],
        motd: json!({"text": "Hello; \\ wörld\n", "extra": [{"text": "second", "color": "#ff8800", "bold": true}]}),
        icon: Some(Arc::from(*b"\x89PNG\r\n\x1a\nand more")),
        ..FakeStatus::default()
    };
    [minimal, full]
}

pub fn java_status(status: &FakeStatus) -> Vec<u8> {
    java::encode_status(status)
}

pub fn legacy_replies(status: &FakeStatus) -> [Vec<u8>; 2] {
    [legacy::encode_since_1_4(status), legacy::encode_beta(status)]
}

pub fn bedrock_pong(status: &FakeStatus, timestamp: u64) -> Vec<u8> {
    bedrock::encode_pong(status, timestamp, 9, 19_132)
}

pub fn query_responses(status: &FakeStatus, session: [u8; 4]) -> [Vec<u8>; 2] {
    [query::encode_challenge(session, -17), query::encode_full_stat(status, session, OWN_ADDRESS)]
}

/// Parses a request with every protocol. Must not panic.
pub fn parse_with_every_protocol(bytes: &[u8]) {
    let mut frames = rollcall_minecraft::codec::FrameBuffer::new(2048);
    frames.push(bytes);
    while let Ok(Some(message)) = frames.next_message() {
        let _ = (java::parse_request(message, false), java::parse_request(message, true));
    }
    let _ = (java::parse_request(bytes, false), java::parse_request(bytes, true));
    let _ = (bedrock::parse_ping(bytes), query::parse_request(bytes));
}
