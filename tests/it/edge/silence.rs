//! Who says nothing, or says it too slowly, is closed, and does not slow others meanwhile.

use std::time::Instant;

use super::{Edge, IMPATIENT, PATIENT, PROMISE, until_closed, until_closed_while_sending};

#[test]
fn a_silent_connection_is_closed() {
    let edge = Edge::start(&[IMPATIENT]);
    assert_eq!(until_closed(&mut edge.connect()), "");
    assert_eq!(until_closed(&mut edge.keep_alive()), "");
}

#[test]
fn half_a_head_is_closed() {
    let edge = Edge::start(&[IMPATIENT]);
    for half in [&b"G"[..], b"GET /healthz HTTP/1.1\r\nhost: x\r\n"] {
        assert_eq!(until_closed(&mut edge.send(half)), "");
    }
}

#[test]
fn a_head_that_comes_byte_by_byte_is_closed() {
    let edge = Edge::start(&[IMPATIENT]);
    let mut stream = edge.send(b"GET /healthz HTTP/1.1\r\nx: ");
    assert_eq!(until_closed_while_sending(&mut stream, Some(b'x')), "");
}

#[test]
fn the_usual_patience_keeps_the_promise() {
    let edge = Edge::start(&[]);
    let started = Instant::now();
    let mut streams = [edge.connect(), edge.send(b"GET"), edge.keep_alive()];
    for stream in &mut streams {
        until_closed(stream);
    }
    assert!(started.elapsed() < PROMISE, "{:?}", started.elapsed());
}

#[test]
fn many_stalled_connections_do_not_slow_others() {
    let edge = Edge::start(&[PATIENT]);
    let stalled: Vec<_> = (0..400).map(|_| edge.send(b"GET /healthz HTTP/1.1\r\n")).collect();
    for _ in 0..20 {
        edge.keep_alive();
    }
    drop(stalled);
}

#[test]
fn when_every_place_is_taken_the_next_waits_for_one() {
    let edge = Edge::start(&[IMPATIENT, ("ROLLCALL_HTTP_MAX_CONNECTIONS", "1")]);
    let silent = edge.connect();
    edge.keep_alive();
    drop(silent);
}
