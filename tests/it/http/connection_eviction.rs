//! A few clients that hold all connections or all uploads make room for others.

use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::time::Instant;

use super::request_limits::TableLock;
use super::{LONG_TIMEOUT, MAX_WAIT, METRICS, TestServer, check_health, closed, until_closed};
use crate::harness::{Engine, Store};

const MAX_CONNECTIONS: &str = "ROLLCALL_HTTP_MAX_CONNECTIONS";

/// An address in a network of its own.
fn address(network: u8) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, network, 1)
}

/// A connection from this address that has had one response and is idle.
fn idle_from(server: &TestServer, source: Ipv4Addr) -> TcpStream {
    let mut stream = server.connect_from(source);
    check_health(&mut stream);
    stream
}

/// How many of the connections the server has closed.
fn count_closed(streams: &mut [TcpStream]) -> usize {
    streams.iter_mut().filter_map(|stream| closed(stream, &mut Vec::new()).then_some(())).count()
}

/// What the first of these to close has received.
fn until_one_closes(streams: &mut [TcpStream]) -> String {
    let deadline = Instant::now() + MAX_WAIT;
    let mut received = vec![Vec::new(); streams.len()];
    loop {
        for (stream, received) in streams.iter_mut().zip(&mut received) {
            if closed(stream, received) {
                return String::from_utf8_lossy(received).into_owned();
            }
        }
        assert!(Instant::now() < deadline, "all are still open");
    }
}

/// The beginning of a form.
fn slow_form(server: &TestServer, client: &str) -> String {
    format!(
        "POST /sign-in HTTP/1.1\r\nhost: localhost\r\norigin: {}\r\nx-forwarded-for: {client}\r\n\
         connection: close\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 3\r\n\r\na",
        server.program.url
    )
}

#[test]
fn new_clients_are_served_when_a_few_addresses_hold_all_connections() {
    let server = TestServer::start(&[
        LONG_TIMEOUT,
        METRICS,
        (MAX_CONNECTIONS, "60"),
        ("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", "3"),
    ]);
    // Twenty addresses, each within its limit; all connections are in use and none expires.
    let mut held: Vec<_> = (1..=20).flat_map(|network| [address(network); 3]).map(|a| idle_from(&server, a)).collect();
    // New clients get responses and keep their connections: they take those of the busiest networks, not of each other.
    let mut new: Vec<_> = (101..=110).map(|network| idle_from(&server, address(network))).collect();
    new.iter_mut().for_each(check_health);
    let mut api = server.connect_from(address(120));
    api.write_all(b"GET /v1/servers HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    assert!(until_closed(&mut api).starts_with("HTTP/1.1 401 "));
    let closed = count_closed(&mut held);
    // One for each of the eleven; another one only if it took its time to close.
    assert!((11..20).contains(&closed), "{closed}");
    let counted = format!("rollcall_evicted_total{{what=\"connection\"}} {closed}\n");
    assert!(server.metrics().contains(&counted), "{closed}: {}", server.metrics());
    server.program.until_logged("http.max_connections is reached");
}

#[test]
fn the_busiest_network_loses_a_connection() {
    let server = TestServer::start(&[LONG_TIMEOUT, (MAX_CONNECTIONS, "4")]);
    // The network of 127.0.1.0/24 has three connections, none of its addresses more than one.
    let mut alone = idle_from(&server, address(2));
    let mut network: Vec<_> = (1..=3).map(|host| idle_from(&server, Ipv4Addr::new(127, 0, 1, host))).collect();
    idle_from(&server, address(3));
    assert_eq!(until_one_closes(&mut network), "");
    check_health(&mut alone);
}

#[test]
fn a_request_in_progress_is_not_closed_for_a_new_client() {
    let settings = [LONG_TIMEOUT, (MAX_CONNECTIONS, "4"), ("ROLLCALL_HTTP_REQUEST_TIMEOUT", "60")];
    let server = TestServer::over(Store::new(Engine::Postgres), &settings);
    let held = TableLock::of(&server.store);
    // The busiest address waits for responses; the only idle connections are those of others, one on each worker.
    let mut waiting = [1, 1].map(|network| server.connect_from(address(network)));
    for stream in &mut waiting {
        stream.write_all(b"GET /readyz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").unwrap();
    }
    let mut idle = [2, 3].map(|network| idle_from(&server, address(network)));
    let mut new = idle_from(&server, address(4));
    // Which of them was idle first, the server may see in another order.
    assert_eq!(until_one_closes(&mut idle), "");
    check_health(&mut new);
    drop(held);
    for stream in &mut waiting {
        assert!(until_closed(stream).starts_with("HTTP/1.1 200 "));
    }
}

#[test]
fn a_slow_upload_is_closed_for_a_new_client() {
    let server = TestServer::start(&[LONG_TIMEOUT, METRICS, (MAX_CONNECTIONS, "2")]);
    let mut slow = [1, 2].map(|network| server.connect_from(address(network)));
    for stream in &mut slow {
        stream.write_all(slow_form(&server, "").as_bytes()).unwrap();
    }
    idle_from(&server, address(3));
    // One upload ends with its connection, before its own timeout and without a response.
    assert_eq!(until_one_closes(&mut slow), "");
    assert!(server.metrics().contains("rollcall_evicted_total{what=\"connection\"} 1"), "{}", server.metrics());
}

#[test]
fn forms_work_when_a_few_addresses_hold_all_uploads() {
    let settings = [LONG_TIMEOUT, METRICS, ("ROLLCALL_HTTP_TRUSTED_PROXIES", "127.0.0.1")];
    let server = TestServer::start(&[&settings[..], &[("ROLLCALL_HTTP_MAX_UPLOADS", "8")]].concat());
    let evicted = |server: &TestServer| server.metrics().contains("rollcall_evicted_total{what=\"upload\"} ");
    // One byte of each body from each of four addresses, and forms of a new client until one of them needs room.
    let deadline = Instant::now() + MAX_WAIT;
    let mut slow = Vec::new();
    while !evicted(&server) {
        assert!(Instant::now() < deadline, "no upload is ended");
        slow.extend((1..=8).map(|n| server.send(slow_form(&server, &format!("10.0.{}.1", n % 4)).as_bytes())));
        let form = slow_form(&server, "10.1.0.1") + "=1";
        let response = until_closed(&mut server.send(form.as_bytes()));
        // The form arrives; it is refused for its missing token only.
        assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
    }
    assert!(until_closed(&mut slow[0]).starts_with("HTTP/1.1 408 "));
    server.program.until_logged("http.max_uploads is reached");
}
