//! The response envelope and headers of all endpoints.

use std::collections::HashSet;

use reqwest::Method;

use crate::harness::{Engine, Server, TestResponse, both, query, shared};

/// A path of each endpoint with status 200, and its `max-age`.
pub async fn good_paths() -> Vec<(String, u32)> {
    let server = both("/servers?limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
    let player = both("/players?limit=1").await.data()["players"][0]["id"].as_str().unwrap().to_owned();
    let cape = both("/capes?limit=1").await.data()["capes"][0]["slug"].as_str().unwrap().to_owned();
    let paths = [
        ("/servers".into(), 30),
        (format!("/servers/{server}"), 30),
        (format!("/servers/{server}/voters"), 30),
        (format!("/servers/{server}/reviews"), 30),
        (format!("/servers/{server}/updates"), 30),
        ("/servers/top".into(), 30),
        ("/servers/countries".into(), 300),
        ("/servers/versions".into(), 300),
        ("/players".into(), 30),
        (format!("/players/{player}"), 30),
        ("/search?q=an".into(), 30),
        ("/live".into(), 10),
        ("/live/history".into(), 300),
        ("/leaderboards".into(), 30),
        ("/skins".into(), 30),
        ("/skins/default-classic".into(), 30),
        ("/capes".into(), 30),
        (format!("/capes/{cape}"), 30),
        (format!("/servers/{server}/history"), 30),
        (format!("/servers/{server}/outages"), 30),
        (format!("/servers/{server}/explain"), 30),
        (format!("/servers/batch?slugs={server}"), 30),
        (format!("/players/batch?ids={player}"), 30),
        (format!("/history?servers={server}"), 30),
    ];
    paths.into()
}

const EXPOSED: &str = "X-RateLimit-Limit-Minute, X-RateLimit-Remaining-Minute, X-RateLimit-Limit-Day, \
                       X-RateLimit-Remaining-Day, X-RateLimit-Limit-Month, X-RateLimit-Remaining-Month, \
                       Retry-After, ETag, Link, X-Request-Id";

/// Checks the headers of every response below `/v1`.
fn assert_common(response: &TestResponse, what: &str) {
    assert_eq!(response.header("access-control-allow-origin"), Some("*"), "{what}");
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{what}");
    assert_eq!(response.header("x-request-id").map(str::len), Some(16), "{what}");
    if response.status != 204 {
        assert_eq!(response.header("access-control-expose-headers"), Some(EXPOSED), "{what}");
    }
    if response.status >= 400 {
        assert_eq!(response.header("content-type"), Some("application/json"), "{what}");
        assert_eq!(response.header("cache-control"), Some("no-store"), "{what}");
        assert_eq!(response.header("etag"), None, "{what}");
    }
}

#[tokio::test]
async fn every_endpoint_has_a_max_age() {
    for (path, seconds) in good_paths().await {
        let response = both(&path).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("cache-control"), Some(format!("private, max-age={seconds}").as_str()), "{path}");
        assert_eq!(response.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(response.header("vary"), Some("Accept-Encoding, X-API-Key"), "{path}");
        assert_common(&response, &path);
    }
}

#[tokio::test]
async fn head_equals_get_without_the_body() {
    for engine in Engine::BOTH {
        let server = shared(engine);
        let failing = ["/nothing", "/servers/nothing", "/servers?limit=0"].map(|path| (path.to_owned(), 0));
        for (path, _) in good_paths().await.into_iter().chain(failing) {
            let key = [("x-api-key", server.key.as_str()), ("accept-encoding", "gzip")];
            let get = server.raw(Method::GET, &format!("/v1{path}"), &key).await;
            let head = server.raw(Method::HEAD, &format!("/v1{path}"), &key).await;
            assert_eq!((head.status, head.body.len()), (get.status, 0), "{path}");
            let said = |response: &TestResponse| {
                let mut headers = response.headers.clone();
                // These differ between responses.
                for name in ["x-request-id", "date"] {
                    headers.remove(name);
                }
                for window in ["minute", "day", "month"] {
                    headers.remove(format!("x-ratelimit-remaining-{window}"));
                }
                headers
            };
            assert_eq!(said(&head), said(&get), "{path}");
            assert_eq!(head.header("content-length"), Some(get.body.len().to_string().as_str()), "{path}");
        }
    }
}

#[tokio::test]
async fn unknown_paths_are_404_in_the_envelope() {
    for path in
        ["", "/", "/nothing", "/servers/", "/servers//voters", "/Servers", "/servers/a/b", "/live/x", "//servers"]
    {
        let response = both(path).await;
        assert_eq!(response.status, 404, "{path}");
        assert_eq!(response.error(), "Path not found; /openapi.json lists all paths");
        assert_common(&response, path);
    }
    let outside = shared(Engine::Sqlite).raw(Method::GET, "/v2/servers", &[]).await;
    assert_eq!((outside.status, outside.body.as_slice()), (404, b"Not found.\n".as_slice()));
}

#[tokio::test]
async fn only_get_and_head_are_allowed() {
    let server = shared(Engine::Sqlite);
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "PURGE", "get"] {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        for path in ["/servers", "/players/nobody", "/servers?limit=0"] {
            let response = server.send(method.clone(), path, &[("x-api-key", &server.key)]).await;
            assert_eq!((response.status, response.error().as_str()), (405, "Method not allowed: use GET or HEAD"));
            assert_eq!(response.header("allow"), Some("GET, HEAD, OPTIONS"));
            assert_common(&response, method.as_str());
        }
    }
}

