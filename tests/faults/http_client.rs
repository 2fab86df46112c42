//! An HTTP client on one keep-alive connection.

use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Reconnects after an error.
pub struct KeepAliveClient {
    address: String,
    key: String,
    stream: Option<BufReader<TcpStream>>,
}

pub struct Reply {
    pub status: u16,
    pub headers: HashMap<String, String>,
    pub body: String,
}

impl Reply {
    pub fn number(&self, header: &str) -> u32 {
        self.headers[header].parse().expect(header)
    }

    /// Used quota of the month, from the headers.
    pub fn used(&self) -> u32 {
        self.number("x-ratelimit-limit-month") - self.number("x-ratelimit-remaining-month")
    }
}

impl KeepAliveClient {
    pub fn new(address: &str, key: &str) -> Self {
        Self { address: address.to_owned(), key: key.to_owned(), stream: None }
    }

    pub fn get(&mut self, path: &str) -> io::Result<Reply> {
        let reply = self.try_get(path);
        if reply.is_err() {
            self.stream = None;
        }
        reply
    }

    fn try_get(&mut self, path: &str) -> io::Result<Reply> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            none => {
                let stream = TcpStream::connect(&self.address)?;
                stream.set_read_timeout(Some(Duration::from_secs(30)))?;
                none.insert(BufReader::new(stream))
            }
        };
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nx-api-key: {}\r\n\r\n", self.key);
        stream.get_mut().write_all(request.as_bytes())?;
        let status = line(stream)?;
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
        let mut headers = HashMap::new();
        loop {
            let line = line(stream)?;
            let Some((name, value)) = line.split_once(": ") else { break };
            headers.insert(name.to_owned(), value.to_owned());
        }
        let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        Ok(Reply { status, headers, body: String::from_utf8(body).map_err(io::Error::other)? })
    }
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    match stream.read_line(&mut line)? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}
