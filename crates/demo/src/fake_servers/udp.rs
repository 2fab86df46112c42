//! UDP protocols: each datagram is answered on its own, without state per client.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::bedrock;
use super::cached_status::CachedStatusSource;
use super::query::{self, QueryRequest};
use super::status::FakeStatus;
use rollcall_model::hash::splitmix64;

/// Receive buffer, in bytes. The longest known request has 33.
const MAX_REQUEST: usize = 128;
/// Delayed responses at once. Requests beyond this number are dropped.
const MAX_DELAYED: usize = 1024;
/// Pause after a socket error, so that the loop does not spin.
const SOCKET_ERROR_PAUSE: Duration = Duration::from_millis(50);

pub fn bind(address: SocketAddr) -> io::Result<(UdpSocket, SocketAddr)> {
    let socket = std::net::UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    Ok((UdpSocket::from_std(socket)?, address))
}

#[derive(Clone, Copy)]
pub enum UdpProtocol {
    Bedrock { server_id: u64, port: u16 },
    Query { secret: u64, own_address: SocketAddr },
}

impl UdpProtocol {
    /// The server id is derived from the port, which is unique on this machine.
    pub fn bedrock(own_address: SocketAddr) -> Self {
        Self::Bedrock { server_id: splitmix64(own_address.port().into()), port: own_address.port() }
    }

    pub fn query(own_address: SocketAddr) -> Self {
        Self::Query { secret: rand::random(), own_address }
    }

    /// `None` when the datagram is not a request or its challenge token is wrong.
    fn respond(self, datagram: &[u8], client: SocketAddr, status: &FakeStatus) -> Option<Vec<u8>> {
        match self {
            Self::Bedrock { server_id, port } => {
                bedrock::parse_ping(datagram).map(|timestamp| bedrock::encode_pong(status, timestamp, server_id, port))
            }
            Self::Query { secret, own_address } => {
                let token = query::challenge_token(client, secret);
                match query::parse_request(datagram)? {
                    QueryRequest::Challenge(session) => Some(query::encode_challenge(session, token)),
                    QueryRequest::Basic(session, given) => {
                        (given == token).then(|| query::encode_basic_stat(status, session, own_address))
                    }
                    QueryRequest::Full(session, given) => {
                        (given == token).then(|| query::encode_full_stat(status, session, own_address))
                    }
                }
            }
        }
    }
}

/// Answers datagrams. Never returns.
pub async fn run(socket: UdpSocket, protocol: UdpProtocol, source: CachedStatusSource) {
    let socket = Arc::new(socket);
    let mut delayed = JoinSet::new();
    let mut buffer = [0; MAX_REQUEST];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut buffer).await else {
            sleep(SOCKET_ERROR_PAUSE).await;
            continue;
        };
        let Some(status) = source.current() else { continue };
        let Some(response) = protocol.respond(&buffer[..length], client, &status.fields) else { continue };
        if status.fields.delay.is_zero() {
            // A response that cannot be sent is lost, like any datagram.
            let _ = socket.send_to(&response, client).await;
            continue;
        }
        while delayed.try_join_next().is_some() {}
        if delayed.len() < MAX_DELAYED {
            let (socket, delay) = (Arc::clone(&socket), status.fields.delay);
            delayed.spawn(async move {
                sleep(delay).await;
                let _ = socket.send_to(&response, client).await;
            });
        }
    }
}
