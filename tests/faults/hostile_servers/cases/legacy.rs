//! Legacy replies.

use serde_json::Value;

use super::{Expected, HostileCase, any_reply, java};
use crate::hostile_servers::listener::TcpBehavior;
use crate::hostile_servers::packets::{kick, kick_text};

fn legacy(name: &'static str, reply: Vec<u8>, expected: Expected) -> HostileCase {
    java(name, TcpBehavior::LegacyOnly(Box::new(TcpBehavior::Reply(reply))), expected)
}

fn is_legacy(json: &Value) {
    assert_eq!(json["form"], "1.6", "{json}");
}

/// If the legacy reply is invalid, the error of the modern ping is shown: the connection was closed.
pub fn cases() -> Vec<HostileCase> {
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let lone = [units("§1\x00127\x001.6.4\x00"), vec![0xd800, 0x41, 0xdfff, 0xdc00], units("\x003\x0020")].concat();
    let fields = |players: &str| kick_text(&format!("§1\x00127\x001.6.4\x00A server\x00{players}\x0020"));
    vec![
        legacy("lone surrogates", kick(lone.len() as u16, &lone), Expected::Reply(is_legacy)),
        legacy("a valid legacy reply", fields("3"), Expected::Reply(is_legacy)),
        legacy("a negative count, legacy", fields("-9223372036854775808"), Expected::Reply(is_legacy)),
        legacy("a count above i64, legacy", fields("99999999999999999999"), Expected::Closed),
        legacy("no fields", kick_text("§1\0"), Expected::Closed),
        legacy("too many fields", kick_text("§1\x001\x002\x003\x004\x005\x006"), Expected::Closed),
        legacy("nothing but zeros", kick(500, &[0; 500]), Expected::Closed),
        legacy("only section signs, legacy", kick_text(&"§".repeat(1_000)), Expected::Closed),
        legacy("a legacy reply of 65,535 characters", kick(u16::MAX, &[0x41; 65_535]), Expected::Closed),
        legacy("a truncated legacy reply", kick(100, &units("§1\x00127")), Expected::Closed),
        legacy("a legacy reply longer than its length", kick(4, &units("A§5§10§99§99")), Expected::Closed),
        java(
            "an endless legacy reply",
            TcpBehavior::LegacyOnly(Box::new(TcpBehavior::Endless(kick(1_024, &[]), vec![0x41; 1 << 14]))),
            Expected::Closed,
        ),
        java("endless kicks", TcpBehavior::Endless(vec![], kick_text("A server§5§10")), Expected::Reply(any_reply)),
    ]
}
