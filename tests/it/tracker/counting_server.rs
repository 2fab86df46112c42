//! A game server that counts its pings.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub struct CountingServer {
    pub address: SocketAddr,
    pings: Arc<AtomicUsize>,
}

const STATUS: &str = r#"{"version":{"name":"1.21.4","protocol":769},"players":{"online":1,"max":2},"description":"x"}"#;

impl CountingServer {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let (address, pings) = (listener.local_addr().expect("a port"), Arc::new(AtomicUsize::new(0)));
        let count = pings.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let body = [&[0, STATUS.len() as u8][..], STATUS.as_bytes()].concat();
                let reply = [&[body.len() as u8][..], &body].concat();
                tokio::spawn(async move {
                    let mut request = [0; 256];
                    let _ = stream.read(&mut request).await;
                    let _ = stream.write_all(&reply).await;
                    let _ = stream.read(&mut request).await;
                });
            }
        });
        Self { address, pings }
    }

    /// Pings since the last [`Self::take_pings`].
    pub fn pings(&self) -> usize {
        self.pings.load(Ordering::Relaxed)
    }

    /// The same, and starts again from zero.
    pub fn take_pings(&self) -> usize {
        self.pings.swap(0, Ordering::Relaxed)
    }
}
