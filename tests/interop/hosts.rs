//! Our own simulated servers, for others to judge. Prints where they are and what they say, and ends when its input does.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use rollcall_demo::fake_servers::{Host, Says, Source};
use serde_json::{Value, json};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const UUID: &str = "069a79f4-44e9-4726-a5be-fca90e38aaf5";
const ICON: &[u8] = b"\x89PNG\r\n\x1a\n";
const ICON_TEXT: &str = "iVBORw0KGgo=";

fn says(motd: Value) -> Says {
    Says {
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
    let telling = |motd: Value| -> Source { Arc::new(move || Some(says(motd.clone()))) };
    let text = "§6Wörld of §lours\n§7second line";
    let colours = json!({ "text": "", "extra": [{ "text": "Fire", "color": "#ff8800" }, { "text": " ünd 🎮", "color": "gold" }] });
    let java = Host::java(HERE, 0, telling(colours))?;
    let plain = Host::java(HERE, 0, telling(json!(text)))?;
    let bedrock = Host::bedrock(HERE, 0, telling(json!(text)))?;
    let query = Host::query(HERE, 0, telling(json!(text)))?;
    let figures = json!({ "version": "Paper 1.21.4", "protocol": 769, "players": 3, "maxPlayers": 20 });
    let with = |more: Value| {
        let mut told = figures.clone();
        for (name, value) in more.as_object().into_iter().flatten() {
            told[name] = value.clone();
        }
        told
    };
    let sample: Value =
        ["Notch", "jeb_", "Dinnerbone"].map(|name| json!({ "name": name, "uuid": UUID })).to_vec().into();
    let of_java = with(json!({ "sample": sample, "icon": ICON_TEXT }));
    let of_bedrock = with(json!({ "motdRaw": text }));
    let of_query = json!({
        "version": "Paper 1.21.4", "players": 3, "maxPlayers": 20, "motdRaw": text,
        "names": ["Notch", "jeb_", "Dinnerbone"],
    });
    let servers = json!([
        { "name": "our Java", "edition": "java", "port": java.address().port(), "told": of_java,
          "legacyMotd": "§x§f§f§8§8§0§0Fire§r§6 ünd 🎮", "betaMotd": "Fire ünd 🎮" },
        { "name": "our Java with codes", "edition": "java", "port": plain.address().port(), "told": of_java,
          "legacyMotd": text, "betaMotd": "Wörld of ours\nsecond line" },
        { "name": "our Bedrock", "edition": "bedrock", "port": bedrock.address().port(), "told": of_bedrock },
        { "name": "our Query", "edition": "query", "port": query.address().port(), "told": of_query },
    ]);
    writeln!(std::io::stdout(), "{servers}")?;
    tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new())).await??;
    Ok(())
}
