//! `rollcall serve` and `rollcall migrate`

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

use super::{Program, complaint, printed};
use crate::harness::fetch;
use crate::harness::{Engine, Store};

const LISTEN: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// The longest time of a shutdown.
const SOON: Duration = Duration::from_secs(30);

#[tokio::test]
async fn serve_prints_its_url_and_is_healthy() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let program = Program::start(store.command(&LISTEN));
        for (path, body) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
            let response = program.get(path, &[]).await;
            assert_eq!((response.status, String::from_utf8(response.body).unwrap().as_str()), (200, body));
        }
        assert_eq!(program.get("/v1/servers", &[]).await.status, 401);
        assert_eq!(program.get("/metrics", &[]).await.status, 404);
        let document = program.get("/openapi.json", &[]).await.json();
        assert_eq!(document["servers"][0]["url"], format!("{}/v1", program.url));
    }
}

#[test]
fn a_wildcard_address_needs_a_public_url() {
    let store = Store::new(Engine::Sqlite);
    for command in ["serve", "demo"] {
        for address in ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0"] {
            let output = store.rollcall(&[command, "--listen", address]);
            assert!(complaint(&output, 2).ends_with(
                "means every address of this machine: set public_url (--public-url, ROLLCALL_PUBLIC_URL) to the URL that \
                 clients use, such as https://stats.example.org"
            ));
        }
    }
    let url = "https://stats.example.org";
    let program = Program::start(store.command(&["serve", "--listen", "0.0.0.0:0", "--public-url", url]));
    assert!(program.url.starts_with("http://0.0.0.0:"));
}

/// A connection that has had one response and stays open.
fn keep_alive(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    let mut response = [0; 15];
    stream.read_exact(&mut response).unwrap();
    assert_eq!(&response, b"HTTP/1.1 200 OK");
    stream
}

#[test]
fn an_idle_connection_does_not_delay_a_shutdown() {
    for (engine, signal) in Engine::BOTH.into_iter().zip(["TERM", "INT"]) {
        let store = Store::new(engine);
        let program = Program::start(store.command(&LISTEN));
        let idle = keep_alive(program.address());
        let (status, took) = program.stop(signal);
        assert!(status.success() && took < SOON, "{status} after {took:?}");
        drop(idle);
    }
}

#[test]
fn a_full_connection_limit_does_not_delay_a_shutdown() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&LISTEN);
    command.env("ROLLCALL_HTTP_MAX_CONNECTIONS", "1").env("ROLLCALL_HTTP_CLIENT_TIMEOUT", "60");
    let program = Program::start(command);
    let idle = keep_alive(program.address());
    let (status, took) = program.stop("TERM");
    assert!(status.success() && took < SOON, "{status} after {took:?}");
    drop(idle);
}

#[tokio::test]
async fn metrics_have_their_own_listener() {
    let store = Store::new(Engine::Sqlite);
    let mut command = store.command(&LISTEN);
    command.env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
    let program = Program::start(command);
    program.get("/v1/servers", &[]).await;
    let url = &program.metrics();
    let response = fetch(url, &[]).await;
    let text = String::from_utf8(response.body).unwrap();
    assert!(response.status == 200 && text.contains("rollcall_responses_total{status=\"401\"} 1"), "{text}");
    assert_eq!(program.get("/metrics", &[]).await.status, 404);
    assert_eq!(fetch(&url.replace("/metrics", "/v1/servers"), &[]).await.status, 404);
}

#[test]
fn the_log_is_json_without_a_terminal() {
    let store = Store::new(Engine::Sqlite);
    let program = Program::start(store.command(&LISTEN));
    program.until_logged("serving");
    let lines: Vec<Value> =
        program.log().lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect();
    assert!(lines.iter().all(|line| line["level"].is_string() && line["timestamp"].is_string()), "{lines:?}");
}

#[test]
fn a_port_in_use_is_one_sentence() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let store = Store::new(Engine::Sqlite);
    let output = store.rollcall(&["serve", "--listen", &address]);
    assert!(complaint(&output, 1).starts_with(&format!("cannot listen on {address}: ")));
    let output = store.command(&LISTEN).env("ROLLCALL_METRICS_LISTEN", &address).output().unwrap();
    assert!(complaint(&output, 1).starts_with(&format!("cannot listen on {address}: ")));
}

#[test]
fn migrate_runs_once() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        assert!(printed(&store.rollcall(&["migrate"])).starts_with("Ran "));
        for _ in 0..2 {
            assert_eq!(printed(&store.rollcall(&["migrate"])), "The schema is up to date.\n");
        }
    }
}

#[tokio::test]
async fn security_events_are_logged_and_counted_by_kind() {
    for engine in Engine::BOTH {
        let store = Store::new(engine);
        let mut command = store.command(&LISTEN);
        command.env("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
        let program = Program::start(command);
        for _ in 0..3 {
            assert_eq!(program.get("/v1/servers", &[("x-api-key", "rc_wrong")]).await.status, 401);
        }
        program.until_logged("security event");
        let log = program.log();
        let line = log.lines().find(|line| line.contains("security event")).expect("an event");
        let line: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!((&line["target"], &line["level"]), (&"rollcall::security".into(), &"INFO".into()));
        let fields = serde_json::json!({"message": "security event", "kind": "wrong_api_key", "client": "127.0.0.1"});
        assert_eq!(line["fields"], fields);
        let metrics = String::from_utf8(fetch(&program.metrics(), &[]).await.body).unwrap();
        assert!(metrics.contains("rollcall_security_events_total{kind=\"wrong_api_key\"} 3\n"), "{metrics}");
    }
}
