//! Texts that are too long, too deep, or more than text.

use serde_json::{Value, json};

use super::{End, Kind, borne, java, says};
use crate::hostile::host::Tcp;
use crate::hostile::wire::status;

fn motd(name: &'static str, description: Value) -> Kind {
    says(name, json!({"description": description}), borne)
}

fn bytes(name: &'static str, json: &[u8], end: End) -> Kind {
    java(name, Tcp::Says(status(json)), end)
}

fn nested(levels: usize) -> Vec<u8> {
    let (open, close) = (r#"{"text":"a","extra":["#.repeat(levels), "]}".repeat(levels));
    format!(r#"{{"description":{open}"end"{close}}}"#).into_bytes()
}

fn no_mark(json: &Value) {
    let shown = format!("{}{}{}", json["motd"], json["version"], json["sample"]);
    assert!(!shown.contains(['\u{202e}', '\u{2066}', '\u{2028}']), "{json}");
}

pub fn kinds() -> Vec<Kind> {
    let tricks = "\u{202e}gnp.exe\u{2066}\u{2067}a\u{2028}b\u{2029}\u{202d}";
    let controls: String = (0..32).map(char::from).chain('\u{7f}'..='\u{9f}').collect();
    let sample = json!([{"name": format!("{controls}{tricks}Eve"), "id": "x"}]);
    vec![
        bytes("a hundred thousand levels", "[".repeat(100_000).as_bytes(), End::Strange),
        bytes("twenty thousand levels", "[".repeat(20_000).as_bytes(), End::Strange),
        bytes("three thousand components in each other", &nested(3_000), End::Told(borne)),
        bytes("sixty components in each other", &nested(60), End::Told(borne)),
        bytes("no UTF-8", b"{\"description\":\"\xff\xfe\xc3\x28\xed\xa0\x80 x\"}", End::Told(borne)),
        bytes("half a character", br#"{"description":"\ud83d"}"#, End::Told(borne)),
        bytes("a key of 90,000 letters", format!(r#"{{"{}":1}}"#, "k".repeat(90_000)).as_bytes(), End::Told(borne)),
        bytes("14,000 empty objects", format!("{{\"x\":[{}{{}}]}}", "{},".repeat(14_000)).as_bytes(), End::Told(borne)),
        bytes("45,000 numbers", format!("{{\"x\":[{}0]}}", "0,".repeat(45_000)).as_bytes(), End::Told(borne)),
        motd("14,000 small components", json!({"extra": vec![json!([]); 14_000]})),
        motd("a message of 90,000 letters", json!("W".repeat(90_000))),
        motd("nothing but lines", json!("\n".repeat(20_000))),
        motd("nothing but marks", json!("§".repeat(20_000))),
        motd("a colour for every letter", json!("§x§f§f§0§0§0§0a".repeat(2_000))),
        motd("marks upon one letter", json!(format!("a{}", "\u{301}".repeat(20_000)))),
        motd("signs of every kind", json!("👩‍👩‍👧‍👦🏳️‍🌈\u{fdfd}\u{1242b}\u{fffe}\u{10ffff}".repeat(300))),
        motd("markup", json!("<script>alert(1)</script>\"'&amp;{{7*7}}${x}%s%n../../etc/passwd")),
        motd("what is neither text nor component", json!({"text": {"text": {}}, "extra": {"a": []}, "color": 7})),
        says("controls", json!({"description": controls, "version": {"name": controls, "protocol": 1}}), borne),
        says(
            "texts that turn around",
            json!({"description": tricks, "version": {"name": tricks}, "players": {"online": 1, "sample": sample}}),
            no_mark,
        ),
        says("a version of 90,000 letters", json!({"version": {"name": "9".repeat(90_000)}}), borne),
    ]
}
