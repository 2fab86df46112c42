//! Connections and requests: timeouts, limits, client IPs, TLS, security headers, shutdown.

mod access_log;
mod client_ip;
mod connection_eviction;
mod connections_per_ip;
mod host_header;
mod http2;
mod idle_timeout;
mod request_body;
mod request_limits;
mod security_headers;
mod shutdown;
pub mod tls;
mod write_timeout;

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::{Duration, Instant};

use crate::harness::{Engine, Store};
use crate::harness::{Program, fetch};

const SERVE: [&str; 3] = ["serve", "--listen", "127.0.0.1:0"];
/// The longest time that a client can hold a connection, and that a shutdown takes.
const MAX_WAIT: Duration = Duration::from_secs(30);
/// How long one read waits before the test checks its deadline.
const READ_TIMEOUT: Duration = Duration::from_millis(100);
/// One second instead of eight keeps the tests short.
const SHORT_TIMEOUT: (&str, &str) = ("ROLLCALL_HTTP_CLIENT_TIMEOUT", "1");
/// Serves metrics on a free port.
const METRICS: (&str, &str) = ("ROLLCALL_METRICS_LISTEN", "127.0.0.1:0");
/// Long enough to have no part in the result.
const LONG_TIMEOUT: (&str, &str) = ("ROLLCALL_HTTP_CLIENT_TIMEOUT", "60");

/// A request without a key for a large response. Enough of them fill every socket buffer.
const LARGE: &[u8] = b"GET /openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// `rollcall serve` over an empty store, with these settings in the environment.
pub struct TestServer {
    pub program: Program,
    pub store: Store,
}

impl TestServer {
    fn start(settings: &[(&str, &str)]) -> Self {
        Self::over(Store::new(Engine::Sqlite), settings)
    }

    fn over(store: Store, settings: &[(&str, &str)]) -> Self {
        let mut command = store.command(&SERVE);
        command.envs(settings.iter().copied());
        Self { program: Program::start(command), store }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.program.address()).expect("the server listens");
        stream.set_read_timeout(Some(READ_TIMEOUT)).expect("a sound timeout");
        stream
    }

    /// A connection from another address of this machine: all of 127.0.0.0/8 is.
    fn connect_from(&self, source: Ipv4Addr) -> TcpStream {
        let server = self.program.address().parse().expect("an address");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().expect("a runtime");
        let connect = async {
            let socket = tokio::net::TcpSocket::new_v4()?;
            socket.bind((source, 0).into())?;
            socket.connect(server).await?.into_std()
        };
        let stream = runtime.block_on(connect).expect("the server listens");
        stream.set_nonblocking(false).expect("a socket");
        stream.set_read_timeout(Some(READ_TIMEOUT)).expect("a sound timeout");
        stream
    }

    /// A connection that has sent these bytes.
    fn send(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(bytes).expect("the server reads");
        stream
    }

    /// A connection that has had one response and stays open.
    fn keep_alive(&self) -> TcpStream {
        let mut stream = self.connect();
        check_health(&mut stream);
        stream
    }

    /// The metrics of a server that was started with `METRICS`.
    fn metrics(&self) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let response = runtime.block_on(fetch(&self.program.metrics(), &[]));
        String::from_utf8(response.body).expect("plain text")
    }
}

/// One response over a connection that stays open.
fn check_health(stream: &mut TcpStream) {
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").expect("the server reads");
    let mut response = Vec::new();
    let deadline = Instant::now() + MAX_WAIT;
    while !response.ends_with(b"\r\n\r\nok\n") {
        assert!(!closed(stream, &mut response), "{}", String::from_utf8_lossy(&response));
        assert!(Instant::now() < deadline, "no response");
    }
}

/// Whether the server has closed the connection. Received bytes are appended to `into`.
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

/// Everything received until the server closes the connection. One byte is sent before each read.
fn until_closed_while_sending(stream: &mut TcpStream, byte: Option<u8>) -> String {
    let mut response = Vec::new();
    let deadline = Instant::now() + MAX_WAIT;
    while !closed(stream, &mut response) {
        assert!(Instant::now() < deadline, "still open after {:?}", String::from_utf8_lossy(&response));
        if byte.is_some_and(|byte| stream.write_all(&[byte]).is_err()) {
            break;
        }
    }
    String::from_utf8_lossy(&response).into_owned()
}

fn until_closed(stream: &mut TcpStream) -> String {
    until_closed_while_sending(stream, None)
}