#[tokio::test]
async fn a_preflight_needs_no_key() {
    for path in ["/servers", "/players/nobody", "/nothing"] {
        let asked = [("origin", "https://example.org"), ("access-control-request-method", "GET")];
        let response = shared(Engine::Sqlite).send(Method::OPTIONS, path, &asked).await;
        assert_eq!(response.status, 204);
        assert_eq!(response.header("access-control-allow-methods"), Some("GET, HEAD, OPTIONS"));
        assert_eq!(response.header("access-control-allow-headers"), Some("X-API-Key, If-None-Match"));
        assert_eq!(response.header("access-control-max-age"), Some("86400"));
        assert_common(&response, path);
    }
}

#[tokio::test]
async fn a_preflight_allows_the_headers_that_a_browser_asks_for() {
    let long = "x-a, ".repeat(300);
    for (requested, allowed) in [
        ("x-api-key", "x-api-key"),
        (
            "cache-control, traceparent, x-api-key, x-requested-with",
            "cache-control, traceparent, x-api-key, x-requested-with",
        ),
        ("", "X-API-Key, If-None-Match"),
        ("x-a: <script>", "X-API-Key, If-None-Match"),
        (&long, "X-API-Key, If-None-Match"),
    ] {
        let asked = [("origin", "https://example.org"), ("access-control-request-headers", requested)];
        let response = shared(Engine::Sqlite).send(Method::OPTIONS, "/servers", &asked).await;
        assert_eq!((response.status, response.header("access-control-allow-headers")), (204, Some(allowed)));
        assert_eq!(response.header("vary"), Some("Access-Control-Request-Headers"));
    }
}

#[tokio::test]
async fn errors_have_cors_headers() {
    let server = shared(Engine::Sqlite);
    let long = format!("/servers?search={}", "x".repeat(9000));
    for (path, key, status) in [
        ("/servers", "", 401),
        ("/servers", "rc_wrong", 401),
        ("/servers?limit=0", server.key.as_str(), 400),
        ("/servers/nothing", &server.key, 404),
        (&long, &server.key, 414),
    ] {
        let response = server.send(Method::GET, path, &[("x-api-key", key), ("origin", "https://example.org")]).await;
        assert_eq!(response.status, status);
        assert_common(&response, path);
    }
}

#[tokio::test]
async fn every_response_has_its_own_request_id() {
    let server = shared(Engine::Sqlite);
    let mut ids = HashSet::new();
    for path in ["/servers", "/servers", "/nothing", "/servers?limit=0"] {
        for key in [server.key.as_str(), "x"] {
            // A request id sent by the client is ignored.
            let response = server.send(Method::GET, path, &[("x-api-key", key), ("x-request-id", "mine")]).await;
            assert!(ids.insert(response.header("x-request-id").unwrap().to_owned()));
        }
    }
}

