//! Connections to PostgreSQL that stay open and answer nothing, as behind a broken proxy or firewall. TCP does not notice them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use crate::harness::{Engine, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::{SERVE, create_key, until};

const PER_MINUTE: u32 = 50_000;
const CHUNK: usize = 16 * 1024;
/// How often a stalled connection looks whether its client is gone.
const LOOK: Duration = Duration::from_millis(50);

/// Forwards connections to PostgreSQL. Those older than the last stall swallow all data.
struct Proxy {
    address: SocketAddr,
    stalls: Arc<AtomicU64>,
    /// New connections are stalled, too.
    is_dead: Arc<AtomicBool>,
}

impl Proxy {
    fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = Self { address: listener.local_addr().unwrap(), stalls: Arc::default(), is_dead: Arc::default() };
        let (stalls, is_dead) = (proxy.stalls.clone(), proxy.is_dead.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(target).unwrap());
                let born = if is_dead.load(Ordering::SeqCst) { None } else { Some(stalls.load(Ordering::SeqCst)) };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let stalls = stalls.clone();
                    std::thread::spawn(move || forward(from, to, || born == Some(stalls.load(Ordering::SeqCst))));
                }
            }
        });
        proxy
    }

    /// Silences all connections that are open now.
    fn stall(&self) {
        self.stalls.fetch_add(1, Ordering::SeqCst);
    }

    fn set_dead(&self, is_dead: bool) {
        self.is_dead.store(is_dead, Ordering::SeqCst);
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, is_alive: impl Fn() -> bool) {
    from.set_read_timeout(Some(LOOK)).unwrap();
    let mut chunk = [0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) if is_alive() => {
                if to.write_all(&chunk[..length]).is_err() {
                    break;
                }
            }
            // Read, acknowledged by TCP, and never forwarded.
            Ok(_) => {}
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}

/// A program whose store is behind a proxy, a key, and the folder of the program.
fn start() -> (Proxy, Program, String, Store) {
    let store = Store::new(Engine::Postgres);
    let key = create_key(&store, PER_MINUTE);
    let config: tokio_postgres::Config = store.url().parse().unwrap();
    let target = SocketAddr::from(([127, 0, 0, 1], config.get_ports()[0]));
    let proxy = Proxy::to(target);
    let url = store.url().replace(&target.to_string(), &proxy.address.to_string());
    let behind_proxy = Store::at(url);
    let program = Program::start(behind_proxy.command(&SERVE));
    (proxy, program, key, behind_proxy)
}

#[test]
fn silent_connections_are_replaced() {
    let (proxy, program, key, _store) = start();
    let mut client = KeepAliveClient::new(program.address(), &key);
    assert_eq!(client.get("/v1/players/nobody").expect("a response").status, 404);
    proxy.stall();
    // The first requests may wait for connections that never answer.
    until("requests are answered over new connections", || {
        (client.get("/v1/players/nobody").expect("a response").status == 404).then_some(())
    });
    until("the service is ready", || (client.get("/readyz").expect("a response").status == 200).then_some(()));
}

#[test]
fn a_silent_database_makes_the_service_unready() {
    let (proxy, program, key, _store) = start();
    let mut client = KeepAliveClient::new(program.address(), &key);
    assert_eq!(client.get("/readyz").expect("a response").status, 200);
    proxy.set_dead(true);
    proxy.stall();
    let reply = until("/readyz fails", || Some(client.get("/readyz").expect("a response")).filter(|r| r.status == 503));
    assert!(reply.body.starts_with("not ready: "), "{}", reply.body);
    program.until_logged("the store");
    assert_eq!(client.get("/healthz").expect("a response").status, 200);
    proxy.set_dead(false);
    until("the service is ready again", || (client.get("/readyz").expect("a response").status == 200).then_some(()));
    assert_eq!(client.get("/v1/players/nobody").expect("a response").status, 404);
}
