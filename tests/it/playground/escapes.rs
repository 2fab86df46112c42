//! The playground reaches the documented endpoints only, and uses no API key.

use rollcall::v1::ENDPOINTS;

use super::*;
use crate::harness::shared;

/// One is about the key, the other never ends.
const NEED_A_KEY: [&str; 2] = ["/key", "/events/stream"];

/// A server with high playground limits.
fn unlimited(engine: Engine) -> Server {
    serving(engine, raise_limits)
}

/// The same with the shared test data.
fn unlimited_with_data(engine: Engine) -> Server {
    Server::set_up(shared(engine).store.clone(), NOW, raise_limits)
}

fn raise_limits(config: &mut Config) {
    config.playground.runs_per_check = 100_000;
    config.playground.per_minute = 100_000;
    config.playground.per_day = 100_000;
}

#[tokio::test]
async fn every_documented_endpoint_can_be_run_unless_it_needs_a_key() {
    for engine in Engine::BOTH {
        let server = unlimited_with_data(engine);
        let token = pass(&server).await;
        let first = |data: Value, list: &str, name: &str| data[list][0][name].as_str().expect("a name").to_owned();
        let slug = |path: &str| match path.split('/').nth(1) {
            Some("servers") => ("/servers", "servers", "slug"),
            Some("players") => ("/players", "players", "gameUuid"),
            Some("skins") => ("/skins", "skins", "slug"),
            _ => ("/capes", "capes", "slug"),
        };
        for endpoint in ENDPOINTS {
            let mut path = endpoint.path.to_owned();
            if let Some(at) = path.find('{') {
                let (list, items, name) = slug(&path);
                let end = path.find('}').expect("a brace") + 1;
                path.replace_range(at..end, &first(server.get(list).await.data(), items, name));
            }
            path += match endpoint.path {
                "/search" => "?q=craft",
                "/servers/batch" => "?slugs=a",
                "/players/batch" => "?ids=a",
                "/history" => "?servers=a",
                _ => "",
            };
            let answer = run(&server, &token, &path).await;
            if NEED_A_KEY.contains(&path.as_str()) {
                let message = "API key required: send it in the X-API-Key header or the api_key query parameter";
                assert_eq!(error_of(&answer), (401, message.to_owned()), "{path}");
                assert_eq!(answer.header("x-playground-runs-left"), None, "{path}");
                continue;
            }
            assert_eq!(answer.status, 200, "{path}");
            assert_eq!(answer.json(), server.get(&path).await.json(), "{path}");
        }
    }
}

/// Paths below `/playground/v1` that are not endpoints.
const UNKNOWN_PATHS: [&str; 34] = [
    "",
    "/",
    "/nothing",
    "/Servers",
    "/servers/",
    "//servers",
    "/servers//",
    "/servers//voters",
    "/./servers/./",
    "/%2e/servers",
    "/../healthz",
    "/..%2fhealthz",
    "/%2e%2e/healthz",
    "/%2e%2e%2fhealthz",
    "/%252e%252e/healthz",
    "/..%5chealthz",
    "/servers/../../../healthz",
    "/servers/%2e%2e/%2e%2e/readyz",
    "/%2fhealthz",
    "/%2f%2fhealthz",
    "/%5c%5chealthz",
    "/v1/servers",
    "/playground/v1/servers",
    "/servers%2flist",
    "/servers%00",
    "/servers%3flimit=1",
    "/servers%23",
    "/servers;x=1",
    "/live/now/x",
    "/media/skin/x.png",
    "/openapi.json",
    "/@127.0.0.1/healthz",
    "/http://127.0.0.1/healthz",
    "/%68ttp:%2f%2f127.0.0.1",
];

/// A pass does not open these, nor does a key in its place.
#[tokio::test]
async fn what_needs_a_key_takes_no_run_and_no_key() {
    for engine in Engine::BOTH {
        let server = unlimited_with_data(engine);
        let token = pass(&server).await;
        for path in NEED_A_KEY {
            for headers in [vec![], vec![("x-api-key", server.key.as_str())]] {
                assert_eq!(run_as(&server, &token, path, &headers).await.status, 401, "{path}");
            }
            assert_eq!(run(&server, &token, &format!("{path}?api_key={}", server.key)).await.status, 401, "{path}");
        }
        let answer = run(&server, &token, "/servers").await;
        assert_eq!(answer.header("x-playground-runs-left"), Some("99999"), "no run is used up");
    }
}

