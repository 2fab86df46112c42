//! Bedrock Edition, over UDP.

use std::sync::Arc;

use serde_json::Value;

use super::{End, Kind, Manner, borne};
use crate::hostile::wire::{MAGIC, bedrock, pong, stamp};

const SOUND: &[u8] = b"MCPE;A server;390;1.14.60;5;10;132;Second;Survival;1;19132;19133;";

fn kind(name: &'static str, end: End, answers: fn(&[u8]) -> Vec<Vec<u8>>) -> Kind {
    Kind { name, manner: Manner::Bedrock(Arc::new(answers)), query: None, end }
}

fn five(json: &Value) {
    assert_eq!(json["players"], 5, "{json}");
}

/// Datagrams of one flood.
const FLOOD: usize = 500;

pub fn kinds() -> Vec<Kind> {
    vec![
        kind("silence", End::Late, |_| vec![]),
        kind("another stamp", End::Late, |_| vec![pong([9; 8], MAGIC, SOUND.len() as u16, SOUND)]),
        kind("another magic", End::Late, |q| vec![pong(stamp(q), [9; 16], SOUND.len() as u16, SOUND)]),
        kind("a longer length than its text", End::Late, |q| vec![pong(stamp(q), MAGIC, 4_000, SOUND)]),
        kind("a shorter length than its text", End::Late, |q| vec![pong(stamp(q), MAGIC, 5, SOUND)]),
        kind("a text of 60,000 bytes", End::Late, |q| vec![bedrock(q, &SOUND.repeat(1_000)[..60_000])]),
        kind("an empty datagram", End::Late, |_| vec![vec![]]),
        kind("the question sent back", End::Late, |q| vec![q.to_vec()]),
        kind("an answer cut everywhere", End::Late, |q| {
            let whole = bedrock(q, SOUND);
            (0..7).map(|part| whole[..whole.len() * part / 7].to_vec()).collect()
        }),
        kind("a flood of nothing", End::Strange, |_| vec![vec![]; FLOOD]),
        kind("a flood of noise", End::Strange, |_| vec![vec![0x5a; 1_400]; FLOOD]),
        kind("a flood of other stamps", End::Strange, |_| vec![pong([3; 8], MAGIC, SOUND.len() as u16, SOUND); FLOOD]),
        kind("a flood of answers", End::Told(five), |q| vec![bedrock(q, SOUND); FLOOD]),
        kind("noise, and then an answer", End::Told(five), |q| {
            [vec![vec![0x1c; 40]; 10], vec![bedrock(q, SOUND)]].concat()
        }),
        kind("words for figures, from Bedrock", End::Late, |q| vec![bedrock(q, b"MCPE;x;1;1.0;many;1")]),
        kind("figures of 5,000 digits", End::Late, |q| {
            vec![bedrock(q, format!("MCPE;x;1;1.0;{};1", "9".repeat(3_000)).as_bytes())]
        }),
        kind("fewer than nobody, from Bedrock", End::Told(borne), |q| vec![bedrock(q, b"MCPE;x;1;1.0;-7;-9")]),
        kind("as many as a number holds, from Bedrock", End::Told(borne), |q| {
            vec![bedrock(q, b"MCPE;x;9223372036854775807;1.0;9223372036854775807;1")]
        }),
        kind("no UTF-8, and controls", End::Told(borne), |q| {
            vec![bedrock(q, b"MCPE;\xff\xfe\x00\x1b[31m\xe2\x80\xae;1;\x07\xc3(;1;1;;\r\n\n\n\xe2\x81\xa6x")]
        }),
        kind("nothing but semicolons", End::Late, |q| vec![bedrock(q, &[b';'; 4_000])]),
        kind("nothing but backslashes", End::Told(borne), |q| {
            vec![bedrock(q, format!("MCPE;{};1;1.0;1;1", "\\".repeat(3_998)).as_bytes())]
        }),
    ]
}
