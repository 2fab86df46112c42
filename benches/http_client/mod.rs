//! A minimal HTTP/1.1 client on one persistent connection, so that the load generator costs little CPU time.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub struct HttpClient {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The bytes of a GET request. `headers` are complete lines, each ended by CRLF.
pub fn request(target: &str, headers: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n{headers}\r\n").into_bytes()
}

impl HttpClient {
    pub async fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.expect("connect to the server");
        stream.set_nodelay(true).expect("set TCP_NODELAY");
        Self { stream, buffer: vec![0; 256 * 1024] }
    }

    /// [`Self::exchange`] that panics unless the status is 200.
    pub async fn get(&mut self, request: &[u8]) -> &[u8] {
        let response = self.exchange(request).await;
        assert!(
            response.starts_with(b"HTTP/1.1 200 "),
            "{}{}",
            String::from_utf8_lossy(request),
            String::from_utf8_lossy(&response[..response.len().min(2_000)])
        );
        response
    }

    /// Sends a request and returns the head and body of the response.
    pub async fn exchange(&mut self, request: &[u8]) -> &[u8] {
        self.stream.write_all(request).await.expect("send the request");
        let (mut filled, mut end) = (0, ResponseEnd::Unknown);
        loop {
            if filled == self.buffer.len() {
                self.buffer.resize(2 * filled, 0);
            }
            let read = self.stream.read(&mut self.buffer[filled..]).await.expect("read the response");
            assert!(read > 0, "the server closed the connection after {}", String::from_utf8_lossy(request));
            filled += read;
            if end == ResponseEnd::Unknown {
                end = ResponseEnd::find(&self.buffer[..filled]);
            }
            match end {
                ResponseEnd::At(length) if filled >= length => break,
                ResponseEnd::LastChunk if self.buffer[..filled].ends_with(b"\r\n0\r\n\r\n") => break,
                _ => {}
            }
        }
        &self.buffer[..filled]
    }
}

/// Where a response ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ResponseEnd {
    Unknown,
    At(usize),
    LastChunk,
}

impl ResponseEnd {
    /// Searches for single headers instead of parsing all of them: otherwise the client would measure how many headers there are.
    fn find(bytes: &[u8]) -> Self {
        const NAME: &[u8] = b"content-length: ";
        let Some(head) = header_length(bytes) else { return Self::Unknown };
        let Some(value) = memchr::memmem::find(&bytes[..head], NAME) else { return Self::LastChunk };
        let digits = bytes[value + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
        Self::At(head + digits.fold(0, |length, digit| length * 10 + usize::from(digit - b'0')))
    }
}

/// The length of status line and headers with the empty line after them. `None`: not complete yet.
pub fn header_length(response: &[u8]) -> Option<usize> {
    Some(memchr::memmem::find(response, b"\r\n\r\n")? + 4)
}
