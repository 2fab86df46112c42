//! Host names that resolve to private or reserved addresses.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hickory_resolver::proto::rr::RecordType;
use rollcall_minecraft::Edition;

use super::dns_server::{DnsServer, Reply, address, alias};
use super::loopback_listener::LoopbackListener;
use super::{TIMEOUT, ping, ping_client, reason};

/// Private and reserved addresses, also embedded in IPv6.
const FORBIDDEN: &str = "0.0.0.0 0.0.0.1 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.0.0.2 127.1.2.3 \
    127.255.255.255 169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 \
    192.88.99.1 192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 \
    240.0.0.1 255.255.255.254 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe \
    ::ffff:192.168.1.1 ::ffff:0:127.0.0.1 ::ffff:0.0.0.0 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 \
    2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 \
    2002:c0a8:101::1 3fff::1 4000::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fe80::7f00:1 fec0::1 ff02::1 ff0e::1 \
    ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
/// A public address without a host: the range was returned long ago.
const NOWHERE: &str = "3ffe::1";

#[tokio::test]
async fn names_with_forbidden_addresses_are_not_pinged() {
    let forbidden: Vec<&str> = FORBIDDEN.split_whitespace().collect();
    assert!(forbidden.len() >= 60, "{}", forbidden.len());
    let zone: Vec<&str> = forbidden.clone();
    let dns = DnsServer::start(move |name, wanted| {
        let index = name.strip_suffix(".example").and_then(|number| number.strip_prefix('n'));
        match index.and_then(|number| number.parse::<usize>().ok()) {
            Some(index) if wanted != RecordType::SRV => address(zone[index], wanted),
            _ => Reply::Missing,
        }
    })
    .await;
    let (listener, client) = (LoopbackListener::open().await, ping_client(&dns, false, TIMEOUT));
    for edition in Edition::ALL {
        let pings = forbidden.iter().enumerate().map(async |(index, text)| {
            let result = ping(&client, &format!("n{index}.example"), listener.port, edition).await;
            assert_eq!(reason(result), "forbidden address", "{text}");
        });
        join_all(pings).await;
    }
    assert_eq!(listener.connections(), 0);
}

/// A DNS server whose first reply has one address and whose later replies have another.
async fn rebinding_dns(first: &'static str, then: &'static str) -> DnsServer {
    let lookups = Arc::new([const { AtomicUsize::new(0) }; 2]);
    DnsServer::start(move |_, wanted| {
        let kind = match wanted {
            RecordType::A => 0,
            RecordType::AAAA => 1,
            _ => return Reply::Missing,
        };
        let before = lookups[kind].fetch_add(1, Ordering::SeqCst);
        address(if before == 0 { first } else { then }, wanted)
    })
    .await
}

#[tokio::test]
async fn dns_rebinding_does_not_reach_a_private_address() {
    let listener = LoopbackListener::open().await;
    for (first, then) in
        [(NOWHERE, "127.0.0.1"), ("127.0.0.1", NOWHERE), (NOWHERE, "::1"), ("::ffff:127.0.0.1", NOWHERE)]
    {
        for edition in Edition::ALL {
            let dns = rebinding_dns(first, then).await;
            let client = ping_client(&dns, false, Duration::from_millis(300));
            let mut forbidden = 0;
            for _ in 0..3 {
                let reason = reason(ping(&client, "rebinds.example", listener.port, edition).await);
                forbidden += usize::from(reason == "forbidden address");
                // On a busy machine a lookup may time out, too.
                let expected = ["forbidden address", "unreachable", "timed out", "no lookup"];
                assert!(expected.contains(&reason), "{reason}");
            }
            assert!(forbidden > 0, "{first}, then {then}");
        }
    }
    assert_eq!(listener.connections(), 0);
}

#[tokio::test]
async fn of_two_addresses_only_the_public_one_is_pinged() {
    let dns = DnsServer::start(|_, wanted| match wanted {
        RecordType::A => address("127.0.0.1", wanted),
        RecordType::AAAA => address(NOWHERE, wanted),
        _ => Reply::Missing,
    })
    .await;
    let listener = LoopbackListener::open().await;
    let guarded = ping_client(&dns, false, Duration::from_millis(500));
    for edition in Edition::ALL {
        let reason = reason(ping(&guarded, "both.example", listener.port, edition).await);
        assert!(["unreachable", "timed out"].contains(&reason), "{reason}");
    }
    assert_eq!(listener.connections(), 0);
    let unguarded = ping_client(&dns, true, Duration::from_secs(1));
    let _ = ping(&unguarded, "both.example", listener.port, Edition::Java).await;
    assert!(listener.connections() > 0, "without the guard it is pinged");
}

#[tokio::test]
async fn cnames_are_followed_and_checked() {
    let dns = DnsServer::start(|name, wanted| match (name, wanted) {
        (_, RecordType::SRV) => Reply::Missing,
        ("to-localhost.example", _) => Reply::Records(vec![alias("localhost.")]),
        ("round.example", _) => Reply::Records(vec![alias("round.example.")]),
        ("here.example", _) => address("127.0.0.1", wanted),
        // A chain: each needs a lookup of its own.
        (name, _) => match name.strip_suffix(".chain.example").and_then(|n| n.parse::<u32>().ok()) {
            Some(0) => Reply::Records(vec![alias("here.example.")]),
            Some(n) => Reply::Records(vec![alias(&format!("{}.chain.example.", n - 1))]),
            None => Reply::Missing,
        },
    })
    .await;
    let (listener, guarded) = (LoopbackListener::open().await, ping_client(&dns, false, TIMEOUT));
    for host in ["to-localhost.example", "3.chain.example", "0.chain.example"] {
        assert_eq!(reason(ping(&guarded, host, listener.port, Edition::Java).await), "forbidden address", "{host}");
    }
    for host in ["round.example", "5000.chain.example"] {
        let reason = reason(ping(&guarded, host, listener.port, Edition::Java).await);
        assert!(["name not found", "no lookup"].contains(&reason), "{host}: {reason}");
    }
    assert_eq!(listener.connections(), 0);
    let unguarded = ping_client(&dns, true, Duration::from_secs(1));
    let _ = ping(&unguarded, "3.chain.example", listener.port, Edition::Java).await;
    assert!(listener.connections() > 0, "with the flag they are");
}
