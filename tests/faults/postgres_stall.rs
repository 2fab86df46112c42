//! Connections to PostgreSQL that stay open and answer nothing, as behind a broken proxy or firewall: TCP does not notice them. And those
//! that end just before an answer.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use rollcall_store::Conn;

use crate::harness::{Engine, Program, Store};
use crate::http_client::KeepAliveClient;
use crate::{SERVE, create_key, until};

const PER_MINUTE: u32 = 50_000;
/// So low that a request in ten needs a reservation.
const LOW_LIMIT: u32 = 6_000;
const REQUESTS: u32 = 1_000;
const CHUNK: usize = 16 * 1024;
/// How often a stalled connection looks whether its client is gone.
const LOOK: Duration = Duration::from_millis(50);

/// The end of the server's answer to a commit.
const COMMITTED: &[u8] = b"COMMIT\0";
/// Of so many commits one is not answered.
const UNANSWERED: u32 = 3;

/// Forwards connections to PostgreSQL. Those older than the last stall swallow all data.
struct Proxy {
    address: SocketAddr,
    stalls: Arc<AtomicU64>,
    /// New connections are stalled, too.
    is_dead: Arc<AtomicBool>,
    /// Connections end instead of answering commits, one in [`UNANSWERED`].
    cuts_commits: Arc<AtomicBool>,
    commits: Arc<AtomicU32>,
}

/// What happens to data.
enum Flow {
    Forward,
    /// It is read, acknowledged by TCP, and never forwarded.
    Swallow,
    /// The connection ends.
    Cut,
}

impl Proxy {
    fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (stalls, is_dead, cuts_commits, commits) = Default::default();
        let proxy = Self { address, stalls, is_dead, cuts_commits, commits };
        let (stalls, is_dead) = (proxy.stalls.clone(), proxy.is_dead.clone());
        let (cuts_commits, commits) = (proxy.cuts_commits.clone(), proxy.commits.clone());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(target).unwrap());
                let born = if is_dead.load(Ordering::SeqCst) { None } else { Some(stalls.load(Ordering::SeqCst)) };
                for (from, to) in [(&client, &server), (&server, &client)] {
                    let (from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    let (stalls, cuts_commits, commits) = (stalls.clone(), cuts_commits.clone(), commits.clone());
                    let is_unanswered = move |data: &[u8]| {
                        cuts_commits.load(Ordering::SeqCst)
                            && data.windows(COMMITTED.len()).any(|part| part == COMMITTED)
                            && commits.fetch_add(1, Ordering::SeqCst) % UNANSWERED == 0
                    };
                    let flow = move |data: &[u8]| match born == Some(stalls.load(Ordering::SeqCst)) {
                        false => Flow::Swallow,
                        true if is_unanswered(data) => Flow::Cut,
                        true => Flow::Forward,
                    };
                    std::thread::spawn(move || forward(from, to, flow));
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

fn forward(mut from: TcpStream, mut to: TcpStream, flow: impl Fn(&[u8]) -> Flow) {
    from.set_read_timeout(Some(LOOK)).unwrap();
    let mut chunk = [0; CHUNK];
    loop {
        match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => match flow(&chunk[..length]) {
                Flow::Forward if to.write_all(&chunk[..length]).is_ok() => {}
                Flow::Swallow => {}
                Flow::Forward | Flow::Cut => break,
            },
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {}
            Err(_) => break,
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

/// A program whose store is behind a proxy, a key, and the folder of the program.
fn start(per_minute: u32) -> (Proxy, Program, String, Store) {
    let store = Store::new(Engine::Postgres);
    let key = create_key(&store, per_minute);
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
    let (proxy, program, key, _store) = start(PER_MINUTE);
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
    let (proxy, program, key, _store) = start(PER_MINUTE);
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

/// The server commits, and the service does not learn it: quota that was given back is not given back again, and usage is not recorded
/// again.
#[test]
fn an_unanswered_commit_of_the_ledger_is_not_repeated() {
    let (proxy, program, key, store) = start(LOW_LIMIT);
    let mut client = KeepAliveClient::new(program.address(), &key);
    assert_eq!(client.get("/v1/servers").expect("a response").status, 200);
    proxy.cuts_commits.store(true, Ordering::SeqCst);
    for _ in 1..REQUESTS {
        let reply = client.get("/v1/servers").expect("a response");
        assert_eq!(reply.status, 200, "{}", reply.body);
    }
    let (status, _) = program.stop("TERM");
    assert!(status.success(), "{status}");
    assert!(proxy.commits.load(Ordering::SeqCst) > 10, "too few commits");
    proxy.cuts_commits.store(false, Ordering::SeqCst);
    let mut conn = Conn::open(&store.url().parse().expect("a URL")).expect("a connection");
    let used: i64 = conn.query_one("select month_used from key_windows", &[], |row| row.get(0)).expect("a row");
    assert!(used >= i64::from(REQUESTS), "quota was given back twice: {used} used, {REQUESTS} requests");
    let counted: i64 =
        conn.query_one("select sum(requests)::bigint from key_usage", &[], |row| row.get(0)).expect("a row");
    assert_eq!(counted, i64::from(REQUESTS));
}