#[tokio::test]
async fn a_uri_over_8_kib_is_414() {
    let server = shared(Engine::Sqlite);
    let fixed = "/v1/servers?search=".len();
    for (length, status) in [(8 * 1024, 200), (8 * 1024 + 1, 414), (15 * 1024, 414)] {
        let response = server.get(&format!("/servers?search={}", "x".repeat(length - fixed))).await;
        assert_eq!(response.status, status, "{length}");
        if status == 414 {
            assert_eq!(response.error(), "The request URI must not exceed 8 KiB");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_not_utf8_are_400() {
    for (path, told) in [
        ("/servers?search=%FF", "search must be percent-encoded UTF-8"),
        ("/servers?unknown=%C3%28", "unknown must be percent-encoded UTF-8"),
        ("/servers?%FF=1", "a parameter name must be percent-encoded UTF-8"),
        ("/servers/%FF", "the path must be percent-encoded UTF-8"),
        ("/players/a%ED%A0%80", "the path must be percent-encoded UTF-8"),
    ] {
        let response = both(path).await;
        assert_eq!((response.status, response.error().as_str()), (400, told), "{path}");
    }
    // A percent sign that encodes nothing is literal.
    assert_eq!(both("/servers?search=100%").await.status, 200);
}

#[tokio::test]
async fn the_first_of_a_repeated_parameter_counts_and_unknown_ones_do_not() {
    let plain = both("/capes?limit=2").await;
    for same in
        ["limit=2&limit=0", "limit=2&limit=abc&limit=7", "limit=2&nonsense=1&Limit=9", "%6Cimit=2", "&limit=2&&"]
    {
        assert_eq!(both(&query("/capes", same)).await.body, plain.body, "{same}");
    }
    assert_eq!(both("/capes?limit=0&limit=2").await.status, 400);
    // The first one is empty, which counts as missing.
    assert_eq!(both("/capes?limit=&limit=2").await.body, both("/capes").await.body);
}

#[tokio::test]
async fn an_internal_error_is_a_500_without_its_cause() {
    for engine in Engine::BOTH {
        let server = Server::own(engine);
        let slug =
            server.get("/servers?sort=votes&limit=1").await.data()["servers"][0]["slug"].as_str().unwrap().to_owned();
        server.store.change(|conn| conn.execute_batch("drop table votes"));
        let response = server.get(&format!("/servers/{slug}/voters")).await;
        assert_eq!(response.status, 500);
        assert_eq!(response.error(), "Internal server error, try again later");
        assert!(response.header("x-request-id").is_some());
        assert_eq!(response.header("cache-control"), Some("no-store"));
        // Endpoints without votes still work.
        assert_eq!(server.get(&format!("/servers/{slug}/updates")).await.status, 200);
    }
}

#[tokio::test]
async fn malformed_http_is_a_400() {
    let many = (0..200).map(|i| format!("a{i}: b\r\n")).collect::<String>();
    let long = "a".repeat(20_000);
    for (request, status) in [
        (&b"GET /v1/servers?search=\xff HTTP/1.1\r\nHost: localhost\r\n\r\n"[..], "400"),
        (b"GET /v1/ser vers HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
        (b"\x16\x03\x01 no HTTP at all\r\n\r\n", "400"),
        (format!("GET /v1/servers HTTP/1.1\r\n{many}\r\n").as_bytes(), "431"),
        (format!("GET /v1/servers?search={long} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes(), "431"),
    ] {
        let response = shared(Engine::Sqlite).wire(request);
        let head = String::from_utf8_lossy(&response);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{head}");
    }
}

#[tokio::test]
async fn a_half_closed_connection_gets_its_response() {
    use std::io::{Read, Write};
    let server = shared(Engine::Sqlite);
    let mut stream = std::net::TcpStream::connect(server.address).unwrap();
    let request = format!("GET /v1/capes HTTP/1.1\r\nhost: localhost\r\nx-api-key: {}\r\n\r\n", server.key);
    stream.write_all(request.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK"), "{response}");
}

#[tokio::test]
async fn a_request_needs_exactly_one_host() {
    let server = shared(Engine::Sqlite);
    for (hosts, version, status) in [
        ("", "1.1", "400 Bad Request"),
        ("host: localhost\r\nhost: localhost\r\n", "1.1", "400 Bad Request"),
        ("host: localhost\r\nhost: localhost\r\n", "1.0", "400 Bad Request"),
        ("host: localhost\r\n", "1.1", "401 Unauthorized"),
        ("", "1.0", "401 Unauthorized"),
    ] {
        let request = format!("GET /v1/capes HTTP/{version}\r\n{hosts}connection: close\r\n\r\n");
        let response = String::from_utf8(server.wire(request.as_bytes())).unwrap();
        assert!(response.lines().next().is_some_and(|line| line.ends_with(status)), "{hosts:?}: {response}");
        assert!(response.ends_with('}'), "{response}");
    }
}

#[tokio::test]
async fn an_image_name_with_invalid_utf8_is_not_found() {
    let response = shared(Engine::Sqlite).raw(Method::GET, "/media/icon/%ff", &[]).await;
    assert_eq!((response.status, response.body.as_slice()), (404, &b"Picture not found.\n"[..]));
}
