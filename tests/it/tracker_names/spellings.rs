//! Names that lead to addresses that are not asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hickory_resolver::proto::rr::RecordType;
use rollcall_ping::Edition;

use super::name_server::{NameServer, Reply, address, alias};
use super::trap::Trap;
use super::{DEADLINE, ask, asker, reason};

/// What is nobody's in public, in many clothes.
const FORBIDDEN: &str = "0.0.0.0 0.0.0.1 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.0.0.2 127.1.2.3 \
    127.255.255.255 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 \
    192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 \
    240.0.0.1 255.255.255.254 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe \
    ::ffff:192.168.1.1 ::ffff:0:127.0.0.1 ::ffff:0.0.0.0 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 \
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 \
    2002:c0a8:101::1 3fff::1 4000::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fe80::7f00:1 fec0::1 ff02::1 ff0e::1 \
    ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
/// In public, and nobody's: it was given back long ago.
const NOWHERE: &str = "3ffe::1";

#[tokio::test]
async fn names_of_forbidden_addresses_are_not_asked() {
    let forbidden: Vec<&str> = FORBIDDEN.split_whitespace().collect();
    assert!(forbidden.len() >= 60, "{}", forbidden.len());
    let zone: Vec<&str> = forbidden.clone();
    let names = NameServer::start(move |name, wanted| {
        let place = name.strip_suffix(".example").and_then(|number| number.strip_prefix('n'));
        match place.and_then(|number| number.parse::<usize>().ok()) {
            Some(place) if wanted != RecordType::SRV => address(zone[place], wanted),
            _ => Reply::Missing,
        }
    })
    .await;
    let (trap, asker) = (Trap::set().await, asker(&names, false, DEADLINE));
    for edition in Edition::ALL {
        let asks = forbidden.iter().enumerate().map(async |(place, text)| {
            let asked = ask(&asker, &format!("n{place}.example"), trap.port, edition).await;
            assert_eq!(reason(asked), "forbidden address", "{text}");
        });
        join_all(asks).await;
    }
    assert_eq!(trap.knocks(), 0);
}

/// Answers in turn: the first time one, then the other.
async fn turning(first: &'static str, then: &'static str) -> NameServer {
    let asked = Arc::new([const { AtomicUsize::new(0) }; 2]);
    NameServer::start(move |_, wanted| {
        let kind = match wanted {
            RecordType::A => 0,
            RecordType::AAAA => 1,
            _ => return Reply::Missing,
        };
        let before = asked[kind].fetch_add(1, Ordering::SeqCst);
        address(if before == 0 { first } else { then }, wanted)
    })
    .await
}

#[tokio::test]
async fn a_name_that_turns_is_asked_where_it_was_looked_at() {
    let trap = Trap::set().await;
    for (first, then) in
        [(NOWHERE, "127.0.0.1"), ("127.0.0.1", NOWHERE), (NOWHERE, "::1"), ("::ffff:127.0.0.1", NOWHERE)]
    {
        for edition in Edition::ALL {
            let names = turning(first, then).await;
            let asker = asker(&names, false, Duration::from_millis(300));
            let mut forbidden = 0;
            for _ in 0..3 {
                let reason = reason(ask(&asker, "turns.example", trap.port, edition).await);
                forbidden += usize::from(reason == "forbidden address");
                assert!(["forbidden address", "unreachable", "timed out"].contains(&reason), "{reason}");
            }
            assert!(forbidden > 0, "{first}, then {then}");
        }
    }
    assert_eq!(trap.knocks(), 0);
}

#[tokio::test]
async fn of_two_addresses_only_the_public_one_is_asked() {
    let names = NameServer::start(|_, wanted| match wanted {
        RecordType::A => address("127.0.0.1", wanted),
        RecordType::AAAA => address(NOWHERE, wanted),
        _ => Reply::Missing,
    })
    .await;
    let trap = Trap::set().await;
    let careful = asker(&names, false, Duration::from_millis(500));
    for edition in Edition::ALL {
        let reason = reason(ask(&careful, "both.example", trap.port, edition).await);
        assert!(["unreachable", "timed out"].contains(&reason), "{reason}");
    }
    assert_eq!(trap.knocks(), 0);
    let daring = asker(&names, true, Duration::from_secs(1));
    let _ = ask(&daring, "both.example", trap.port, Edition::Java).await;
    assert!(trap.knocks() > 0, "with the flag it is");
}

#[tokio::test]
async fn aliases_are_followed_to_where_they_lead() {
    let names = NameServer::start(|name, wanted| match (name, wanted) {
        (_, RecordType::SRV) => Reply::Missing,
        ("to-localhost.example", _) => Reply::Records(vec![alias("localhost.")]),
        ("round.example", _) => Reply::Records(vec![alias("round.example.")]),
        ("here.example", _) => address("127.0.0.1", wanted),
        // One after the other, each to be asked for by itself.
        (name, _) => match name.strip_suffix(".chain.example").and_then(|n| n.parse::<u32>().ok()) {
            Some(0) => Reply::Records(vec![alias("here.example.")]),
            Some(n) => Reply::Records(vec![alias(&format!("{}.chain.example.", n - 1))]),
            None => Reply::Missing,
        },
    })
    .await;
    let (trap, careful) = (Trap::set().await, asker(&names, false, DEADLINE));
    for host in ["to-localhost.example", "3.chain.example", "0.chain.example"] {
        assert_eq!(reason(ask(&careful, host, trap.port, Edition::Java).await), "forbidden address", "{host}");
    }
    for host in ["round.example", "5000.chain.example"] {
        let reason = reason(ask(&careful, host, trap.port, Edition::Java).await);
        assert!(["name not found", "no lookup"].contains(&reason), "{host}: {reason}");
    }
    assert_eq!(trap.knocks(), 0);
    let daring = asker(&names, true, Duration::from_secs(1));
    let _ = ask(&daring, "3.chain.example", trap.port, Edition::Java).await;
    assert!(trap.knocks() > 0, "with the flag they are");
}
