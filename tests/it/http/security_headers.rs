//! Security headers.

use reqwest::Method;

use super::TestServer;
use crate::harness::{Engine, PUBLIC_URL, shared};

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let server = shared(Engine::Sqlite);
    let key = server.key.as_str();
    let skin = server.get("/skins/default-classic").await.data()["skin"]["pngPath"].clone();
    let picture = skin.as_str().and_then(|url| url.strip_prefix(PUBLIC_URL)).expect("a picture");
    let long = format!("/v1/servers?search={}", "x".repeat(9000));
    for (method, path, status) in [
        (Method::GET, "/v1/servers", 200),
        (Method::GET, "/v1/servers?api_key=x", 401),
        (Method::GET, "/v1/nothing", 404),
        (Method::GET, "/v1/servers?limit=0", 400),
        (Method::POST, "/v1/servers", 405),
        (Method::OPTIONS, "/v1/servers", 204),
        (Method::GET, &long, 414),
        (Method::GET, picture, 200),
        (Method::GET, "/media/icon/nothing.png", 404),
        (Method::GET, "/openapi.json", 200),
        (Method::GET, "/healthz", 200),
        (Method::POST, "/healthz", 405),
        (Method::GET, "/readyz", 200),
        (Method::GET, "/nothing", 404),
    ] {
        let headers = [("x-api-key", key)];
        let sent = if status == 401 { &[][..] } else { &headers };
        let response = server.raw(method, path, sent).await;
        assert_eq!(response.status, status, "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-resource-policy", "cross-origin"),
            ("strict-transport-security", "max-age=31536000"),
        ] {
            assert_eq!(response.header(name), Some(value), "{path}");
        }
        assert_eq!(response.header("server"), None, "{path}");
    }
}

#[tokio::test]
async fn hsts_is_sent_only_with_an_https_public_url() {
    for (settings, expected) in [
        (&[][..], None),
        (&[("ROLLCALL_PUBLIC_URL", "http://stats.example.org")], None),
        (&[("ROLLCALL_PUBLIC_URL", "https://stats.example.org")], Some("max-age=31536000")),
        (
            &[("ROLLCALL_PUBLIC_URL", "https://stats.example.org"), ("ROLLCALL_HTTP_HSTS_INCLUDE_SUBDOMAINS", "true")],
            Some("max-age=31536000; includeSubDomains"),
        ),
    ] {
        let response = TestServer::start(settings).program.get("/healthz", &[]).await;
        assert_eq!(response.header("strict-transport-security"), expected, "{settings:?}");
    }
}
