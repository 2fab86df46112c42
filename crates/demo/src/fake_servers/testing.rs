//! What simulated servers say and hear, for the tests of those who ask them.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use serde_json::json;

use super::status::Says;
use super::{bedrock, java, legacy, query};

const OWN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 25_565);

/// A plain answer, and one with everything.
pub fn says() -> [Says; 2] {
    let uuid = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
    let plain =
        Says { version: "1.21.4".into(), players: 1, max_players: 2, motd: json!("A server"), ..Says::default() };
    let rich = Says {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 2,
        max_players: 20,
        sample: vec![("Notch".into(), uuid.into()), ("jeb_".into(), uuid.into())],
        motd: json!({"text": "Hello; \\ wörld\n", "extra": [{"text": "second", "color": "#ff8800", "bold": true}]}),
        icon: Some(Arc::from(*b"\x89PNG\r\n\x1a\nand more")),
        ..Says::default()
    };
    [plain, rich]
}

pub fn java(says: &Says) -> Vec<u8> {
    java::status(says)
}

pub fn legacy(says: &Says) -> [Vec<u8>; 2] {
    [legacy::marked(says), legacy::bare(says)]
}

pub fn bedrock(says: &Says, stamp: u64) -> Vec<u8> {
    bedrock::pong(says, stamp, 9, 19_132)
}

pub fn query(says: &Says, session: [u8; 4]) -> [Vec<u8>; 2] {
    [query::challenge(session, -17), query::full(says, session, OWN)]
}

/// Reads a question as every kind of server would.
pub fn hear(bytes: &[u8]) {
    let mut frames = rollcall_ping::codec::Frames::new(2048);
    frames.push(bytes);
    while let Ok(Some(message)) = frames.message() {
        let _ = (java::wish(message, false), java::wish(message, true));
    }
    let _ = (java::wish(bytes, false), java::wish(bytes, true), bedrock::stamp(bytes), query::question(bytes));
}
