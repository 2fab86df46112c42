//! The ping clients in Rust: ours, craftping, and a minimal one that only reads bytes.

use std::io::{self, BufRead};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rollcall_minecraft::{Edition, Host, PingClient, PingProtocol, PingRequest, Resolver, SsrfGuard};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::fake_servers::PLAYERS;

/// The hidden argument that makes this program a client.
pub const ARGUMENT: &str = "--client";
pub const CRAFTPING: &str = "craftping 0.8";
/// Names in the table and as arguments.
pub const NAMES: [(&str, &str); 4] = [
    ("ours", "ours"),
    (CRAFTPING, "craftping"),
    ("craftping + timeout", "craftping-timeout"),
    ("bare, no parsing", "bare"),
];
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
enum ClientKind {
    Ours,
    Craftping,
    /// craftping has no timeout of its own; a client of untrusted servers needs one.
    CraftpingWithTimeout,
    Bare,
}

struct PingWorker {
    kind: ClientKind,
    addresses: Vec<SocketAddr>,
    requests: Vec<PingRequest>,
    client: PingClient,
    remaining: AtomicUsize,
}

/// Arguments: `KIND CONCURRENCY HOST:PORT...`. Reads a number of pings per line and prints how many seconds they took.
pub fn run(args: &[String]) {
    let kind = match args[0].as_str() {
        "ours" => ClientKind::Ours,
        "craftping" => ClientKind::Craftping,
        "craftping-timeout" => ClientKind::CraftpingWithTimeout,
        _ => ClientKind::Bare,
    };
    let concurrency: usize = args[1].parse().expect("a number");
    let addresses: Vec<SocketAddr> =
        args[2..].iter().map(|address| address.parse().expect("a valid address")).collect();
    // All servers are IP addresses, so no DNS server is needed.
    let no_dns = "127.0.0.1:1".parse().expect("a valid address");
    let worker = Arc::new(PingWorker {
        kind,
        requests: addresses.iter().map(|address| ping_request(*address)).collect(),
        addresses,
        client: PingClient {
            resolver: Resolver::dns(Some(no_dns)).expect("create the resolver"),
            guard: SsrfGuard::new(true),
            timeout: TIMEOUT,
        },
        remaining: AtomicUsize::new(0),
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("build the runtime");
    println!("ready");
    for line in io::stdin().lock().lines() {
        let count = line.expect("read a command").parse().expect("a number");
        println!("{}", runtime.block_on(run_pings(&worker, concurrency, count)).as_secs_f64());
    }
}

/// The request of the tracker for a server that it pinged before.
fn ping_request(address: SocketAddr) -> PingRequest {
    PingRequest {
        host: Host::Address(address.ip()),
        port: address.port(),
        edition: Edition::Java,
        query_port: None,
        protocol: Some(PingProtocol::Modern),
        no_fallback: false,
    }
}

async fn run_pings(worker: &Arc<PingWorker>, concurrency: usize, count: usize) -> Duration {
    worker.remaining.store(count, Ordering::Relaxed);
    let started = Instant::now();
    let tasks: Vec<_> = (0..concurrency).map(|_| tokio::spawn(worker.clone().ping_in_sequence())).collect();
    for task in tasks {
        task.await.expect("every response is valid");
    }
    started.elapsed()
}

impl PingWorker {
    async fn ping_in_sequence(self: Arc<Self>) {
        while let Ok(n) = self.remaining.try_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_sub(1)) {
            let index = n % self.addresses.len();
            let address = self.addresses[index];
            match self.kind {
                ClientKind::Ours => {
                    let reply = self.client.ping(&self.requests[index]).await.expect("a reply");
                    assert_eq!(reply.status.players, PLAYERS);
                }
                ClientKind::Craftping => craftping(address).await,
                ClientKind::CraftpingWithTimeout => timeout(TIMEOUT, craftping(address)).await.expect("a reply"),
                ClientKind::Bare => assert!(bare(address).await.expect("a reply") > 0),
            }
        }
    }
}

async fn craftping(address: SocketAddr) {
    let mut stream = TcpStream::connect(address).await.expect("connect to the server");
    let host = address.ip().to_string();
    let reply = craftping::tokio::ping(&mut stream, &host, address.port(), craftping::PROTOCOL_VERSION_NOT_SET);
    assert_eq!(reply.await.expect("a reply").online_players as i64, PLAYERS);
}

/// Connects, sends a status request and reads as many bytes as the length prefix says. Returns that length.
pub async fn bare(address: SocketAddr) -> io::Result<usize> {
    let mut stream = TcpStream::connect(address).await?;
    let mut handshake = vec![0, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 7];
    handshake.extend_from_slice(b"0.0.0.0");
    handshake.extend_from_slice(&address.port().to_be_bytes());
    handshake.extend_from_slice(&[1, 1, 0]);
    handshake[0] = (handshake.len() - 3) as u8;
    stream.write_all(&handshake).await?;
    let mut buffer = [0; 16 * 1024];
    let mut filled = 0;
    loop {
        let read = stream.read(&mut buffer[filled..]).await?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        filled += read;
        let (mut length, mut index) = (0, 0);
        while index < filled {
            length |= usize::from(buffer[index] & 0x7f) << (7 * index);
            index += 1;
            if buffer[index - 1] & 0x80 == 0 {
                break;
            }
        }
        if filled >= length + index {
            return Ok(length);
        }
    }
}
