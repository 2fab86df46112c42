//! Long, deeply nested and malicious texts.

use serde_json::{Value, json};

use super::{Expected, HostileCase, any_reply, java, replies};
use crate::hostile_servers::listener::TcpBehavior;
use crate::hostile_servers::packets::status;

fn motd(name: &'static str, description: Value) -> HostileCase {
    replies(name, json!({"description": description}), any_reply)
}

fn bytes(name: &'static str, json: &[u8], expected: Expected) -> HostileCase {
    java(name, TcpBehavior::Reply(status(json)), expected)
}

fn nested(levels: usize) -> Vec<u8> {
    let (open, close) = (r#"{"text":"a","extra":["#.repeat(levels), "]}".repeat(levels));
    format!(r#"{{"description":{open}"end"{close}}}"#).into_bytes()
}

fn no_bidi_controls(json: &Value) {
    let shown = format!("{}{}{}", json["motd"], json["version"], json["sample"]);
    assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{2028}']), "{json}");
}

pub fn cases() -> Vec<HostileCase> {
    let tricks = "\u{202e}gnp.exe\u{2066}\u{2067}a\u{2028}b\u{2029}\u{202d}";
    let controls: String = (0..32).map(char::from).chain('\u{7f}'..='\u{9f}').collect();
    let sample = json!([{"name": format!("{controls}{tricks}Eve"), "id": "x"}]);
    vec![
        bytes("100,000 nested lists", "[".repeat(100_000).as_bytes(), Expected::InvalidReply),
        bytes("20,000 nested lists", "[".repeat(20_000).as_bytes(), Expected::InvalidReply),
        bytes("3,000 nested components", &nested(3_000), Expected::Reply(any_reply)),
        bytes("60 nested components", &nested(60), Expected::Reply(any_reply)),
        bytes("invalid UTF-8", b"{\"description\":\"\xff\xfe\xc3\x28\xed\xa0\x80 x\"}", Expected::Reply(any_reply)),
        bytes("a lone surrogate", br#"{"description":"\ud83d"}"#, Expected::Reply(any_reply)),
        bytes(
            "a key of 90,000 letters",
            format!(r#"{{"{}":1}}"#, "k".repeat(90_000)).as_bytes(),
            Expected::Reply(any_reply),
        ),
        bytes(
            "14,000 empty objects",
            format!("{{\"x\":[{}{{}}]}}", "{},".repeat(14_000)).as_bytes(),
            Expected::Reply(any_reply),
        ),
        bytes("45,000 numbers", format!("{{\"x\":[{}0]}}", "0,".repeat(45_000)).as_bytes(), Expected::Reply(any_reply)),
        motd("14,000 small components", json!({"extra": vec![json!([]); 14_000]})),
        motd("a MOTD of 90,000 letters", json!("W".repeat(90_000))),
        motd("only line breaks", json!("\n".repeat(20_000))),
        motd("only section signs", json!("§".repeat(20_000))),
        motd("a colour for every letter", json!("§x§f§f§0§0§0§0a".repeat(2_000))),
        motd("20,000 combining marks", json!(format!("a{}", "\u{301}".repeat(20_000)))),
        motd("unusual characters", json!("👩‍👩‍👧‍👦🏳️‍🌈\u{fdfd}\u{1242b}\u{fffe}\u{10ffff}".repeat(300))),
        motd("markup", json!("<script>alert(1)</script>\"'&amp;{{7*7}}${x}%s%n../../etc/passwd")),
        motd("invalid components", json!({"text": {"text": {}}, "extra": {"a": []}, "color": 7})),
        replies(
            "control characters",
            json!({"description": controls, "version": {"name": controls, "protocol": 1}}),
            any_reply,
        ),
        replies(
            "bidirectional controls",
            json!({"description": tricks, "version": {"name": tricks}, "players": {"online": 1, "sample": sample}}),
            no_bidi_controls,
        ),
        replies("a version of 90,000 letters", json!({"version": {"name": "9".repeat(90_000)}}), any_reply),
    ]
}