#[tokio::test]
async fn only_documented_paths_are_reachable() {
    let server = unlimited(Engine::Sqlite);
    let token = pass(&server).await;
    let head = |target: &str| {
        format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx-playground-pass: {token}\r\n\r\n")
    };
    let ask = |target: &str| String::from_utf8_lossy(&server.wire(head(target).as_bytes())).into_owned();
    for path in UNKNOWN_PATHS {
        let answer = ask(&format!("/playground/v1{path}"));
        assert!(answer.starts_with("HTTP/1.1 404 "), "{path}: {answer}");
        assert!(answer.contains(r#"{"success":false,"error":"Path not found; "#), "{path}: {answer}");
    }
    for (target, status) in [
        ("/playground/v1/servers/%ff", 400),
        ("/playground/v1/servers/%c0%ae%c0%ae", 400),
        ("/playground/v2/servers", 404),
        ("/playground/../v1/servers", 404),
        ("/playground/%2e%2e/v1/servers", 404),
        ("/playground//v1/servers", 404),
        ("//playground/v1/servers", 404),
        ("/playground\\v1\\servers", 404),
        ("/playground/v1\\servers", 404),
        ("/PLAYGROUND/v1/servers", 404),
        ("http://127.0.0.1:1/healthz/playground/v1", 404),
        ("*", 400),
        ("/playground/v1/servers\0", 400),
        ("/playground/v1/ servers", 400),
    ] {
        let answer = ask(target);
        // hyper rejects malformed requests.
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status} "))
                || (status == 400 && answer.starts_with("HTTP/1.1 404 ")),
            "{target}: {answer}"
        );
        assert!(!answer.contains("\"success\":true"), "{target}: {answer}");
    }
    // An absolute URL is treated like its path, if its host is ours.
    assert!(ask("http://localhost/playground/v1/servers").starts_with("HTTP/1.1 200 "));
    assert!(ask("http://elsewhere.example/playground/v1/servers").starts_with("HTTP/1.1 421 "));
    let answer = run(&server, &token, "/servers").await;
    assert_eq!(answer.header("x-playground-runs-left"), Some("99998"));
}

#[tokio::test]
async fn encoded_segments_are_plain_names() {
    let server = unlimited(Engine::Sqlite);
    let token = pass(&server).await;
    for name in
        ["%2e%2e", "..%2f..%2fhealthz", "%252e%252e%252f", "%5c..%5c", "a%00b", "%2fv1%2fservers", "'%20or%201=1"]
    {
        for path in [format!("/servers/{name}"), format!("/players/{name}"), format!("/servers/{name}/voters")] {
            let answer = run(&server, &token, &path).await;
            assert_eq!((answer.status, answer.json()["success"].as_bool()), (404, Some(false)), "{path}");
            assert_eq!(answer.json(), server.get(&path).await.json(), "{path}");
        }
    }
}

#[tokio::test]
async fn only_get_is_allowed() {
    let server = unlimited(Engine::Sqlite);
    let token = pass(&server).await;
    for name in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "get", "X"] {
        let method = Method::from_bytes(name.as_bytes()).unwrap();
        for headers in [&[][..], &[("x-http-method-override", "GET"), ("access-control-request-method", "GET")]] {
            let headers = [&[("x-playground-pass", token.as_str())], headers].concat();
            let answer = server.raw(method.clone(), "/playground/v1/servers", &headers).await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("GET")), "{name}");
            assert_same_origin_only(&answer);
        }
        if name != "POST" {
            let answer = server.raw(method, "/playground/pass", &[]).await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")), "{name}");
        }
    }
    assert_eq!(rate_headers(&run(&server, &token, "/servers").await)[4], Some(99_999));
}

#[tokio::test]
async fn api_keys_are_ignored_and_not_charged() {
    for engine in Engine::BOTH {
        let server = unlimited(engine);
        let token = pass(&server).await;
        let key = server.key.clone();
        let before = server.get("/servers").await;
        let remaining =
            |answer: &TestResponse| -> i64 { answer.header("x-ratelimit-remaining-minute").unwrap().parse().unwrap() };
        for (path, headers) in [
            (format!("/servers?api_key={key}"), &[][..]),
            (format!("/servers?%61pi_key={key}"), &[]),
            (format!("/servers?limit=1&api_key={key}&api_key=rc_x"), &[]),
            ("/servers".into(), &[("x-api-key", key.as_str())]),
            ("/servers".into(), &[("x-api-key", "rc_wrong")]),
            ("/servers".into(), &[("authorization", "Bearer x"), ("cookie", "a=b"), ("x-api-key", "")]),
            (format!("/nothing?api_key={key}"), &[("x-api-key", key.as_str())]),
        ] {
            let answer = run_as(&server, &token, &path, headers).await;
            assert!(matches!(answer.status, 200 | 404), "{path}");
            assert!(!String::from_utf8_lossy(&answer.body).contains(&key));
        }
        let after = server.get("/servers").await;
        assert_eq!(remaining(&before) - remaining(&after), 1);
        // A key does not replace a pass here, nor a pass a key in the API.
        let alone = server.raw(Method::GET, "/playground/v1/servers", &[("x-api-key", &key)]).await;
        assert_eq!(error_of(&alone).0, 401);
        let there = server.send(Method::GET, "/servers", &[("x-playground-pass", &token)]).await;
        assert_eq!(there.status, 401);
        let store = run_blocking(|| server.stop());
        let used: i64 = run_blocking(|| {
            let mut conn = rollcall_store::Conn::open(&store.database.ledger()).unwrap();
            conn.query_one("select cast(sum(requests) as bigint) from key_usage", &[], |row| row.get(0)).unwrap()
        });
        assert_eq!(used, 2);
    }
}

#[tokio::test]
async fn only_accept_encoding_is_forwarded() {
    let server = unlimited_with_data(Engine::Sqlite);
    let token = pass(&server).await;
    let path = "/servers?limit=50";
    let plain = run(&server, &token, path).await;
    let tag = plain.header("etag").expect("a tag").to_owned();
    // `If-None-Match` is not forwarded: a run returns the whole response.
    let again = run_as(&server, &token, path, &[("if-none-match", &tag), ("range", "bytes=0-1")]).await;
    assert_eq!((again.status, again.body.len()), (200, plain.body.len()));
    let packed = run_as(&server, &token, path, &[("accept-encoding", "gzip")]).await;
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.len() < plain.body.len());
}
