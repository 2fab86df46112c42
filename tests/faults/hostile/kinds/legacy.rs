//! Those who pretend to be old.

use serde_json::Value;

use super::{End, Kind, borne, java};
use crate::hostile::host::Tcp;
use crate::hostile::wire::{kick, kick_text};

fn old(name: &'static str, reply: Vec<u8>, end: End) -> Kind {
    java(name, Tcp::Old(Box::new(Tcp::Says(reply))), end)
}

fn as_old(json: &Value) {
    assert_eq!(json["form"], "1.6", "{json}");
}

/// What the newer form saw is what is told: it was hung up on.
pub fn kinds() -> Vec<Kind> {
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let lone = [units("§1\x00127\x001.6.4\x00"), vec![0xd800, 0x41, 0xdfff, 0xdc00], units("\x003\x0020")].concat();
    let fields = |players: &str| kick_text(&format!("§1\x00127\x001.6.4\x00A server\x00{players}\x0020"));
    vec![
        old("half characters", kick(lone.len() as u16, &lone), End::Told(as_old)),
        old("the sound old answer", fields("3"), End::Told(as_old)),
        old("fewer than nobody, the old way", fields("-9223372036854775808"), End::Told(as_old)),
        old("more than a number holds, the old way", fields("99999999999999999999"), End::Closed),
        old("no fields", kick_text("§1\0"), End::Closed),
        old("too many fields", kick_text("§1\x001\x002\x003\x004\x005\x006"), End::Closed),
        old("nothing but zeros", kick(500, &[0; 500]), End::Closed),
        old("nothing but marks, the old way", kick_text(&"§".repeat(1_000)), End::Closed),
        old("an old answer of 65,535 characters", kick(u16::MAX, &[0x41; 65_535]), End::Closed),
        old("an old answer that ends early", kick(100, &units("§1\x00127")), End::Closed),
        old("an old answer that says less than it has", kick(4, &units("A§5§10§99§99")), End::Closed),
        java(
            "an old answer without end",
            Tcp::Old(Box::new(Tcp::Endless(kick(1_024, &[]), vec![0x41; 1 << 14]))),
            End::Closed,
        ),
        java("kicks without end", Tcp::Endless(vec![], kick_text("A server§5§10")), End::Told(borne)),
    ]
}
