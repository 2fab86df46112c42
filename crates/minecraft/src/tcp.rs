//! Java Edition over TCP: connects, sends one request and reads one reply.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::error::PingError;
use super::legacy::{MAX_LEGACY_REPLY, decode_legacy_reply, encode_legacy_request};
use super::ping_protocol::PingProtocol;
use super::server_list_ping::{self, MAX_MESSAGE};
use super::status::ServerStatus;
use super::target::Host;
use super::wire::{DecodeError, FrameBuffer};

/// Bytes to reserve before a read; most replies, icon included, fit. Reserved only once data is there, so idle servers cost
/// no memory.
const READ_SIZE: usize = 16 * 1024;
/// Protocol version "unspecified".
const ANY_PROTOCOL_VERSION: i32 = -1;

/// Connects to the first address that accepts. Each attempt leaves time for the rest; the last one has no timeout of its own,
/// because the caller enforces `deadline`.
pub async fn connect(addresses: &[SocketAddr], deadline: Instant) -> Result<(TcpStream, SocketAddr), PingError> {
    let mut last_error = PingError::TimedOut;
    for (index, address) in addresses.iter().enumerate() {
        let remaining = (addresses.len() - index) as u32;
        let connecting = TcpStream::connect(address);
        let outcome = if remaining == 1 {
            Ok(connecting.await)
        } else {
            let now = Instant::now();
            tokio::time::timeout_at(now + deadline.saturating_duration_since(now) / remaining, connecting).await
        };
        match outcome {
            Ok(Ok(stream)) => return Ok((stream, *address)),
            Ok(Err(error)) => last_error = PingError::from_io(&error, address.ip()),
            Err(_) => last_error = PingError::TimedOut,
        }
    }
    Err(last_error)
}

/// Sends the request and reads the reply; returns the status and the latency. The request names `host`, because proxies
/// route by it.
pub async fn exchange(
    mut stream: TcpStream,
    protocol: PingProtocol,
    host: &Host,
    port: u16,
    address: IpAddr,
) -> Result<(ServerStatus, Duration), PingError> {
    let io_error = |error: std::io::Error| PingError::from_io(&error, address);
    // Reset on close: thousands of pings per minute would otherwise exhaust ports in TIME_WAIT. TCP_NODELAY is not needed,
    // because there is only one write.
    let _ = stream.set_zero_linger();
    let request = match protocol {
        PingProtocol::Legacy(version) => encode_legacy_request(version, &host.to_string(), port),
        PingProtocol::Modern | PingProtocol::Bedrock => {
            let mut request = server_list_ping::encode_handshake(&host.to_string(), port, ANY_PROTOCOL_VERSION);
            request.extend_from_slice(&server_list_ping::STATUS_REQUEST);
            request
        }
    };
    let sent_at = Instant::now();
    stream.write_all(&request).await.map_err(io_error)?;
    let status = match protocol {
        PingProtocol::Legacy(_) => read_legacy_status(&stream).await,
        PingProtocol::Modern | PingProtocol::Bedrock => read_status(&stream).await,
    };
    let status = status.map_err(|error| match error {
        ReadError::Io(error) => io_error(error),
        ReadError::Ping(error) => error,
    })?;
    Ok((status, sent_at.elapsed()))
}

enum ReadError {
    Io(std::io::Error),
    Ping(PingError),
}

impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        Self::Ping(error.into())
    }
}

async fn read_status(stream: &TcpStream) -> Result<ServerStatus, ReadError> {
    let mut frames = FrameBuffer::new(MAX_MESSAGE);
    loop {
        stream.readable().await.map_err(ReadError::Io)?;
        if !read_available(stream, frames.spare(READ_SIZE))? {
            continue;
        }
        // Fail at the first wrong byte instead of reading the whole message.
        if frames.first_byte().is_some_and(|byte| !server_list_ping::is_status(byte)) {
            return Err(server_list_ping::NOT_A_STATUS.into());
        }
        if let Some(message) = frames.next_message()? {
            return Ok(server_list_ping::decode_status(message)?);
        }
    }
}

async fn read_legacy_status(stream: &TcpStream) -> Result<ServerStatus, ReadError> {
    let mut buffer = Vec::new();
    loop {
        stream.readable().await.map_err(ReadError::Io)?;
        buffer.reserve(MAX_LEGACY_REPLY);
        if read_available(stream, &mut buffer)? {
            buffer.truncate(MAX_LEGACY_REPLY);
            if let Some(status) = decode_legacy_reply(&buffer)? {
                return Ok(status);
            }
        }
    }
}

/// Appends the available bytes to `buffer`. Returns false if there were none.
fn read_available(stream: &TcpStream, buffer: &mut Vec<u8>) -> Result<bool, ReadError> {
    match stream.try_read_buf(buffer) {
        Ok(0) => Err(ReadError::Ping(PingError::Closed)),
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
        Err(error) => Err(ReadError::Io(error)),
    }
}
