//! A game server that counts who asks it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

pub struct Counted {
    pub address: SocketAddr,
    asked: Arc<AtomicUsize>,
}

const ANSWER: &str = r#"{"version":{"name":"1.21.4","protocol":769},"players":{"online":1,"max":2},"description":"x"}"#;

impl Counted {
    pub async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let (address, asked) = (listener.local_addr().expect("a port"), Arc::new(AtomicUsize::new(0)));
        let count = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::Relaxed);
                let body = [&[0, ANSWER.len() as u8][..], ANSWER.as_bytes()].concat();
                let answer = [&[body.len() as u8][..], &body].concat();
                tokio::spawn(async move {
                    let mut question = [0; 256];
                    let _ = stream.read(&mut question).await;
                    let _ = stream.write_all(&answer).await;
                    let _ = stream.read(&mut question).await;
                });
            }
        });
        Self { address, asked }
    }

    /// How often it was asked since this was last called.
    pub fn asked(&self) -> usize {
        self.asked.swap(0, Ordering::Relaxed)
    }
}
