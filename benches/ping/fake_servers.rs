//! The fake servers that the clients ping: Java Edition, without delay.

use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use rollcall_demo::fake_servers::{FakeServer, FakeStatus, StatusSource};
use serde_json::{Value, json};

/// The hidden argument that makes this program the servers.
pub const ARGUMENT: &str = "--servers";
/// The player count that every server reports. Clients check it.
pub const PLAYERS: i64 = 137;
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Several, because connections in TIME_WAIT would use up the ports to a single one.
const SERVERS: usize = 8;
const ICON_BYTES: usize = 6 * 1024;

/// Prints the addresses, those without an icon first, and serves until its input ends.
pub fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
    runtime.block_on(async {
        let mut all = Vec::new();
        for icon in [None, Some(icon())] {
            let status = status(icon);
            let source: StatusSource = Arc::new(move || Some(status.clone()));
            let servers = (0..SERVERS).map(|_| FakeServer::java(LOOPBACK, 0, source.clone()).expect("bind a port"));
            let servers: Vec<FakeServer> = servers.collect();
            let addresses: Vec<String> = servers.iter().map(|server| server.address().to_string()).collect();
            println!("{}", addresses.join(" "));
            all.extend(servers);
        }
        let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = end.await;
    });
}

fn status(icon: Option<Arc<[u8]>>) -> FakeStatus {
    let names = ["Notch", "jeb_", "Dinnerbone", "Grumm", "Searge", "MissMarzenia", "kingbdogz", "slicedlime"];
    let sample = names.iter().enumerate();
    FakeStatus {
        version: "Velocity 1.7.2-1.21.8".into(),
        protocol: 772,
        players: PLAYERS,
        max_players: 500,
        sample: sample
            .map(|(i, name)| ((*name).into(), format!("069a79f4-44e9-4726-a5be-fca90e38aa{i:02x}")))
            .collect(),
        motd: motd(),
        icon,
        ..FakeStatus::default()
    }
}

/// As proxies send it: a colour for every letter.
fn motd() -> Value {
    let letters = "EXAMPLE NETWORK".chars().enumerate();
    let mut parts: Vec<Value> = letters
        .map(|(i, letter)| json!({ "text": letter.to_string(), "color": format!("#{:06x}", 0x11_88ff + i * 0x0f_0000), "bold": true }))
        .collect();
    parts.push(json!({ "text": "  [1.8 - 1.21]\n", "color": "gray" }));
    parts.push(json!({ "text": "Survival, Skyblock & Bedwars ★ ", "color": "gold" }));
    parts.push(json!({ "text": "join the summer event", "color": "yellow", "italic": true }));
    json!({ "text": "", "extra": parts })
}

/// Random bytes, which compress as badly as a picture.
fn icon() -> Arc<[u8]> {
    let mut state = 1_u32;
    let noise = (0..ICON_BYTES).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    b"\x89PNG\r\n\x1a\n".iter().copied().chain(noise).collect()
}

/// The length of the response of this server.
pub fn response_length(address: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
    let address = address.parse().expect("a valid address");
    runtime.block_on(crate::clients::bare(address)).expect("a reply")
}
