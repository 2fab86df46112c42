//! 401 and 403, and their precedence over other errors.

use reqwest::Method;
use rollcall_model::quota::Limits;

use super::{id_of, until_status};
use crate::harness::{Engine, HIGH_LIMITS, Server, TestResponse, create_key, shared};

const MISSING: &str = "API key required: send it in the X-API-Key header or the api_key query parameter";
const INVALID: &str = "Invalid API key";
const DISABLED: &str = "API key disabled";

/// Paths that are 200, 400, 404 or 405 with a valid key.
const PATHS: [&str; 7] =
    ["/servers", "/servers?limit=abc", "/servers?search=%FF", "/players/nobody", "/players/%FF", "/nothing", ""];

fn assert_refused(response: &TestResponse, status: u16, error: &str) {
    assert_eq!((response.status, response.error().as_str()), (status, error));
    assert_eq!(response.header("x-ratelimit-limit-minute"), None);
    assert_eq!(response.header("retry-after"), None);
}

#[tokio::test]
async fn without_a_key_everything_is_401() {
    for engine in Engine::BOTH {
        for path in PATHS {
            for method in [Method::GET, Method::POST, Method::DELETE] {
                assert_refused(&shared(engine).send(method, path, &[]).await, 401, MISSING);
            }
            assert_refused(&shared(engine).send(Method::GET, path, &[("x-api-key", "")]).await, 401, MISSING);
            assert_refused(&shared(engine).send(Method::GET, path, &[("x-api-key", "  ")]).await, 401, MISSING);
        }
    }
}

#[tokio::test]
async fn an_unknown_key_is_401() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        // Well-formed, but of another store.
        let foreign = Server::with_keys(engine, &[HIGH_LIMITS]).1.remove(0);
        let reversed = server.key.chars().rev().collect::<String>();
        let (longer, shorter) = (format!("{}0", server.key), server.key[..38].to_owned());
        let upper = server.key.to_uppercase();
        for key in [foreign.as_str(), &reversed, &longer, &shorter, &upper, "x", "rc_", "' or 1=1 --", "Bearer x"] {
            for path in PATHS {
                let response = server.send(Method::GET, path, &[("x-api-key", key)]).await;
                assert_refused(&response, 401, INVALID);
                assert_eq!(response.header("www-authenticate"), Some("ApiKey"));
            }
            let encoded = percent_encoding::utf8_percent_encode(key, percent_encoding::NON_ALPHANUMERIC);
            assert_refused(&server.send(Method::GET, &format!("/servers?api_key={encoded}"), &[]).await, 401, INVALID);
        }
        let bytes = b"GET /v1/servers HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-api-key: \xff\xfe\r\n\r\n";
        let response = String::from_utf8(server.wire(bytes)).unwrap();
        assert!(
            response.starts_with("HTTP/1.1 401 ") && response.ends_with(&format!("\"error\":\"{INVALID}\"}}")),
            "{response}"
        );
    }
}

#[tokio::test]
async fn the_key_is_read_from_the_header_before_the_query() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let good = format!("/capes?api_key={}", server.key);
        let plain = server.get("/capes").await;
        for path in
            [good.clone(), format!("/capes?%61pi_key={}", server.key), format!("/capes?&&api_key={}&x", server.key)]
        {
            let response = server.send(Method::GET, &path, &[]).await;
            assert_eq!((response.status, &response.body), (200, &plain.body));
        }
        assert_refused(&server.send(Method::GET, &good, &[("x-api-key", "x")]).await, 401, INVALID);
        for empty in ["", " "] {
            let response = server.send(Method::GET, &good, &[("x-api-key", empty)]).await;
            assert_eq!((response.status, &response.body), (200, &plain.body), "an empty header counts as none");
            assert_refused(&server.send(Method::GET, "/capes", &[("x-api-key", empty)]).await, 401, MISSING);
        }
        let both = server.send(Method::GET, "/capes?api_key=x", &[("x-api-key", &server.key)]).await;
        assert_eq!(both.status, 200);
        // The first of two parameters counts.
        let twice = format!("/capes?api_key=x&api_key={}", server.key);
        assert_refused(&server.send(Method::GET, &twice, &[]).await, 401, INVALID);
        assert_refused(&server.send(Method::GET, "/capes?api_key=", &[]).await, 401, MISSING);
    }
}

#[tokio::test]
async fn no_response_contains_the_key() {
    let server = shared(Engine::Sqlite);
    for path in ["/servers", "/servers?limit=abc", "/players/nobody", "/nothing", "/servers?search=%FF", "/players/%FF"]
    {
        for (key, header) in [(server.key.as_str(), None), ("rc_wrong", None), (&server.key, Some("rc_wrong"))] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let headers: Vec<(&str, &str)> = header.map(|key| ("x-api-key", key)).into_iter().collect();
            let response = server.send(Method::GET, &format!("{path}{joint}api_key={key}"), &headers).await;
            let head = format!("{:?}", response.headers);
            for secret in [&server.key, "rc_wrong"] {
                assert!(!head.contains(secret) && !String::from_utf8_lossy(&response.body).contains(secret), "{path}");
            }
        }
    }
}

#[tokio::test]
async fn disabling_and_enabling_take_effect_on_a_running_server() {
    const LIMIT: u32 = 5_000;
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: LIMIT, ..HIGH_LIMITS }]);
        let (key, id) = (&keys[0], id_of(&server.store, LIMIT));
        let switch = |to: &str| assert!(server.store.rollcall(&["key", to, &id]).status.success());
        assert_eq!(until_status(&server, key, 200).await.1, 1);
        switch("disable");
        let (_, requests) = until_status(&server, key, 403).await;
        for path in PATHS {
            assert_refused(&server.get_as(key, path).await, 403, DISABLED);
        }
        switch("enable");
        // Refused requests use no quota.
        let (response, _) = until_status(&server, key, 200).await;
        let left = LIMIT - 1 - (requests - 1) - 1;
        assert_eq!(response.header("x-ratelimit-remaining-minute"), Some(left.to_string().as_str()));
    }
}

#[tokio::test]
async fn disabled_takes_precedence_over_used_up() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: 1, ..HIGH_LIMITS }]);
        until_status(&server, &keys[0], 200).await;
        until_status(&server, &keys[0], 429).await;
        assert!(server.store.rollcall(&["key", "disable", &id_of(&server.store, 1)]).status.success());
        until_status(&server, &keys[0], 403).await;
    }
}

#[tokio::test]
async fn a_new_key_works_on_a_running_server() {
    for engine in Engine::BOTH {
        let server = Server::empty(engine);
        let key = create_key(&server.store, HIGH_LIMITS);
        until_status(&server, &key, 200).await;
    }
}
