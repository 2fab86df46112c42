//! A client that does as little as a client can, on one connection that is kept.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The bytes of a request, ready to be sent any number of times.
pub fn request(target: &str, headers: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").into_bytes()
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("the server listens");
        stream.set_nodelay(true).expect("a socket");
        Self { stream, buffer: vec![0; 256 * 1024] }
    }

    /// Gives head and body of an answer, which must be a 200.
    pub async fn ask(&mut self, request: &[u8]) -> &[u8] {
        self.stream.write_all(request).await.expect("the server reads");
        let (mut filled, mut end) = (0, End::Unknown);
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(2 * filled, 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("the server answers");
            assert!(read > 0, "the server closed the connection after {}", String::from_utf8_lossy(request));
            filled += read;
            if end == End::Unknown {
                end = End::of(&self.buffer[..filled]);
            }
            match end {
                End::At(length) if filled >= length => break,
                End::LastChunk if self.buffer[..filled].ends_with(b"\r\n0\r\n\r\n") => break,
                _ => {}
            }
        }
        let answer = &self.buffer[..filled];
        assert!(
            answer.starts_with(b"HTTP/1.1 200 "),
            "{}{}",
            String::from_utf8_lossy(request),
            String::from_utf8_lossy(&answer[..filled.min(2_000)])
        );
        answer
    }
}

/// Where an answer ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Unknown,
    At(usize),
    LastChunk,
}

impl End {
    /// As quick for a long head as for a short one, or the client would pay for the headers that the gate adds.
    fn of(bytes: &[u8]) -> Self {
        const NAME: &[u8] = b"content-length: ";
        let Some(head) = head(bytes) else { return Self::Unknown };
        let Some(value) = memchr::memmem::find(&bytes[..head], NAME) else { return Self::LastChunk };
        let digits = bytes[value + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        Self::At(head + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0')))
    }
}

/// How long the head of an answer is, with the empty line after it.
pub fn head(answer: &[u8]) -> Option<usize> {
    Some(memchr::memmem::find(answer, b"\r\n\r\n")? + 4)
}
