//! Our own addresses are not pinged.

use hickory_resolver::proto::rr::RecordType;

use super::dns_server::{DnsServer, Reply, address};
use crate::cli::complaint;
use crate::harness::{Engine, Store};

/// A public address without a host: the range was returned long ago.
const NOWHERE: &str = "3ffe::1";

/// A DNS server that has this address for every name, and no SRV records.
async fn dns() -> DnsServer {
    DnsServer::start(|_, wanted| match wanted {
        RecordType::SRV => Reply::Missing,
        wanted => address(NOWHERE, wanted),
    })
    .await
}

#[tokio::test]
async fn names_of_this_service_are_not_pinged() {
    let (dns, store) = (dns().await, Store::new(Engine::Sqlite));
    let ping = async |setting: (&str, &str)| {
        let mut command = store.command(&["server", "ping", "play.example.org"]);
        command.env("ROLLCALL_TRACKER_NAME_SERVER", dns.address().to_string()).env("ROLLCALL_TRACKER_DEADLINE", "1");
        command.env(setting.0, setting.1);
        // On another thread: this one answers as the DNS server.
        let output = tokio::task::spawn_blocking(move || command.output().expect("the program starts")).await.unwrap();
        complaint(&output, 1).to_owned()
    };
    let forbidden = format!("{NOWHERE} is not a public address (an address of this service)");
    for setting in [
        ("ROLLCALL_PUBLIC_URL", "https://stats.example.org"),
        ("ROLLCALL_PUBLIC_URL", "https://[3ffe::1]:8443"),
        ("ROLLCALL_LISTEN", "[3ffe::1]:80"),
        ("ROLLCALL_TRACKER_OWN_ADDRESSES", "192.0.2.7, 3ffe::1"),
    ] {
        let said = ping(setting).await;
        assert!(said.contains(&forbidden), "{setting:?}: {said}");
    }
    let said = ping(("ROLLCALL_PUBLIC_URL", "http://127.0.0.1:8080")).await;
    assert!(!said.contains(&forbidden), "{said}");
}
