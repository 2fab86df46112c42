//! Brute force: wrong keys are limited per client IP; valid keys are not.

use reqwest::Method;

use super::at;
use crate::harness::{Engine, HIGH_LIMITS, NOW, Server, Store, create_key, run_blocking};

const ALLOWED: u32 = 3;

#[tokio::test]
async fn too_many_wrong_keys_are_a_429_and_valid_keys_still_work() {
    for engine in Engine::BOTH {
        let now = at("2026-06-03T14:00:30.250Z");
        let store = run_blocking(|| Server::with_keys(engine, &[]).0.crash());
        let server = Server::set_up(store, now, |config| config.auth.wrong_keys_per_minute = ALLOWED);
        let other = Store::new(engine);
        let foreign = {
            other.rollcall(&["migrate"]);
            create_key(&other, HIGH_LIMITS)
        };
        for (tried, guess) in ["x", "rc_x", &foreign, "rc_y", &foreign, ""].into_iter().enumerate() {
            let response = server.get_as(guess, "/servers").await;
            if guess.is_empty() {
                // A missing key is not a wrong key.
                assert_eq!(response.status, 401);
            } else if (tried as u32) < ALLOWED {
                assert_eq!((response.status, response.header("retry-after")), (401, None));
            } else {
                assert_eq!((response.status, response.error().as_str()), (429, "Too many requests"));
                assert_eq!(response.header("retry-after"), Some("30"));
            }
            assert_eq!(server.get("/servers").await.status, 200);
        }
        server.clock.set(at("2026-06-03T14:01:00.250Z"));
        assert_eq!(server.get_as("x", "/servers").await.status, 401);
    }
}

/// Sends a wrong key with this `X-Forwarded-For`.
async fn guess_for(server: &Server, client: &str) -> u16 {
    server.send(Method::GET, "/servers", &[("x-api-key", "rc_x"), ("x-forwarded-for", client)]).await.status
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_ip_has_its_own_limit() {
    let store = run_blocking(|| Server::empty(Engine::Sqlite).crash());
    let server = Server::set_up(store, NOW, |config| {
        config.auth.wrong_keys_per_minute = 1;
        config.http.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    });
    for (client, status) in [
        ("192.0.2.1", 401),
        ("192.0.2.1", 429),
        ("192.0.2.2", 401),
        // Entries left of the last untrusted one may be forged.
        ("198.51.100.7, 192.0.2.2", 429),
        ("198.51.100.8, 192.0.2.2", 429),
        // An IPv6 /64 counts as one client.
        ("2001:db8:1:2::1", 401),
        ("2001:db8:1:2:ffff::9", 429),
        ("2001:db8:1:3::1", 401),
    ] {
        assert_eq!(guess_for(&server, client).await, status, "{client}");
    }
}

#[tokio::test]
async fn without_a_trusted_proxy_x_forwarded_for_is_ignored() {
    let store = run_blocking(|| Server::empty(Engine::Sqlite).crash());
    let server = Server::set_up(store, NOW, |config| config.auth.wrong_keys_per_minute = 1);
    for (client, status) in [("192.0.2.1", 401), ("192.0.2.2", 429), ("2001:db8::1", 429)] {
        assert_eq!(guess_for(&server, client).await, status, "{client}");
    }
}
