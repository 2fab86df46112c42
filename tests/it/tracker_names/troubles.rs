//! Name servers that do not answer, or not as they should.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::join_all;
use hickory_resolver::proto::rr::rdata::A;
use hickory_resolver::proto::rr::{RData, RecordType};
use rollcall_demo::fake_servers::{Host, Says};
use rollcall_ping::Edition;

use super::name_server::{NameServer, Reply, address};
use super::{ask, asker, reason};

const JAVA: u16 = 25_565;

fn zone(name: &str, wanted: RecordType) -> Reply {
    let host = name.trim_start_matches("_minecraft._tcp.");
    match host {
        "silent.example" => Reply::Silence,
        "failed.example" => Reply::Failed,
        "missing.example" => Reply::Missing,
        "empty.example" => Reply::Records(vec![]),
        "garbage.example" => Reply::Bytes(vec![0xff; 400]),
        "short.example" => Reply::Bytes(vec![0x81]),
        // A pointer to itself, where a name should be.
        "pointer.example" => Reply::Bytes([&[0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0][..], &[0xc0, 12].repeat(20)].concat()),
        "huge.example" if wanted == RecordType::A => {
            Reply::Cut((0..3_900_u32).map(|i| RData::A(A(Ipv4Addr::from_bits(0x7f00_0001 + i)))).collect())
        }
        "silent-service.example" if wanted == RecordType::SRV => Reply::Silence,
        "silent-service.example" => address("127.0.0.1", wanted),
        "half-silent.example" if wanted == RecordType::AAAA => Reply::Silence,
        "half-silent.example" => address("127.0.0.1", wanted),
        _ => Reply::Missing,
    }
}

#[tokio::test]
async fn an_ask_ends_in_time_and_says_that_the_name_was_the_trouble() {
    let names = NameServer::start(zone).await;
    let asker = asker(&names, false, Duration::from_secs(2));
    let asks = [
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
            let asked = ask(&asker, &format!("{kind}.example"), port, Edition::Java).await;
            assert_eq!(reason(asked), wanted, "{kind}");
        }
    });
    join_all(asks).await;
}

#[tokio::test]
async fn names_are_remembered_for_as_long_as_their_owner_says() {
    let asked = Arc::new(Mutex::new(HashMap::<String, usize>::new()));
    let count = asked.clone();
    let names = NameServer::start(move |name, wanted| {
        *count.lock().unwrap().entry(format!("{name} {wanted}")).or_default() += 1;
        match name {
            "lasting.example" | "passing.example" => address("127.0.0.1", wanted),
            _ => Reply::Missing,
        }
    })
    .await;
    let asker = asker(&names, false, Duration::from_secs(5));
    for _ in 0..3 {
        for (host, wanted) in
            [("lasting", "forbidden address"), ("passing", "forbidden address"), ("no", "name not found")]
        {
            let asked = ask(&asker, &format!("{host}.example"), JAVA, Edition::Java).await;
            assert_eq!(reason(asked), wanted, "{host}");
        }
    }
    let asked = asked.lock().unwrap();
    let times = |question: &str| asked.get(question).copied().unwrap_or(0);
    assert_eq!((times("lasting.example A"), times("passing.example A"), times("no.example A")), (1, 3, 1), "{asked:?}");
    assert_eq!(times("_minecraft._tcp.lasting.example SRV"), 1, "{asked:?}");
}

#[tokio::test]
async fn a_record_that_never_comes_does_not_hide_the_name() {
    let source = Arc::new(|| Some(Says { players: 3, max_players: 9, ..Says::default() }));
    let Ok(game) = Host::java(IpAddr::V4(Ipv4Addr::LOCALHOST), JAVA, source) else {
        return; // Somebody plays on this machine.
    };
    let names = NameServer::start(zone).await;
    let asker = asker(&names, true, Duration::from_secs(4));
    let answer = ask(&asker, "silent-service.example", JAVA, Edition::Java).await.expect("an answer");
    assert_eq!(answer.address, game.address());
}
