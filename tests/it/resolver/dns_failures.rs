//! DNS servers that time out, fail or send garbage.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use hickory_resolver::proto::rr::rdata::A;
use hickory_resolver::proto::rr::{RData, RecordType};
use rollcall_demo::fake_servers::{FakeServer, FakeStatus};
use rollcall_minecraft::Edition;

use super::dns_server::{DnsServer, Reply, address};
use super::{ping, ping_client, reason};

const JAVA: u16 = 25_565;
/// Where the fake server of one test listens. Not 127.0.0.1, where a real one may listen on the same port.
const GAME: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 77);

fn zone(name: &str, wanted: RecordType) -> Reply {
    let host = name.trim_start_matches("_minecraft._tcp.");
    match host {
        "silent.example" => Reply::Silence,
        "failed.example" => Reply::Failed,
        "missing.example" => Reply::Missing,
        "empty.example" => Reply::Records(vec![]),
        "garbage.example" => Reply::Bytes(vec![0xff; 400]),
        "short.example" => Reply::Bytes(vec![0x81]),
        // A compression pointer to itself in place of a name.
        "pointer.example" => Reply::Bytes([&[0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0][..], &[0xc0, 12].repeat(20)].concat()),
        "huge.example" if wanted == RecordType::A => {
            Reply::Truncated((0..3_900_u32).map(|i| RData::A(A(Ipv4Addr::from_bits(0x7f00_0001 + i)))).collect())
        }
        "silent-service.example" if wanted == RecordType::SRV => Reply::Silence,
        "silent-service.example" => address(&GAME.to_string(), wanted),
        "half-silent.example" if wanted == RecordType::AAAA => Reply::Silence,
        "half-silent.example" => address("127.0.0.1", wanted),
        _ => Reply::Missing,
    }
}

#[tokio::test]
async fn a_failed_lookup_ends_within_the_timeout_and_is_named() {
    let dns = DnsServer::start(zone).await;
    let client = ping_client(&dns, false, Duration::from_secs(2));
    let pings = [
        ("silent", "no lookup"),
        ("failed", "no lookup"),
        ("garbage", "no lookup"),
        ("short", "no lookup"),
        ("pointer", "no lookup"),
        ("missing", "name not found"),
        ("empty", "name not found"),
        ("huge", "forbidden address"),
    ]
    .map(async |(kind, wanted)| {
        for port in [JAVA, 7] {
            let result = ping(&client, &format!("{kind}.example"), port, Edition::Java).await;
            assert_eq!(reason(result), wanted, "{kind}");
        }
    });
    join_all(pings).await;
}

#[tokio::test]
async fn lookups_are_cached_for_their_ttl() {
    let lookups = Arc::new(Mutex::new(HashMap::<String, usize>::new()));
    let count = lookups.clone();
    let dns = DnsServer::start(move |name, wanted| {
        *count.lock().unwrap().entry(format!("{name} {wanted}")).or_default() += 1;
        match name {
            "lasting.example" | "passing.example" => address("127.0.0.1", wanted),
            _ => Reply::Missing,
        }
    })
    .await;
    let client = ping_client(&dns, false, Duration::from_secs(5));
    for _ in 0..3 {
        for (host, wanted) in
            [("lasting", "forbidden address"), ("passing", "forbidden address"), ("no", "name not found")]
        {
            let result = ping(&client, &format!("{host}.example"), JAVA, Edition::Java).await;
            assert_eq!(reason(result), wanted, "{host}");
        }
    }
    let lookups = lookups.lock().unwrap();
    let times = |record: &str| lookups.get(record).copied().unwrap_or(0);
    assert_eq!(
        (times("lasting.example A"), times("passing.example A"), times("no.example A")),
        (1, 3, 1),
        "{lookups:?}"
    );
    assert_eq!(times("_minecraft._tcp.lasting.example SRV"), 1, "{lookups:?}");
}

#[tokio::test]
async fn an_srv_lookup_that_times_out_does_not_hide_the_address() {
    let source = Arc::new(|| Some(FakeStatus { players: 3, max_players: 9, ..FakeStatus::default() }));
    // SRV records are looked up for the default port only, so the server must listen there.
    let game = FakeServer::java(IpAddr::V4(GAME), JAVA, source)
        .unwrap_or_else(|error| panic!("this test needs port {JAVA} of {GAME} to be free: {error}"));
    let dns = DnsServer::start(zone).await;
    let client = ping_client(&dns, true, Duration::from_secs(4));
    let reply = ping(&client, "silent-service.example", JAVA, Edition::Java).await.expect("a reply");
    assert_eq!(reply.address, game.address());
}
