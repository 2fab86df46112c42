//! Who gets in: 401 and 403, and what is asked before what.

use reqwest::Method;
use rollcall_model::quota::Limits;

use super::{id_of, until_status};
use crate::harness::{Answer, Engine, PLENTY, Server, create_key, shared};

const MISSING: &str = "An API key is needed: send it in the X-API-Key header or the api_key parameter";
const INVALID: &str = "This API key is not valid";
const DISABLED: &str = "This API key is disabled";

/// Paths that would be 200, 400, 404 and 405 for whoever gets in.
const PATHS: [&str; 7] =
    ["/servers", "/servers?limit=abc", "/servers?search=%FF", "/players/nobody", "/players/%FF", "/nothing", ""];

fn assert_refused(answer: &Answer, status: u16, told: &str) {
    assert_eq!((answer.status, answer.error().as_str()), (status, told));
    assert_eq!(answer.header("x-ratelimit-limit-minute"), None);
    assert_eq!(answer.header("retry-after"), None);
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
async fn a_key_that_nobody_holds_is_401() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        // Well-formed, but of another store.
        let stranger = Server::with_keys(engine, &[PLENTY]).1.remove(0);
        let twisted = server.key.chars().rev().collect::<String>();
        let (longer, shorter) = (format!("{}0", server.key), server.key[..38].to_owned());
        let upper = server.key.to_uppercase();
        for key in [stranger.as_str(), &twisted, &longer, &shorter, &upper, "x", "rc_", "' or 1=1 --", "Bearer x"] {
            for path in PATHS {
                let answer = server.send(Method::GET, path, &[("x-api-key", key)]).await;
                assert_refused(&answer, 401, INVALID);
                assert_eq!(answer.header("www-authenticate"), Some("ApiKey"));
            }
            let encoded = percent_encoding::utf8_percent_encode(key, percent_encoding::NON_ALPHANUMERIC);
            assert_refused(&server.send(Method::GET, &format!("/servers?api_key={encoded}"), &[]).await, 401, INVALID);
        }
        let bytes = b"GET /v1/servers HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-api-key: \xff\xfe\r\n\r\n";
        let answer = String::from_utf8(server.wire(bytes)).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 401 ") && answer.ends_with(&format!("\"error\":\"{INVALID}\"}}")),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn the_key_may_stand_in_the_header_or_the_query_and_the_header_counts() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let good = format!("/capes?api_key={}", server.key);
        let plain = server.get("/capes").await;
        for path in
            [good.clone(), format!("/capes?%61pi_key={}", server.key), format!("/capes?&&api_key={}&x", server.key)]
        {
            let answer = server.send(Method::GET, &path, &[]).await;
            assert_eq!((answer.status, &answer.body), (200, &plain.body));
        }
        assert_refused(&server.send(Method::GET, &good, &[("x-api-key", "x")]).await, 401, INVALID);
        assert_refused(&server.send(Method::GET, &good, &[("x-api-key", "")]).await, 401, MISSING);
        let both = server.send(Method::GET, "/capes?api_key=x", &[("x-api-key", &server.key)]).await;
        assert_eq!(both.status, 200);
        // Of two, the first counts.
        let twice = format!("/capes?api_key=x&api_key={}", server.key);
        assert_refused(&server.send(Method::GET, &twice, &[]).await, 401, INVALID);
        assert_refused(&server.send(Method::GET, "/capes?api_key=", &[]).await, 401, MISSING);
    }
}

#[tokio::test]
async fn the_key_is_in_no_answer() {
    let server = shared(Engine::Sqlite);
    for path in ["/servers", "/servers?limit=abc", "/players/nobody", "/nothing", "/servers?search=%FF", "/players/%FF"]
    {
        for (key, header) in [(server.key.as_str(), None), ("rc_wrong", None), (&server.key, Some("rc_wrong"))] {
            let joint = if path.contains('?') { '&' } else { '?' };
            let headers: Vec<(&str, &str)> = header.map(|key| ("x-api-key", key)).into_iter().collect();
            let answer = server.send(Method::GET, &format!("{path}{joint}api_key={key}"), &headers).await;
            let head = format!("{:?}", answer.headers);
            for secret in [&server.key, "rc_wrong"] {
                assert!(!head.contains(secret) && !String::from_utf8_lossy(&answer.body).contains(secret), "{path}");
            }
        }
    }
}

#[tokio::test]
async fn disabling_and_enabling_reach_a_running_server() {
    const LIMIT: u32 = 5_000;
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: LIMIT, ..PLENTY }]);
        let (key, id) = (&keys[0], id_of(&server.store, LIMIT));
        let switch = |to: &str| assert!(server.store.rollcall(&["key", to, &id]).status.success());
        assert_eq!(until_status(&server, key, 200).await.1, 1);
        switch("disable");
        let (_, asked) = until_status(&server, key, 403).await;
        for path in PATHS {
            assert_refused(&server.get_as(key, path).await, 403, DISABLED);
        }
        switch("enable");
        // What was refused has used nothing up.
        let (answer, _) = until_status(&server, key, 200).await;
        let left = LIMIT - 1 - (asked - 1) - 1;
        assert_eq!(answer.header("x-ratelimit-remaining-minute"), Some(left.to_string().as_str()));
    }
}

#[tokio::test]
async fn a_disabled_key_that_is_used_up_is_disabled() {
    for engine in Engine::BOTH {
        let (server, keys) = Server::with_keys(engine, &[Limits { per_minute: 1, ..PLENTY }]);
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
        let key = create_key(&server.store, PLENTY);
        until_status(&server, &key, 200).await;
    }
}
