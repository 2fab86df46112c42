//! The edge of the service: what it does to clients that are slow, silent, too many or not who they say they are.

mod bodies;
mod crowds;
mod load;
mod proxies;
mod readers;
mod security;
mod silence;
mod stop;
mod tls;

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::harness::Program;
use crate::harness::{Engine, Store};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// No client holds a connection for longer, and no stop takes longer.
const PROMISE: Duration = Duration::from_secs(10);
/// Between two looks at whether a connection has been closed.
const LOOK: Duration = Duration::from_millis(100);
/// A second of patience, so that nobody has to wait for the usual eight.
const IMPATIENT: (&str, &str) = ("ROLLCALL_HTTP_CLIENT_TIMEOUT", "1");
/// So much patience that it has nothing to do with the outcome.
const PATIENT: (&str, &str) = ("ROLLCALL_HTTP_CLIENT_TIMEOUT", "60");

/// A request for much, without a key. Enough of them fill every buffer between here and there.
const LARGE: &[u8] = b"GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n";

/// `rollcall serve` over an empty store, with these settings in the environment.
struct Edge {
    program: Program,
    store: Store,
}

impl Edge {
    fn start(settings: &[(&str, &str)]) -> Self {
        Self::over(Store::new(Engine::Sqlite), settings)
    }

    fn over(store: Store, settings: &[(&str, &str)]) -> Self {
        let mut command = store.command(&SERVE);
        command.envs(settings.iter().copied());
        Self { program: Program::start(command), store }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.program.address()).expect("it listens");
        stream.set_read_timeout(Some(LOOK)).expect("a sound timeout");
        stream
    }

    /// A connection that has sent these bytes.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("it reads");
        stream
    }

    /// A connection that has had an answer and stays open.
    fn keep_alive(&self) -> TcpStream {
        let mut stream = self.send(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
        let mut answer = Vec::new();
        let deadline = Instant::now() + PROMISE;
        while !answer.ends_with(b"\r\n\r\nok\n") {
            assert!(!closed(&mut stream, &mut answer), "{}", String::from_utf8_lossy(&answer));
            assert!(Instant::now() < deadline, "there is no answer");
        }
        stream
    }
}

/// Whether the other side has closed. What it said before is added to `into`.
fn closed(stream: &mut TcpStream, into: &mut Vec<u8>) -> bool {
    let mut bytes = [0; 4096];
    match stream.read(&mut bytes) {
        Ok(0) => true,
        Ok(read) => {
            into.extend_from_slice(&bytes[..read]);
            false
        }
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

/// All that comes until the other side closes, while one byte goes to it at every look.
fn until_closed_while_sending(stream: &mut TcpStream, byte: Option<u8>) -> String {
    let mut answer = Vec::new();
    let deadline = Instant::now() + PROMISE;
    while !closed(stream, &mut answer) {
        assert!(Instant::now() < deadline, "it stays open after {:?}", String::from_utf8_lossy(&answer));
        if byte.is_some_and(|byte| stream.write_all(&[byte]).is_err()) {
            break;
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

fn until_closed(stream: &mut TcpStream) -> String {
    until_closed_while_sending(stream, None)
}
