//! Each address may have so many connections.

use std::time::Instant;

use super::{Edge, PATIENT, PROMISE, until_closed};

const TWO: (&str, &str) = ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "2");
const HINT: &str = "http.trusted_proxies";

#[test]
fn an_address_with_too_many_connections_is_told_so() {
    let edge = Edge::start(&[PATIENT, TWO]);
    let (first, second) = (edge.keep_alive(), edge.keep_alive());
    for _ in 0..3 {
        let answer = until_closed(&mut edge.connect());
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer");
        assert!(head.starts_with("HTTP/1.1 429 Too Many Requests\r\n"), "{head}");
        for header in
            ["connection: close", "retry-after: 10", "content-type: application/json", "cache-control: no-store"]
        {
            assert!(head.contains(header), "{head}");
        }
        assert!(head.contains(&format!("content-length: {}", body.len())), "{head}");
        assert_eq!(body, r#"{"success":false,"error":"Too many connections from this address"}"#);
    }
    // However often it happens, the log says it once in a while, and what to do if it should not happen.
    edge.program.until_logged(HINT);
    assert_eq!(edge.program.log().matches(HINT).count(), 1, "{}", edge.program.log());
    drop(first);
    let deadline = Instant::now() + PROMISE;
    while !until_closed(&mut edge.send(b"GET /healthz HTTP/1.0\r\n\r\n")).starts_with("HTTP/1.0 200") {
        assert!(Instant::now() < deadline, "a place that became free is not given to anyone");
    }
    drop(second);
}

#[test]
fn a_trusted_proxy_may_have_any_number() {
    let edge = Edge::start(&[PATIENT, TWO, ("ROLLCALL_HTTP_TRUSTED_PROXIES", "10.0.0.0/8,127.0.0.1")]);
    let many: Vec<_> = (0..10).map(|_| edge.keep_alive()).collect();
    assert!(!edge.program.log().contains(HINT));
    drop(many);
}
