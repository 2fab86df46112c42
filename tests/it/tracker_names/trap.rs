//! Doors on loopback that nobody is to knock at.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::net::{TcpListener, UdpSocket};
use tokio::task::JoinSet;

/// Counts who comes, over TCP and UDP, at 127.0.0.1 and, where there is one, at ::1.
pub struct Trap {
    pub port: u16,
    knocks: Arc<AtomicUsize>,
    _tasks: JoinSet<()>,
}

impl Trap {
    pub async fn set() -> Self {
        let knocks = Arc::new(AtomicUsize::new(0));
        let mut tasks = JoinSet::new();
        let mut port = 0;
        for ip in [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)] {
            let Ok(listener) = TcpListener::bind((ip, port)).await else { continue };
            port = listener.local_addr().expect("an address").port();
            let count = knocks.clone();
            tasks.spawn(async move {
                while listener.accept().await.is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
            let Ok(socket) = UdpSocket::bind((ip, port)).await else { continue };
            let count = knocks.clone();
            tasks.spawn(async move {
                while socket.recv(&mut [0; 64]).await.is_ok() {
                    count.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        Self { port, knocks, _tasks: tasks }
    }

    pub fn knocks(&self) -> usize {
        self.knocks.load(Ordering::SeqCst)
    }
}
