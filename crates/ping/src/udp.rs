//! Bedrock Edition and queries, over UDP. A datagram may be lost, so each question is asked twice; one that is no answer to
//! ours may come from anybody, so it is passed over.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::Instant;

use super::bedrock::{pong, unconnected_ping};
use super::failure::Failure;
use super::query::{challenge, full_stat, query_challenge, query_request};
use super::status::Status;
use super::wire::Wrong;

/// Bytes of an answer that are taken: a pong is short, a list of players fills a datagram. A longer one is cut.
const PONG: usize = 8 * 1024;
const LIST: usize = 64 * 1024;
/// Datagrams that are no answer, until we stop listening.
const STRANGE: usize = 16;
/// The question is asked again after this share of the deadline.
const AGAIN: u32 = 3;

pub async fn bedrock(address: SocketAddr, deadline: Duration) -> Result<(Status, Duration), Failure> {
    let (stamp, client) = (rand::random(), rand::random());
    let mut talk = Talk::with(address, deadline, PONG).await?;
    talk.ask(&unconnected_ping(stamp, client), |datagram| pong(datagram, stamp)).await
}

/// Everything that a query tells.
pub async fn query(address: SocketAddr, deadline: Duration) -> Result<Status, Failure> {
    let session = rand::random();
    let mut talk = Talk::with(address, deadline, LIST).await?;
    let (number, _) = talk.ask(&query_challenge(session), |datagram| challenge(datagram, session)).await?;
    let (status, _) = talk.ask(&query_request(session, number), |datagram| full_stat(datagram, session)).await?;
    Ok(status)
}

struct Talk {
    socket: UdpSocket,
    address: SocketAddr,
    again: Duration,
    largest: usize,
}

impl Talk {
    /// The system hands on only what comes from that address.
    async fn with(address: SocketAddr, deadline: Duration, largest: usize) -> Result<Self, Failure> {
        let any: SocketAddr = match address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let lost = |error: std::io::Error| Failure::of_socket(&error, address.ip());
        let socket = UdpSocket::bind(any).await.map_err(lost)?;
        socket.connect(address).await.map_err(lost)?;
        Ok(Self { socket, address, again: deadline / AGAIN, largest })
    }

    /// Asks until something comes that `read` takes for the answer. The deadline is the caller's.
    async fn ask<T>(
        &mut self,
        question: &[u8],
        read: impl Fn(&[u8]) -> Result<T, Wrong>,
    ) -> Result<(T, Duration), Failure> {
        let lost = |error: std::io::Error| Failure::of_socket(&error, self.address.ip());
        let hear = || self.hear(&read);
        let mut asked = Instant::now();
        self.socket.send(question).await.map_err(lost)?;
        let mut asked_again = false;
        let mut strange = 0;
        loop {
            let heard = if asked_again {
                hear().await
            } else {
                match tokio::time::timeout(self.again, hear()).await {
                    Ok(heard) => heard,
                    Err(_) => {
                        asked_again = true;
                        asked = Instant::now();
                        self.socket.send(question).await.map_err(lost)?;
                        continue;
                    }
                }
            };
            match heard.map_err(lost)? {
                Ok(told) => return Ok((told, asked.elapsed())),
                Err(wrong) => {
                    strange += 1;
                    if strange > STRANGE {
                        return Err(wrong.into());
                    }
                }
            }
        }
    }
    /// What the next datagram says. Room for it is taken once it is there: thousands may be waited for at once.
    async fn hear<T>(&self, read: impl Fn(&[u8]) -> Result<T, Wrong>) -> std::io::Result<Result<T, Wrong>> {
        loop {
            self.socket.readable().await?;
            let mut buffer = vec![0; self.largest];
            match self.socket.try_recv(&mut buffer) {
                Ok(count) => return Ok(read(&buffer[..count])),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
    }
}
