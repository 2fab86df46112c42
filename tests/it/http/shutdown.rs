//! Graceful shutdown.

use super::{LARGE, LONG_TIMEOUT, MAX_WAIT, TestServer};

#[test]
fn stalled_clients_do_not_delay_a_shutdown() {
    let server = TestServer::start(&[LONG_TIMEOUT, ("ROLLCALL_HTTP_DRAIN_TIMEOUT", "1")]);
    let stalled = [
        server.connect(),
        server.keep_alive(),
        server.send(b"GET /healthz HTTP/1.1\r\n"),
        server.send(&LARGE.repeat(2000)),
    ];
    let (status, took) = server.program.stop("TERM");
    assert!(status.success() && took < MAX_WAIT, "{status} after {took:?}");
    drop(stalled);
}

#[test]
fn sighup_does_not_stop_the_server() {
    let server = TestServer::start(&[]);
    server.program.signal("HUP");
    server.program.until_logged("reloaded the settings");
    server.keep_alive();
}
