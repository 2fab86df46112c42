//! A port on loopback that no guarded ping may reach.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

/// Counts TCP connections and UDP datagrams to one port of 127.0.0.1 and ::1.
pub struct LoopbackListener {
    pub port: u16,
    connections: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

/// Ports that are tried until one is free for both protocols and both addresses.
const ATTEMPTS: usize = 20;

impl LoopbackListener {
    /// Panics without IPv6 on loopback: a guard that is not tested must not pass.
    pub async fn open() -> Self {
        let mut last_error = None;
        for _ in 0..ATTEMPTS {
            match sockets().await {
                Ok(sockets) => return Self::count(sockets),
                Err(error) => last_error = Some(error),
            }
        }
        panic!("cannot listen on one port of 127.0.0.1 and ::1: {last_error:?}")
    }

    fn count(sockets: Vec<(TcpListener, UdpSocket)>) -> Self {
        let port = sockets[0].0.local_addr().expect("a bound socket").port();
        let connections = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        for (listener, socket) in sockets {
            let count = connections.clone();
            tasks.spawn(async move {
                while listener.accept().await.is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
            let count = connections.clone();
            tasks.spawn(async move {
                while socket.recv(&mut [0; 64]).await.is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self { port, connections, _tasks: tasks }
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn sockets() -> std::io::Result<Vec<(TcpListener, UdpSocket)>> {
    let (mut port, mut sockets) = (0, Vec::new());
    for ip in [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
        let listener = TcpListener::bind((ip, port)).await?;
        port = listener.local_addr()?.port();
        sockets.push((listener, UdpSocket::bind((ip, port)).await?));
    }
    Ok(sockets)
}
