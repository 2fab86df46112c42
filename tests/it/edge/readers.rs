//! Who does not read his answer is cut off; who reads it slowly is not.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::{Edge, IMPATIENT, LARGE, LOOK, PROMISE};

/// Asks for more than all buffers between here and there hold.
fn ask_for_plenty(edge: &Edge) -> TcpStream {
    edge.send(&LARGE.repeat(2000))
}

/// Waits until a write meets a connection that is gone, and does `meanwhile` between looks.
fn until_gone(mut stream: TcpStream, mut meanwhile: impl FnMut(&mut TcpStream)) {
    let deadline = Instant::now() + PROMISE;
    loop {
        match stream.write(b"G") {
            Err(error) if error.kind() != ErrorKind::WouldBlock => return,
            _ => assert!(Instant::now() < deadline, "it stays open"),
        }
        std::thread::sleep(LOOK);
        meanwhile(&mut stream);
    }
}

#[test]
fn who_never_reads_is_cut_off() {
    let edge = Edge::start(&[IMPATIENT]);
    until_gone(ask_for_plenty(&edge), |_| {});
}

#[test]
fn who_only_sips_is_cut_off() {
    let edge = Edge::start(&[IMPATIENT]);
    until_gone(ask_for_plenty(&edge), |stream| {
        let _ = stream.read(&mut [0; 100]);
    });
}

#[test]
fn who_reads_slowly_gets_it_all() {
    let edge = Edge::start(&[("ROLLCALL_HTTP_CLIENT_TIMEOUT", "2")]);
    let one = {
        let mut stream = edge.send(b"GET /openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        super::until_closed(&mut stream).len() - "connection: close\r\n".len()
    };
    // Long enough that the whole takes longer than a client may keep us waiting.
    let (bite, bites) = (1024 * 1024, 40);
    let mut stream = edge.send(&LARGE.repeat(bite * bites / one + 1));
    stream.set_read_timeout(Some(PROMISE)).unwrap();
    let mut bytes = vec![0; bite];
    for _ in 0..bites {
        stream.read_exact(&mut bytes).expect("it goes on");
        std::thread::sleep(Duration::from_millis(80));
    }
}
