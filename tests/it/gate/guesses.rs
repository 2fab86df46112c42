//! Wrong keys are limited per client address; good ones never.

use reqwest::Method;

use super::at;
use crate::harness::{Engine, NOW, PLENTY, Server, Store, aside, create_key};

const ALLOWED: u32 = 3;

#[tokio::test]
async fn a_flood_of_guesses_is_429_and_holds_up_no_good_key() {
    for engine in Engine::BOTH {
        let now = at("2026-06-03T14:00:30.250Z");
        let store = aside(|| Server::with_keys(engine, &[]).0.crash());
        let server = Server::set_up(store, now, |config| config.gate.wrong_keys_per_minute = ALLOWED);
        let other = Store::new(engine);
        let stranger = {
            other.rollcall(&["migrate"]);
            create_key(&other, PLENTY)
        };
        for (tried, guess) in ["x", "rc_x", &stranger, "rc_y", &stranger, ""].into_iter().enumerate() {
            let answer = server.get_as(guess, "/servers").await;
            if guess.is_empty() {
                // No key is no guess.
                assert_eq!(answer.status, 401);
            } else if (tried as u32) < ALLOWED {
                assert_eq!((answer.status, answer.header("retry-after")), (401, None));
            } else {
                assert_eq!((answer.status, answer.error().as_str()), (429, "Too many requests"));
                assert_eq!(answer.header("retry-after"), Some("30"));
            }
            assert_eq!(server.get("/servers").await.status, 200);
        }
        server.clock.set(at("2026-06-03T14:01:00.250Z"));
        assert_eq!(server.get_as("x", "/servers").await.status, 401);
    }
}

/// Asks with a wrong key in the name of a client behind a proxy.
async fn guess_for(server: &Server, client: &str) -> u16 {
    server.send(Method::GET, "/servers", &[("x-api-key", "rc_x"), ("x-forwarded-for", client)]).await.status
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_its_own_count() {
    let store = aside(|| Server::empty(Engine::Sqlite).crash());
    let server = Server::set_up(store, NOW, |config| {
        config.gate.wrong_keys_per_minute = 1;
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    for (client, status) in [
        ("192.0.2.1", 401),
        ("192.0.2.1", 429),
        ("192.0.2.2", 401),
        // What stands left of the last stranger is his invention.
        ("198.51.100.7, 192.0.2.2", 429),
        ("198.51.100.8, 192.0.2.2", 429),
        // An IPv6 network is one client.
        ("2001:db8:1:2::1", 401),
        ("2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:3::1", 401),
    ] {
        assert_eq!(guess_for(&server, client).await, status, "{client}");
    }
}

#[tokio::test]
async fn without_a_trusted_proxy_no_header_makes_a_new_client() {
    let store = aside(|| Server::empty(Engine::Sqlite).crash());
    let server = Server::set_up(store, NOW, |config| config.gate.wrong_keys_per_minute = 1);
    for (client, status) in [("192.0.2.1", 401), ("192.0.2.2", 429), ("2001:db8::1", 429)] {
        assert_eq!(guess_for(&server, client).await, status, "{client}");
    }
}
