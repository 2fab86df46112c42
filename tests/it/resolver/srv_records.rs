//! SRV records, which redirect to another host and port.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::proto::rr::RecordType;
use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_minecraft::{Edition, ForbiddenPort, PingError, SsrfGuard};

use super::dns_server::{DnsServer, Reply, address, service};
use super::loopback_listener::LoopbackListener;
use super::{TIMEOUT, ping, ping_client, reason};

const JAVA: u16 = 25_565;

/// A DNS server with an SRV record for each `KIND.example`, which points to this port.
async fn dns_with_srv_to(port: u16) -> DnsServer {
    DnsServer::start(move |name, wanted| {
        let srv = |target: &str| Reply::Records(vec![service(0, port, target)]);
        match (name, wanted) {
            ("_minecraft._tcp.localhost-by-name.example", RecordType::SRV) => srv("localhost."),
            ("_minecraft._tcp.private.example", RecordType::SRV) => srv("inside.example."),
            ("_minecraft._tcp.address.example", RecordType::SRV) => srv("127.0.0.1."),
            ("_minecraft._tcp.short-address.example", RecordType::SRV) => srv("127.1."),
            ("_minecraft._tcp.mapped.example", RecordType::SRV) => srv("mapped-inside.example."),
            ("_minecraft._tcp.missing.example", RecordType::SRV) => srv("nobody.example."),
            ("_minecraft._tcp.itself.example", RecordType::SRV) => srv("itself.example."),
            ("_minecraft._tcp.round.example", RecordType::SRV) => srv("_minecraft._tcp.round.example."),
            ("_minecraft._tcp.nowhere.example", RecordType::SRV) => srv("."),
            ("_minecraft._tcp.no-port.example", RecordType::SRV) => {
                Reply::Records(vec![service(0, 0, "inside.example.")])
            }
            ("_minecraft._tcp.thousands.example", RecordType::SRV) => {
                let many = (0..2_000).map(|i| service(i + 1, 1, &format!("n{i}.")));
                Reply::Truncated(many.chain([service(0, port, "inside.example.")]).collect())
            }
            ("_minecraft._tcp.xn--mnchen-3ya.example", RecordType::SRV) => srv("inside.example."),
            (_, RecordType::SRV) | ("nobody.example", _) => Reply::Missing,
            ("mapped-inside.example", RecordType::AAAA) => address("::ffff:127.0.0.1", wanted),
            ("mapped-inside.example", _) => Reply::Records(vec![]),
            ("127.1", _) => address("127.0.0.1", wanted),
            _ => address("127.0.0.1", wanted),
        }
    })
    .await
}

#[tokio::test]
async fn srv_records_do_not_lead_to_forbidden_addresses() {
    let listener = LoopbackListener::open().await;
    let dns = dns_with_srv_to(listener.port).await;
    let guarded = ping_client(&dns, false, TIMEOUT);
    for kind in [
        "localhost-by-name",
        "private",
        "address",
        "short-address",
        "mapped",
        "itself",
        "round",
        "nowhere",
        "no-port",
        "thousands",
        "plain",
        "münchen",
    ] {
        let host = format!("{kind}.example");
        assert_eq!(reason(ping(&guarded, &host, JAVA, Edition::Java).await), "forbidden address", "{host}");
    }
    assert_eq!(reason(ping(&guarded, "missing.example", JAVA, Edition::Java).await), "name not found");
    assert_eq!(listener.connections(), 0);
    let unguarded = ping_client(&dns, true, Duration::from_secs(1));
    for kind in ["localhost-by-name", "private", "address", "mapped", "itself", "thousands"] {
        let before = listener.connections();
        let _ = ping(&unguarded, &format!("{kind}.example"), JAVA, Edition::Java).await;
        assert!(listener.connections() > before, "without the guard {kind} is pinged");
    }
}

#[tokio::test]
async fn srv_records_do_not_lead_to_well_known_ports() {
    for port in [1, 22, 25, 80, 443, 1023] {
        let dns = dns_with_srv_to(port).await;
        // Not even where private addresses are allowed.
        let mut client = ping_client(&dns, true, TIMEOUT);
        let forbidden = PingError::ForbiddenPort(ForbiddenPort(port));
        assert_eq!(ping(&client, "private.example", JAVA, Edition::Java).await, Err(forbidden.clone()));
        // The same port of an address that someone enters.
        for host in ["127.0.0.1", "plain.example"] {
            assert_eq!(ping(&client, host, port, Edition::Java).await, Err(forbidden.clone()), "{host}");
            assert_eq!(ping(&client, host, port, Edition::Bedrock).await, Err(forbidden.clone()), "{host}");
        }
        client.guard = SsrfGuard::new(true).with_low_ports(vec![port]);
        let outcome = ping(&client, "private.example", JAVA, Edition::Java).await;
        assert_ne!(outcome, Err(forbidden), "a configured port is pinged");
    }
}

#[tokio::test]
async fn srv_records_of_international_names_lead_to_their_server() {
    let source =
        Arc::new(|| Some(FakeStatus { version: "1.21.4".into(), players: 3, max_players: 9, ..FakeStatus::default() }));
    let game = FakeServer::java(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, source).expect("a port");
    let dns = dns_with_srv_to(game.address().port()).await;
    let unguarded = ping_client(&dns, true, Duration::from_secs(5));
    for host in
        ["private.example", "münchen.example", "MÜNCHEN.example.", "xn--mnchen-3ya.example", "thousands.example"]
    {
        let response =
            ping(&unguarded, host, JAVA, Edition::Java).await.unwrap_or_else(|error| panic!("{host}: {error}"));
        assert_eq!((response.address, response.status.players), (game.address(), 3), "{host}");
    }
    // With another port than the default no SRV record is looked up.
    let response = ping(&unguarded, "plain.example", game.address().port(), Edition::Java).await.expect("a reply");
    assert_eq!(response.address, game.address());
}
