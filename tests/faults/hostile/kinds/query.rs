//! Sound servers with somebody hostile at the port for queries. Whatever is said there, the server itself is told of.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{End, Kind, Manner};
use crate::hostile::host::Tcp;
use crate::hostile::wire::{challenge, query, stat, told};

const FIGURES: [(&str, &str); 2] = [("numplayers", "2"), ("maxplayers", "20")];

fn kind(name: &'static str, held: fn(&Value), answers: fn(&[u8]) -> Vec<Vec<u8>>) -> Kind {
    let uuid = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
    let sample = json!({"players": {"online": 2, "max": 20, "sample": [{"name": "Notch", "id": uuid}]}});
    let manner = Manner::Java(Tcp::Says(told(sample)));
    Kind { name, manner, query: Some(Arc::new(answers)), end: End::Told(held) }
}

/// The list of the answer itself is left.
fn own_list(json: &Value) {
    assert_eq!((json["players"].as_i64(), &json["sample"][0]["name"]), (Some(2), &json!("Notch")), "{json}");
}

fn bounded(json: &Value) {
    let names = json["sample"].as_array().expect("a list");
    assert!(names.len() <= 2_000, "{}", names.len());
    assert!(names.iter().all(|line| line["name"].as_str().expect("a name").len() <= 8_192));
}

/// Lets everybody in and says this.
fn stats(question: &[u8], pairs: &[(&str, &str)], players: &[u8]) -> Vec<Vec<u8>> {
    match query(question) {
        (true, session) => vec![challenge(session, b"1")],
        (false, session) => vec![stat(session, pairs, players)],
    }
}

pub fn kinds() -> Vec<Kind> {
    vec![
        kind("a query unanswered", own_list, |_| vec![]),
        kind("a challenge of words", own_list, |q| vec![challenge(query(q).1, b"many")]),
        kind("a challenge of 1,000 digits", own_list, |q| vec![challenge(query(q).1, &[b'9'; 1_000])]),
        kind("a challenge of another session", own_list, |_| vec![challenge([9; 4], b"1")]),
        kind("a challenge and nothing more", own_list, |q| {
            if query(q).0 { vec![challenge(query(q).1, b"1")] } else { vec![] }
        }),
        kind("a flood of challenges", own_list, |q| vec![challenge(query(q).1, b"1"); 500]),
        kind("a flood of noise for a query", own_list, |_| vec![vec![0x5a; 1_400]; 500]),
        kind("figures without end", own_list, |q| stats(q, &[("a", "b"); 15_000], b"")),
        kind("no figures", own_list, |q| stats(q, &[], b"Eve\0")),
        kind("figures that are none", own_list, |q| stats(q, &[("numplayers", "x"), ("maxplayers", "")], b"Eve\0")),
        kind("names without end", bounded, |q| stats(q, &FIGURES, &b"ab\0".repeat(20_000))),
        kind("a name of 60,000 letters", bounded, |q| stats(q, &FIGURES, &[b'x'; 60_000])),
        kind("as many new names as fit", bounded, |q| {
            let names: Vec<u8> = (0..7_000).flat_map(|i| format!("q{i}\0").into_bytes()).collect();
            stats(q, &FIGURES, &names)
        }),
        kind("a million players by query", bounded, |q| {
            stats(q, &[("numplayers", "9223372036854775807"), ("maxplayers", "-1")], b"Eve\0")
        }),
        kind("markup and controls for names", bounded, |q| {
            stats(q, &FIGURES, b"<script>\0\x1b[31mEve\0\x9b\x01\x02\0Bob'--\0")
        }),
    ]
}
