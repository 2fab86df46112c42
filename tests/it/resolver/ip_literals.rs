//! Loopback addresses in obfuscated spellings.

use rollcall_minecraft::{Edition, Host};

use super::dns_server::{DnsServer, Reply, address};
use super::loopback_listener::LoopbackListener;
use super::{TIMEOUT, ping, ping_client, reason};
use crate::harness::{Engine, Store};
use hickory_resolver::proto::rr::RecordType;

const LOOPBACK: [&str; 26] = [
    "127.0.0.1",
    "127.0.0.1.",
    "[127.0.0.1]",
    "127.1",
    "127.0.1",
    "0x7f.1",
    "0x7f000001",
    "0x7f.0x0.0x0.0x1",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.01",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "localhost",
    "LOCALHOST",
    "localhost.localdomain",
    "ｌｏｃａｌｈｏｓｔ",
    "[::1]",
    "::1",
    "0:0:0:0:0:0:0:1",
    "[::ffff:127.0.0.1]",
    "::ffff:7f00:1",
    "::127.0.0.1",
    "0",
];

/// A DNS server that resolves every name to 127.0.0.1.
async fn loopback_dns() -> DnsServer {
    DnsServer::start(|_, wanted| match wanted {
        RecordType::SRV => Reply::Missing,
        wanted => address("127.0.0.1", wanted),
    })
    .await
}

#[tokio::test]
async fn no_spelling_of_loopback_passes_the_guard() {
    let (dns, listener) = (loopback_dns().await, LoopbackListener::open().await);
    let client = ping_client(&dns, false, TIMEOUT);
    let mut pinged = 0;
    for text in LOOPBACK {
        // Invalid hosts are rejected before any lookup.
        if text.parse::<Host>().is_err() {
            continue;
        }
        pinged += 1;
        for edition in Edition::ALL {
            assert_eq!(reason(ping(&client, text, listener.port, edition).await), "forbidden address", "{text}");
        }
    }
    assert!(pinged > 20, "{pinged}");
    assert_eq!(listener.connections(), 0);
}

#[tokio::test]
async fn server_ping_names_the_forbidden_address() {
    let (dns, listener) = (loopback_dns().await, LoopbackListener::open().await);
    let store = Store::new(Engine::Sqlite);
    for host in ["name.example", "0x7f.1", "１２７.０.０.１", "[::ffff:127.0.0.1]"] {
        let address = format!("{host}:{}", listener.port);
        let run = |flags: &[&str]| {
            let mut command = store.command(&[&["server", "ping", &address], flags].concat());
            command.env("ROLLCALL_TRACKER_NAME_SERVER", dns.address().to_string());
            command.env("ROLLCALL_TRACKER_DEADLINE", "1");
            command
        };
        let output = tokio::task::spawn_blocking({
            let mut command = run(&[]);
            move || command.output().expect("it runs")
        });
        let said = String::from_utf8(output.await.expect("it ends").stderr).expect("plain text");
        assert!(said.contains("is not a public address (loopback)"), "{said}");
        assert_eq!(listener.connections(), 0);
    }
}
