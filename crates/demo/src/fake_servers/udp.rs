//! Datagrams: a question, an answer, and nothing remembered between them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::bedrock;
use super::query::{self, Question};
use super::status::{Says, Telling};
use crate::rng::mix;

/// Bytes of a question; the longest we know has 33.
const LONGEST: usize = 128;
/// Answers on their way at once; who asks on top of them gets none.
const MOST: usize = 1024;
/// After an error of the socket, so that the loop does not spin.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes a port.
pub fn bind(address: SocketAddr) -> io::Result<(UdpSocket, SocketAddr)> {
    let socket = std::net::UdpSocket::bind(address)?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    Ok((UdpSocket::from_std(socket)?, address))
}

/// Which protocol a host speaks, and what it needs to know for that.
#[derive(Clone, Copy)]
pub enum Speaks {
    Bedrock { id: u64, port: u16 },
    Query { secret: u64, own: SocketAddr },
}

impl Speaks {
    /// Two hosts on one machine have two ports.
    pub fn bedrock(own: SocketAddr) -> Self {
        Self::Bedrock { id: mix(own.port().into()), port: own.port() }
    }

    pub fn query(own: SocketAddr) -> Self {
        Self::Query { secret: rand::random(), own }
    }

    /// `None` for whatever is no question, or comes from whom it does not say.
    fn answer(self, datagram: &[u8], client: SocketAddr, says: &Says) -> Option<Vec<u8>> {
        match self {
            Self::Bedrock { id, port } => bedrock::stamp(datagram).map(|stamp| bedrock::pong(says, stamp, id, port)),
            Self::Query { secret, own } => {
                let token = query::token(client, secret);
                match query::question(datagram)? {
                    Question::Challenge(session) => Some(query::challenge(session, token)),
                    Question::Basic(session, given) => (given == token).then(|| query::basic(says, session, own)),
                    Question::Full(session, given) => (given == token).then(|| query::full(says, session, own)),
                }
            }
        }
    }
}

pub async fn keep(socket: UdpSocket, speaks: Speaks, telling: Telling) {
    let socket = Arc::new(socket);
    let mut waiting = JoinSet::new();
    let mut buffer = [0; LONGEST];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut buffer).await else {
            sleep(PAUSE).await;
            continue;
        };
        let Some(told) = telling.now() else { continue };
        let Some(answer) = speaks.answer(&buffer[..length], client, &told.says) else { continue };
        if told.says.delay.is_zero() {
            // An answer that cannot be sent is lost, as datagrams are.
            let _ = socket.send_to(&answer, client).await;
            continue;
        }
        while waiting.try_join_next().is_some() {}
        if waiting.len() < MOST {
            let (socket, delay) = (Arc::clone(&socket), told.says.delay);
            waiting.spawn(async move {
                sleep(delay).await;
                let _ = socket.send_to(&answer, client).await;
            });
        }
    }
}
