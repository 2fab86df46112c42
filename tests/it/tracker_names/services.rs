//! SRV records, which say that a server is somewhere else.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use hickory_resolver::proto::rr::RecordType;
use rollcall_demo::fake_servers::{Host, Says};
use rollcall_ping::Edition;

use super::name_server::{NameServer, Reply, address, service};
use super::trap::Trap;
use super::{DEADLINE, ask, asker, reason};

const JAVA: u16 = 25_565;

/// A name server on which the service of every `KIND.example` is what its kind says, and leads to this port.
async fn leading_to(port: u16) -> NameServer {
    NameServer::start(move |name, wanted| {
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
                Reply::Cut(many.chain([service(0, port, "inside.example.")]).collect())
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
async fn a_service_leads_to_no_forbidden_door() {
    let trap = Trap::set().await;
    let names = leading_to(trap.port).await;
    let careful = asker(&names, false, DEADLINE);
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
        assert_eq!(reason(ask(&careful, &host, JAVA, Edition::Java).await), "forbidden address", "{host}");
    }
    assert_eq!(reason(ask(&careful, "missing.example", JAVA, Edition::Java).await), "name not found");
    assert_eq!(trap.knocks(), 0);
    let daring = asker(&names, true, Duration::from_millis(500));
    for kind in ["localhost-by-name", "private", "address", "mapped", "itself", "thousands"] {
        let before = trap.knocks();
        let _ = ask(&daring, &format!("{kind}.example"), JAVA, Edition::Java).await;
        assert!(trap.knocks() > before, "with the flag {kind} is asked");
    }
}

#[tokio::test]
async fn a_service_leads_to_its_server_from_names_of_all_scripts() {
    let source = Arc::new(|| Some(Says { version: "1.21.4".into(), players: 3, max_players: 9, ..Says::default() }));
    let game = Host::java(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, source).expect("a port");
    let names = leading_to(game.address().port()).await;
    let daring = asker(&names, true, Duration::from_secs(5));
    for host in
        ["private.example", "münchen.example", "MÜNCHEN.example.", "xn--mnchen-3ya.example", "thousands.example"]
    {
        let answer =
            ask(&daring, host, JAVA, Edition::Java).await.unwrap_or_else(|failure| panic!("{host}: {failure}"));
        assert_eq!((answer.address, answer.status.players), (game.address(), 3), "{host}");
    }
    // Where a port is given, there is nothing to look for.
    let answer = ask(&daring, "plain.example", game.address().port(), Edition::Java).await.expect("an answer");
    assert_eq!(answer.address, game.address());
}
