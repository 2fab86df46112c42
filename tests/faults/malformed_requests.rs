//! Malformed and oversized requests.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::harness::{Engine, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::{SERVE, create_key};

const SEED: u64 = 3;
const TRIES: usize = 1_500;
/// Resident memory that the requests may add.
const GROWTH_KIB: u64 = 64 * 1024;

/// Sends bytes and reads until the connection ends. `half_close` closes the write side after sending.
pub fn send(program: &Program, bytes: &[u8], half_close: bool) -> Vec<u8> {
    let mut stream = TcpStream::connect(program.address()).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may close before everything is sent.
    let _ = stream.write_all(bytes);
    if half_close {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response);
    response
}

pub fn resident_kib(program: &Program) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", program.pid())).expect("it runs");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line of /proc/PID/status");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// A valid request with random changes.
fn mutated_request(rng: &mut StdRng, key: &str) -> Vec<u8> {
    let paths = ["/v1/servers?search=", "/v1/players/", "/media/icons/", "/openapi.json", "/v1/search?q=", "*", ""];
    let heads = [
        "x-api-key: ",
        "if-none-match: ",
        "accept-encoding: ",
        "x-forwarded-for: ",
        "content-length: ",
        "transfer-encoding: chunked\r\nx: ",
    ];
    let mut bytes = format!("GET {}", paths[rng.random_range(0..paths.len())]).into_bytes();
    let noise = |rng: &mut StdRng, most: usize| -> Vec<u8> {
        let (count, printable) = (rng.random_range(0..most), rng.random_bool(0.7));
        (0..count).map(|_| if printable { rng.random_range(b'!'..=b'~') } else { rng.random() }).collect()
    };
    bytes.extend(noise(rng, 40));
    bytes.extend(b" HTTP/1.1\r\nhost: localhost\r\n");
    for _ in 0..rng.random_range(0..5) {
        bytes.extend(heads[rng.random_range(0..heads.len())].as_bytes());
        bytes.extend(if rng.random_bool(0.3) { key.as_bytes().to_vec() } else { noise(rng, 60) });
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"connection: close\r\n\r\n");
    for _ in 0..rng.random_range(0..4) {
        let place = rng.random_range(0..bytes.len());
        bytes[place] = rng.random();
    }
    bytes.extend(noise(rng, 200));
    bytes
}

#[test]
fn random_bytes_cause_no_crash_no_500_and_no_leak() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, 1_000_000);
    let program = Program::start(store.command(&SERVE));
    let mut rng = StdRng::seed_from_u64(SEED);
    let before = resident_kib(&program);
    let mut answered = [0usize; 6];
    for i in 0..TRIES {
        let bytes = if i % 3 == 0 {
            (0..rng.random_range(1..4000)).map(|_| rng.random()).collect()
        } else {
            mutated_request(&mut rng, &key)
        };
        let response = send(&program, &bytes, true);
        if response.is_empty() {
            answered[0] += 1;
            continue;
        }
        let text = String::from_utf8_lossy(&response);
        assert!(text.starts_with("HTTP/1.1 "), "{text}");
        let status: usize = text[9..12].parse().expect("a status");
        assert!(status != 500, "{:?} got {text}", String::from_utf8_lossy(&bytes));
        assert!(!text.contains(&key), "the response contains the key");
        answered[status / 100] += 1;
    }
    let after = resident_kib(&program);
    println!(
        "{TRIES} requests, {} without a response, by status class {:?}; {before} KiB resident, then {after}",
        answered[0],
        &answered[1..]
    );
    assert!(after < before + GROWTH_KIB, "{before} KiB, then {after}");
    assert_eq!(KeepAliveClient::new(program.address(), &key).get("/v1/servers").expect("a response").status, 200);
    assert!(!program.log().contains("panicked"), "{}", program.log());
    assert!(program.stop("TERM").0.success());
}

#[test]
fn oversized_requests_are_rejected() {
    let store = Store::new(Engine::Sqlite);
    let key = create_key(&store, 1_000_000);
    let program = Program::start(store.command(&SERVE));
    let many = |name: &str, count: usize| (0..count).map(|i| format!("{name}-{i}: y\r\n")).collect::<String>();
    let long = |count: usize| "x".repeat(count);
    let mega = 1024 * 1024;
    let request =
        |path: &str, heads: &str| format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{heads}\r\n");
    let keyed = format!("x-api-key: {key}\r\n");
    for (what, bytes, statuses) in [
        ("a path of 9 KiB", request(&format!("/v1/{}", long(9 * 1024)), &keyed), &[414][..]),
        ("a query of 9 KiB", request(&format!("/v1/servers?{}", long(9 * 1024)), &keyed), &[414]),
        ("a path of 1 MiB", request(&format!("/{}", long(mega)), ""), &[414, 431]),
        ("a header of 20 KiB", request("/v1/servers", &format!("x-a: {}\r\n", long(20 * 1024))), &[431]),
        ("a header of 1 MiB", request("/v1/servers", &format!("x-a: {}\r\n", long(mega))), &[431]),
        ("200 headers", request("/v1/servers", &many("x", 200)), &[431]),
        ("50,000 headers", request("/v1/servers", &many("x", 50_000)), &[431]),
        ("a key of 8 KiB", request("/v1/servers", &format!("x-api-key: {}\r\n", long(8 * 1024))), &[401]),
        ("a method of 10 KiB", format!("{} / HTTP/1.1\r\nhost: localhost\r\n\r\n", long(10 * 1024)), &[400, 405, 431]),
        ("a version that is none", "GET / HTTP/9.9\r\nhost: localhost\r\n\r\n".to_owned(), &[400]),
        (
            "a chunk of endless size",
            format!(
                "POST /v1/servers HTTP/1.1\r\nhost: localhost\r\n{keyed}connection: close\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffffffff\r\n"
            ),
            &[405, 400],
        ),
        (
            "two lengths",
            "GET /healthz HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx".to_owned(),
            &[400],
        ),
    ] {
        let response = send(&program, bytes.as_bytes(), false);
        let text = String::from_utf8_lossy(&response);
        // A client that is still sending may see a reset instead of the response.
        let reset = response.is_empty() && bytes.len() > 64 * 1024;
        let status = text.get(9..12).and_then(|code| code.parse::<u16>().ok());
        assert!(reset || status.is_some_and(|status| statuses.contains(&status)), "{what}: {text}");
    }
    // The server does not wait for a body of any size.
    let body = format!(
        "POST /v1/servers HTTP/1.1\r\nhost: localhost\r\n{keyed}content-length: 100000000\r\n\r\n{}",
        long(mega)
    );
    let response = send(&program, body.as_bytes(), false);
    assert!(response.is_empty() || response.starts_with(b"HTTP/1.1 405 "), "{}", String::from_utf8_lossy(&response));
    assert_eq!(KeepAliveClient::new(program.address(), &key).get("/v1/servers").expect("a response").status, 200);
}
