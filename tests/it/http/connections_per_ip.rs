//! The limit on connections per client IP.

use std::time::Instant;

use super::{LONG_TIMEOUT, MAX_WAIT, TestServer, until_closed};

const TWO: (&str, &str) = ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "2");
const HINT: &str = "http.trusted_proxies";

#[test]
fn too_many_connections_from_one_ip_are_a_429() {
    let server = TestServer::start(&[LONG_TIMEOUT, TWO]);
    let (first, second) = (server.keep_alive(), server.keep_alive());
    for _ in 0..3 {
        let response = until_closed(&mut server.connect());
        let (head, body) = response.split_once("\r\n\r\n").expect("headers and a body");
        assert!(head.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{head}");
        for header in
            ["connection: close", "retry-after: 10", "content-type: application/json", "cache-control: no-store"]
        {
            assert!(head.contains(header), "{head}");
        }
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert_eq!(body, r#"{"success":false,"error":"Too many connections from this IP address"}"#);
    }
    // The log entry is rate-limited and names the setting to check.
    server.program.until_logged(HINT);
    assert_eq!(server.program.log().matches(HINT).count(), 1, "{}", server.program.log());
    drop(first);
    let deadline = Instant::now() + MAX_WAIT;
    while !until_closed(&mut server.send(b"GET /healthz HTTP/1.0\r\n\r\n")).starts_with("HTTP/1.0 200") {
        assert!(Instant::now() < deadline, "a closed connection does not free its slot");
    }
    drop(second);
}

#[test]
fn a_trusted_proxy_has_no_connection_limit() {
    let server = TestServer::start(&[LONG_TIMEOUT, TWO, ("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.0/8,127.0.0.1")]);
    let many: Vec<_> = (0..10).map(|_| server.keep_alive()).collect();
    assert!(!server.program.log().contains(HINT));
    drop(many);
}
