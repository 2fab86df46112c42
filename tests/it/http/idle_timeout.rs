//! Slowloris: idle connections and slow headers are closed, and do not slow down other clients.

use std::time::Instant;

use super::{LONG_TIMEOUT, MAX_WAIT, SHORT_TIMEOUT, TestServer, until_closed, until_closed_while_sending};

#[test]
fn an_idle_connection_is_closed() {
    let server = TestServer::start(&[SHORT_TIMEOUT]);
    assert_eq!(until_closed(&mut server.connect()), "");
    assert_eq!(until_closed(&mut server.keep_alive()), "");
}

#[test]
fn incomplete_headers_are_closed() {
    let server = TestServer::start(&[SHORT_TIMEOUT]);
    for half in [&b"G"[..], b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n"] {
        assert_eq!(until_closed(&mut server.send(half)), "");
    }
}

#[test]
fn headers_that_arrive_byte_by_byte_are_closed() {
    let server = TestServer::start(&[SHORT_TIMEOUT]);
    let mut stream = server.send(b"GET /healthz HTTP/1.1\r\nx: ");
    assert_eq!(until_closed_while_sending(&mut stream, Some(b'x')), "");
}

#[test]
fn the_default_timeout_closes_within_ten_seconds() {
    let server = TestServer::start(&[]);
    let started = Instant::now();
    let mut streams = [server.connect(), server.send(b"GET"), server.keep_alive()];
    for stream in &mut streams {
        until_closed(stream);
    }
    assert!(started.elapsed() < MAX_WAIT, "{:?}", started.elapsed());
}

#[test]
fn stalled_connections_do_not_slow_down_others() {
    let server = TestServer::start(&[LONG_TIMEOUT]);
    let stalled: Vec<_> = (0..400).map(|_| server.send(b"GET /healthz HTTP/1.1\r\n")).collect();
    for _ in 0..20 {
        server.keep_alive();
    }
    drop(stalled);
}
