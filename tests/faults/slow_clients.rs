//! Slowloris: thousands of stalled connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::harness::{Engine, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::{SERVE, create_key, start};

/// Slow and idle connections are closed within this time.
const CLOSED_WITHIN: Duration = Duration::from_secs(10);
const STALLED: usize = 5_000;

#[test]
fn thousands_of_stalled_connections_are_closed_and_block_nobody() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, 1_000_000);
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", (2 * STALLED).to_string());
    let program = Program::start(command);
    let opened = Instant::now();
    let mut stalled: Vec<TcpStream> = Vec::new();
    for i in 0..STALLED {
        let mut stream = TcpStream::connect(program.address()).expect("the server listens");
        // Nothing, part of the request line, incomplete headers, a missing body.
        let sent: &[u8] = match i % 4 {
            0 => b"",
            1 => b"GET /v1/ser",
            2 => b"GET /v1/servers HTTP/1.1\r\nhost: localhost\r\nx-a: ",
            _ => b"POST /v1/servers HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n\r\n",
        };
        stream.write_all(sent).expect("the server reads");
        stalled.push(stream);
    }
    let all_open = opened.elapsed();
    let mut client = KeepAliveClient::new(program.address(), &key);
    for _ in 0..200 {
        assert_eq!(client.get("/v1/servers").expect("a response").status, 200);
    }
    for mut stream in stalled {
        stream.set_read_timeout(Some(CLOSED_WITHIN)).unwrap();
        let mut rest = Vec::new();
        let closed = stream.read_to_end(&mut rest);
        let reset = closed.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
        assert!(closed.is_ok() || reset, "{closed:?}: still open after {:?}", opened.elapsed());
    }
    let took = opened.elapsed();
    assert!(took < all_open + CLOSED_WITHIN, "{took:?}");
    println!("{STALLED} stalled connections, opened in {all_open:?}, all closed after {took:?}");
    assert!(program.stop("TERM").0.success());
}

#[test]
fn a_request_at_one_byte_per_second_is_closed() {
    let (_store, program) = start(Engine::Sqlite);
    let began = Instant::now();
    let mut stream = TcpStream::connect(program.address()).expect("the server listens");
    for byte in b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n" {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        let mut response = [0; 1];
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        match stream.read(&mut response) {
            Ok(0) => break,
            Ok(_) => panic!("the server responded"),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(_) => {}
        }
        assert!(began.elapsed() < CLOSED_WITHIN, "still open");
    }
    assert!(began.elapsed() < CLOSED_WITHIN, "{:?}", began.elapsed());
}
