//! A stop takes no longer than promised, whatever clients do.

use super::{Edge, LARGE, PATIENT, PROMISE};

#[test]
fn a_stop_is_in_time_though_clients_stall_in_every_way() {
    let edge = Edge::start(&[PATIENT, ("ROLLCALL_HTTP_DRAIN_TIMEOUT", "1")]);
    let stalled =
        [edge.connect(), edge.keep_alive(), edge.send(b"GET /healthz HTTP/1.1\r\n"), edge.send(&LARGE.repeat(2000))];
    let (status, took) = edge.program.stop("TERM");
    assert!(status.success() && took < PROMISE, "{status} after {took:?}");
    drop(stalled);
}

#[test]
fn a_hangup_does_not_end_it() {
    let edge = Edge::start(&[]);
    edge.program.signal("HUP");
    edge.program.until_logged("there is nothing to read anew");
    edge.keep_alive();
}
