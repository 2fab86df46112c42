//! The servers that are asked: Java Edition, without any delay.

use std::io::Read;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use rollcall_demo::fake_servers::{Host, Says, Source};
use serde_json::{Value, json};

pub const ARGUMENT: &str = "--hosts";
/// What every server says of itself, by which askers see that they have read it.
pub const PLAYERS: i64 = 137;
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Several, since clients that close properly use up the ports to one of them.
const HOSTS: usize = 8;
const ICON: usize = 6 * 1024;

/// Prints the addresses, those without an icon first, and answers until its input ends.
pub fn run() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut held = Vec::new();
        for icon in [None, Some(icon())] {
            let says = says(icon);
            let source: Source = Arc::new(move || Some(says.clone()));
            let hosts = (0..HOSTS).map(|_| Host::java(HERE, 0, source.clone()).expect("a free port"));
            let hosts: Vec<Host> = hosts.collect();
            let addresses: Vec<String> = hosts.iter().map(|host| host.address().to_string()).collect();
            println!("{}", addresses.join(" "));
            held.extend(hosts);
        }
        let end = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
        let _ = end.await;
    });
}

fn says(icon: Option<Arc<[u8]>>) -> Says {
    let names = ["Notch", "jeb_", "Dinnerbone", "Grumm", "Searge", "MissMarzenia", "kingbdogz", "slicedlime"];
    let sample = names.iter().enumerate();
    Says {
        version: "Velocity 1.7.2-1.21.8".into(),
        protocol: 772,
        players: PLAYERS,
        max_players: 500,
        sample: sample
            .map(|(i, name)| ((*name).into(), format!("069a79f4-44e9-4726-a5be-fca90e38aa{i:02x}")))
            .collect(),
        motd: motd(),
        icon,
        ..Says::default()
    }
}

/// As proxies send it: every few letters a colour of their own.
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

/// Bytes without any order, as those of a picture are.
fn icon() -> Arc<[u8]> {
    let mut state = 1_u32;
    let noise = (0..ICON).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    });
    b"\x89PNG\r\n\x1a\n".iter().copied().chain(noise).collect()
}

/// Bytes of the answer at this address.
pub fn length(address: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let address = address.parse().expect("an address");
    runtime.block_on(crate::askers::bare(address)).expect("an answer")
}
