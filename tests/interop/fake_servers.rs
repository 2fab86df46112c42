//! Our fake servers, for mcstatus to ping. Prints their ports and the status they report as one line of JSON, and exits when
//! standard input closes.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use rollcall_demo::fake_servers::{FakeServer, FakeStatus, StatusSource};
use serde_json::{Value, json};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const UUID: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const ICON: &[u8] = b"\x89PNG\r\n\x1a\n";
const ICON_BASE64: &str = "iVBORw0KGgo=";

fn status(motd: Value) -> FakeStatus {
    FakeStatus {
        version: "Paper 1.21.4".into(),
        protocol: 769,
        players: 3,
        max_players: 20,
        sample: ["Notch", "jeb_", "Dinnerbone"].map(|name| (name.to_owned(), UUID.to_owned())).to_vec(),
        motd,
        icon: Some(Arc::from(ICON)),
        delay: Duration::ZERO,
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let source = |motd: Value| -> StatusSource { Arc::new(move || Some(status(motd.clone()))) };
    let text = "§6Wörld of §lours\n§7second line";
    let colours = json!({ "text": "", "extra": [{ "text": "Fire", "color": "#ff8800" }, { "text": " ünd 🎮", "color": "gold" }] });
    let java = FakeServer::java(LOOPBACK, 0, source(colours))?;
    let plain = FakeServer::java(LOOPBACK, 0, source(json!(text)))?;
    let bedrock = FakeServer::bedrock(LOOPBACK, 0, source(json!(text)))?;
    let query = FakeServer::query(LOOPBACK, 0, source(json!(text)))?;
    let counts = json!({ "version": "Paper 1.21.4", "protocol": 769, "players": 3, "maxPlayers": 20 });
    let with_counts = |fields: Value| {
        let mut expected = counts.clone();
        for (name, value) in fields.as_object().into_iter().flatten() {
            expected[name] = value.clone();
        }
        expected
    };
    let sample: Value =
        ["Notch", "jeb_", "Dinnerbone"].map(|name| json!({ "name": name, "uuid": UUID })).to_vec().into();
    let java_status = with_counts(json!({ "sample": sample, "icon": ICON_BASE64 }));
    let bedrock_status = with_counts(json!({ "motdRaw": text }));
    let query_status = json!({
        "version": "Paper 1.21.4", "players": 3, "maxPlayers": 20, "motdRaw": text,
        "names": ["Notch", "jeb_", "Dinnerbone"],
    });
    let servers = json!([
        { "name": "our Java", "edition": "java", "port": java.address().port(), "expected": java_status,
          "legacyMotd": "§x§f§f§8§8§0§0Fire§r§6 ünd 🎮", "betaMotd": "Fire ünd 🎮" },
        { "name": "our Java with formatting codes", "edition": "java", "port": plain.address().port(), "expected": java_status,
          "legacyMotd": text, "betaMotd": "Wörld of ours\nsecond line" },
        { "name": "our Bedrock", "edition": "bedrock", "port": bedrock.address().port(), "expected": bedrock_status },
        { "name": "our Query", "edition": "query", "port": query.address().port(), "expected": query_status },
    ]);
    writeln!(std::io::stdout(), "{servers}")?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
