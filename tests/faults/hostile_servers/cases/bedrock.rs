//! Bedrock Edition, over UDP.

use std::sync::Arc;

use serde_json::Value;

use super::{Expected, HostileCase, Protocol, any_reply};
use crate::hostile_servers::packets::{MAGIC, bedrock, pong, timestamp};

const VALID: &[u8] = b"MCPE;A server;390;1.14.60;5;10;132;Second;Survival;1;19132;19133;";

fn case(name: &'static str, expected: Expected, replies: fn(&[u8]) -> Vec<Vec<u8>>) -> HostileCase {
    HostileCase { name, protocol: Protocol::Bedrock(Arc::new(replies)), query: None, expected }
}

fn five(json: &Value) {
    assert_eq!(json["players"], 5, "{json}");
}

/// Datagrams of one flood.
const FLOOD: usize = 500;

pub fn cases() -> Vec<HostileCase> {
    vec![
        case("no pong", Expected::Timeout, |_| vec![]),
        case("another timestamp", Expected::Timeout, |_| vec![pong([9; 8], MAGIC, VALID.len() as u16, VALID)]),
        case("another magic", Expected::Timeout, |q| vec![pong(timestamp(q), [9; 16], VALID.len() as u16, VALID)]),
        case("a longer length than its text", Expected::Timeout, |q| vec![pong(timestamp(q), MAGIC, 4_000, VALID)]),
        case("a shorter length than its text", Expected::Timeout, |q| vec![pong(timestamp(q), MAGIC, 5, VALID)]),
        case("a text of 60,000 bytes", Expected::Timeout, |q| vec![bedrock(q, &VALID.repeat(1_000)[..60_000])]),
        case("an empty datagram", Expected::Timeout, |_| vec![vec![]]),
        case("the ping sent back", Expected::Timeout, |q| vec![q.to_vec()]),
        case("truncated pongs", Expected::Timeout, |q| {
            let whole = bedrock(q, VALID);
            (0..7).map(|part| whole[..whole.len() * part / 7].to_vec()).collect()
        }),
        case("a flood of empty datagrams", Expected::InvalidReply, |_| vec![vec![]; FLOOD]),
        case("a flood of noise", Expected::InvalidReply, |_| vec![vec![0x5a; 1_400]; FLOOD]),
        case("a flood of other timestamps", Expected::InvalidReply, |_| {
            vec![pong([3; 8], MAGIC, VALID.len() as u16, VALID); FLOOD]
        }),
        case("a flood of pongs", Expected::Reply(five), |q| vec![bedrock(q, VALID); FLOOD]),
        case("noise before the pong", Expected::Reply(five), |q| {
            [vec![vec![0x1c; 40]; 10], vec![bedrock(q, VALID)]].concat()
        }),
        case("text for numbers, from Bedrock", Expected::Timeout, |q| vec![bedrock(q, b"MCPE;x;1;1.0;many;1")]),
        case("a number of 3,000 digits", Expected::Timeout, |q| {
            vec![bedrock(q, format!("MCPE;x;1;1.0;{};1", "9".repeat(3_000)).as_bytes())]
        }),
        case("negative counts, from Bedrock", Expected::Reply(any_reply), |q| vec![bedrock(q, b"MCPE;x;1;1.0;-7;-9")]),
        case("the largest counts, from Bedrock", Expected::Reply(any_reply), |q| {
            vec![bedrock(q, b"MCPE;x;9223372036854775807;1.0;9223372036854775807;1")]
        }),
        case("invalid UTF-8 and control characters", Expected::Reply(any_reply), |q| {
            vec![bedrock(q, b"MCPE;\xff\xfe\x00\x1b[31m\xe2\x80\xae;1;\x07\xc3(;1;1;;\r\n\n\n\xe2\x81\xa6x")]
        }),
        case("nothing but semicolons", Expected::Timeout, |q| vec![bedrock(q, &[b';'; 4_000])]),
        case("nothing but backslashes", Expected::Reply(any_reply), |q| {
            vec![bedrock(q, format!("MCPE;{};1;1.0;1;1", "\\".repeat(3_998)).as_bytes())]
        }),
    ]
}
