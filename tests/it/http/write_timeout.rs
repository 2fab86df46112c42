//! Clients that do not read the response are disconnected; slow readers are not.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{LARGE, MAX_WAIT, READ_TIMEOUT, SHORT_TIMEOUT, TestServer};

/// Requests more than all socket buffers hold.
fn request_much(server: &TestServer) -> TcpStream {
    server.send(&LARGE.repeat(2000))
}

/// Waits until a write fails, and runs `meanwhile` between attempts.
fn until_disconnected(mut stream: TcpStream, mut meanwhile: impl FnMut(&mut TcpStream)) {
    let deadline = Instant::now() + MAX_WAIT;
    loop {
        match stream.write(b"G") {
            Err(error) if error.kind() != ErrorKind::WouldBlock => return,
            _ => assert!(Instant::now() < deadline, "still open"),
        }
        #[expect(clippy::disallowed_methods, reason = "polls with a deadline in a blocking thread")]
        std::thread::sleep(READ_TIMEOUT);
        meanwhile(&mut stream);
    }
}

#[test]
fn a_client_that_never_reads_is_disconnected() {
    let server = TestServer::start(&[SHORT_TIMEOUT]);
    until_disconnected(request_much(&server), |_| {});
}

#[test]
fn a_client_that_reads_a_few_bytes_is_disconnected() {
    let server = TestServer::start(&[SHORT_TIMEOUT]);
    until_disconnected(request_much(&server), |stream| {
        let _ = stream.read(&mut [0; 100]);
    });
}

#[test]
fn a_slow_reader_gets_the_whole_response() {
    let server = TestServer::start(&[("ROLLCALL_HTTP_CLIENT_TIMEOUT", "2")]);
    let one = {
        let mut stream = server.send(b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        super::until_closed(&mut stream).len() - "connection: close\r\n".len()
    };
    // The whole response takes longer than the write timeout.
    let (piece, pieces) = (1024 * 1024, 40);
    let mut stream = server.send(&LARGE.repeat(piece * pieces / one + 1));
    stream.set_read_timeout(Some(MAX_WAIT)).unwrap();
    let mut bytes = vec![0; piece];
    for _ in 0..pieces {
        stream.read_exact(&mut bytes).expect("the response continues");
        // The pause makes the reader slow.
        #[expect(clippy::disallowed_methods, reason = "makes the reader slow")]
        std::thread::sleep(Duration::from_millis(80));
    }
}
