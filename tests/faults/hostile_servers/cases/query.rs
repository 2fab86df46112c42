//! Valid servers with a hostile Query port. The ping itself still succeeds.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Expected, HostileCase, Protocol};
use crate::hostile_servers::listener::TcpBehavior;
use crate::hostile_servers::packets::{challenge, query, stat, status_with};

const COUNTS: [(&str, &str); 2] = [("numplayers", "2"), ("maxplayers", "20")];

fn case(name: &'static str, check: fn(&Value), replies: fn(&[u8]) -> Vec<Vec<u8>>) -> HostileCase {
    let uuid = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
    let sample = json!({"players": {"online": 2, "max": 20, "sample": [{"name": "Notch", "id": uuid}]}});
    let protocol = Protocol::Java(TcpBehavior::Reply(status_with(sample)));
    HostileCase { name, protocol, query: Some(Arc::new(replies)), expected: Expected::Reply(check) }
}

/// The player list of the status is used instead.
fn own_list(json: &Value) {
    assert_eq!((json["players"].as_i64(), &json["sample"][0]["name"]), (Some(2), &json!("Notch")), "{json}");
}

fn bounded(json: &Value) {
    let names = json["sample"].as_array().expect("a list");
    assert!(names.len() <= 2_000, "{}", names.len());
    assert!(names.iter().all(|line| line["name"].as_str().expect("a name").len() <= 8_192));
}

/// Accepts the challenge and replies with these values.
fn stats(request: &[u8], pairs: &[(&str, &str)], players: &[u8]) -> Vec<Vec<u8>> {
    match query(request) {
        (true, session) => vec![challenge(session, b"1")],
        (false, session) => vec![stat(session, pairs, players)],
    }
}

pub fn cases() -> Vec<HostileCase> {
    vec![
        case("no reply to query", own_list, |_| vec![]),
        case("a challenge that is not a number", own_list, |q| vec![challenge(query(q).1, b"many")]),
        case("a challenge of 1,000 digits", own_list, |q| vec![challenge(query(q).1, &[b'9'; 1_000])]),
        case("a challenge of another session", own_list, |_| vec![challenge([9; 4], b"1")]),
        case(
            "a challenge and no stat",
            own_list,
            |q| {
                if query(q).0 { vec![challenge(query(q).1, b"1")] } else { vec![] }
            },
        ),
        case("a flood of challenges", own_list, |q| vec![challenge(query(q).1, b"1"); 500]),
        case("a flood of noise for a query", own_list, |_| vec![vec![0x5a; 1_400]; 500]),
        case("15,000 pairs", own_list, |q| stats(q, &[("a", "b"); 15_000], b"")),
        case("no counts", own_list, |q| stats(q, &[], b"Eve\0")),
        case("counts that are not numbers", own_list, |q| {
            stats(q, &[("numplayers", "x"), ("maxplayers", "")], b"Eve\0")
        }),
        case("20,000 names", bounded, |q| stats(q, &COUNTS, &b"ab\0".repeat(20_000))),
        case("a name of 60,000 letters", bounded, |q| stats(q, &COUNTS, &[b'x'; 60_000])),
        case("as many new names as fit", bounded, |q| {
            let names: Vec<u8> = (0..7_000).flat_map(|i| format!("q{i}\0").into_bytes()).collect();
            stats(q, &COUNTS, &names)
        }),
        case("a million players by query", bounded, |q| {
            stats(q, &[("numplayers", "9223372036854775807"), ("maxplayers", "-1")], b"Eve\0")
        }),
        case("markup and controls for names", bounded, |q| {
            stats(q, &COUNTS, b"<script>\0\x1b[31mEve\0\x9b\x01\x02\0Bob'--\0")
        }),
    ]
}
