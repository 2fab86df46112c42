//! Bedrock Edition and Query over UDP. Datagrams get lost, so each request is sent twice. Anyone can send us a datagram, so
//! those that do not match the request are ignored.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::Instant;

use super::bedrock::{decode_pong, encode_unconnected_ping};
use super::error::PingError;
use super::gamespy_query::{decode_challenge, decode_full_stat, encode_challenge_request, encode_full_stat_request};
use super::status::ServerStatus;
use super::wire::DecodeError;

/// Receive buffer sizes. A pong is short; a player list can fill a datagram. Longer datagrams are truncated.
const PONG_BUFFER: usize = 8 * 1024;
const QUERY_BUFFER: usize = 64 * 1024;
/// Datagrams that do not match the request before the exchange fails.
const MAX_UNRELATED: usize = 16;
/// The request is resent after this fraction of the timeout.
const RESEND_AFTER: u32 = 3;

/// Pings a Bedrock server. The caller enforces `timeout`; here it only sets when to resend.
pub async fn ping_bedrock(address: SocketAddr, timeout: Duration) -> Result<(ServerStatus, Duration), PingError> {
    let (timestamp, client_guid) = (rand::random(), rand::random());
    let exchange = UdpExchange::connect(address, timeout, PONG_BUFFER).await?;
    let ping = encode_unconnected_ping(timestamp, client_guid);
    exchange.request(&ping, |datagram| decode_pong(datagram, timestamp)).await
}

/// Requests the full stat of a Query server. The caller enforces `timeout`.
pub async fn query(address: SocketAddr, timeout: Duration) -> Result<ServerStatus, PingError> {
    let session = rand::random();
    let exchange = UdpExchange::connect(address, timeout, QUERY_BUFFER).await?;
    let request = encode_challenge_request(session);
    let (challenge, _) = exchange.request(&request, |datagram| decode_challenge(datagram, session)).await?;
    let request = encode_full_stat_request(session, challenge);
    let (status, _) = exchange.request(&request, |datagram| decode_full_stat(datagram, session)).await?;
    Ok(status)
}

struct UdpExchange {
    socket: UdpSocket,
    address: SocketAddr,
    resend_after: Duration,
    buffer_size: usize,
}

impl UdpExchange {
    /// Connects the socket, so that the kernel drops datagrams from other addresses.
    async fn connect(address: SocketAddr, timeout: Duration, buffer_size: usize) -> Result<Self, PingError> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let io_error = |error: std::io::Error| PingError::from_io(&error, address.ip());
        let socket = UdpSocket::bind(any).await.map_err(io_error)?;
        socket.connect(address).await.map_err(io_error)?;
        Ok(Self { socket, address, resend_after: timeout / RESEND_AFTER, buffer_size })
    }

    /// Sends `request` until a datagram arrives that `decode` accepts. Returns it with the latency of the last send.
    async fn request<T>(
        &self,
        request: &[u8],
        decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
    ) -> Result<(T, Duration), PingError> {
        let io_error = |error: std::io::Error| PingError::from_io(&error, self.address.ip());
        let receive = || self.receive(&decode);
        let mut sent_at = Instant::now();
        self.socket.send(request).await.map_err(io_error)?;
        let mut resent = false;
        let mut unrelated = 0;
        loop {
            let received = if resent {
                receive().await
            } else {
                match tokio::time::timeout(self.resend_after, receive()).await {
                    Ok(received) => received,
                    Err(_) => {
                        resent = true;
                        sent_at = Instant::now();
                        self.socket.send(request).await.map_err(io_error)?;
                        continue;
                    }
                }
            };
            match received.map_err(io_error)? {
                Ok(reply) => return Ok((reply, sent_at.elapsed())),
                Err(error) => {
                    unrelated += 1;
                    if unrelated > MAX_UNRELATED {
                        return Err(error.into());
                    }
                }
            }
        }
    }

    /// Decodes the next datagram. The buffer is allocated once data is there: thousands of pings may wait at the same time.
    async fn receive<T>(
        &self,
        decode: impl Fn(&[u8]) -> Result<T, DecodeError>,
    ) -> std::io::Result<Result<T, DecodeError>> {
        loop {
            self.socket.readable().await?;
            let mut buffer = vec![0; self.buffer_size];
            match self.socket.try_recv(&mut buffer) {
                Ok(count) => return Ok(decode(&buffer[..count])),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
