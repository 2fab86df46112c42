//! Clients that take a connection and do nothing with it, by the thousand.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::caller::Caller;
use crate::harness::{Engine, Program, Store};
use crate::{SERVE, create_key, start};

/// The promise: whoever is slow or silent is gone by then.
const GONE: Duration = Duration::from_secs(10);
const STALLED: usize = 5_000;

#[test]
fn thousands_of_stalled_connections_hold_up_nobody_and_are_closed_in_time() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, 1_000_000);
    let mut command = store.command(&SERVE);
    command.env("ROLLCALL_HTTP_MAX_CONNECTIONS_PER_ADDRESS", (2 * STALLED).to_string());
    let program = Program::start(command);
    let opened = Instant::now();
    let mut stalled: Vec<TcpStream> = Vec::new();
    for i in 0..STALLED {
        let mut stream = TcpStream::connect(program.address()).expect("it listens");
        // Silent, a piece of a head, a head without its end, a body that does not come.
        let said: &[u8] = match i % 4 {
            0 => b"",
            1 => b"GET /v1/ser",
            2 => b"GET /v1/servers HTTP/1.1\r\nhost: x\r\nx-a: ",
            _ => b"POST /v1/servers HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n",
        };
        stream.write_all(said).expect("it reads");
        stalled.push(stream);
    }
    let all_open = opened.elapsed();
    let mut caller = Caller::new(program.address(), &key);
    for _ in 0..200 {
        assert_eq!(caller.get("/v1/servers").expect("an answer").status, 200);
    }
    for mut stream in stalled {
        stream.set_read_timeout(Some(GONE)).unwrap();
        let mut rest = Vec::new();
        let closed = stream.read_to_end(&mut rest);
        let reset = closed.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionReset);
        assert!(closed.is_ok() || reset, "{closed:?}: still open after {:?}", opened.elapsed());
    }
    let took = opened.elapsed();
    assert!(took < all_open + GONE, "{took:?}");
    println!("{STALLED} stalled connections, opened in {all_open:?}, all closed after {took:?}");
    assert!(program.stop("TERM").0.success());
}

#[test]
fn one_byte_a_second_is_not_enough() {
    let (_store, program) = start(Engine::Sqlite);
    let began = Instant::now();
    let mut stream = TcpStream::connect(program.address()).expect("it listens");
    for byte in b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n" {
        if stream.write_all(&[*byte]).is_err() {
            break;
        }
        let mut answer = [0; 1];
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        match stream.read(&mut answer) {
            Ok(0) => break,
            Ok(_) => panic!("it answered"),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(_) => {}
        }
        assert!(began.elapsed() < GONE, "still open");
    }
    assert!(began.elapsed() < GONE, "{:?}", began.elapsed());
}
