//! A port that is open while the server is up, and the conversations on it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use super::java::{self, Wish};
use super::legacy;
use super::status::{Telling, Told};
use rollcall_ping::codec::Frames;

/// Connections that the system keeps for us until they are accepted.
const BACKLOG: u32 = 4096;
/// Connections at once; who comes on top of them is turned away.
const MOST: usize = 4096;
/// How long a client may take for all of it.
const PATIENCE: Duration = Duration::from_secs(5);
/// How often a server that nobody asks is looked after.
const LOOK: Duration = Duration::from_secs(1);
/// Bytes of a message: no client has more to say than whom it asks.
const LONGEST: usize = 2048;
/// How long the rest of an old ping may take to follow its first byte, when that byte may be all of it.
const REST: Duration = Duration::from_millis(200);
/// After a refused accept (no file descriptors left), so that the loop does not spin.
const PAUSE: Duration = Duration::from_millis(50);

/// Takes a port without listening: who knocks is refused, and nobody else gets it.
fn reserve(address: SocketAddr) -> io::Result<(TcpSocket, SocketAddr)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A known port is taken over from connections that the system has not forgotten yet. Any port must be one that nobody
    // has, and the system would share those of others who allow it, so it is allowed only afterwards.
    socket.set_reuseaddr(address.port() != 0)?;
    socket.bind(address)?;
    socket.set_reuseaddr(true)?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}

/// A port of ours: closed while the server is down.
pub enum Door {
    Shut(TcpSocket),
    Open(TcpListener),
}

/// A server that is up from the beginning can be asked as soon as this returns.
pub fn open(address: SocketAddr, telling: &Telling) -> io::Result<(Door, SocketAddr)> {
    let (socket, address) = reserve(address)?;
    let door = if telling.now().is_some() { Door::Open(socket.listen(BACKLOG)?) } else { Door::Shut(socket) };
    Ok((door, address))
}

/// Opens and closes as the server goes up and down.
pub async fn keep(mut door: Door, address: SocketAddr, telling: Telling) {
    loop {
        match door {
            Door::Open(listener) => serve(listener, &telling).await,
            Door::Shut(socket) => {
                while telling.now().is_none() {
                    sleep(LOOK).await;
                }
                match socket.listen(BACKLOG) {
                    Ok(listener) => serve(listener, &telling).await,
                    Err(error) => tracing::warn!(%address, %error, "a simulated server cannot open"),
                }
            }
        }
        door = loop {
            match reserve(address) {
                Ok((socket, _)) => break Door::Shut(socket),
                Err(error) => tracing::debug!(%address, %error, "a simulated server waits for its port"),
            }
            sleep(LOOK).await;
        };
    }
}

/// Until the server goes down, which ends all conversations.
async fn serve(listener: TcpListener, telling: &Telling) {
    let mut conversations = JoinSet::new();
    let mut look = interval(LOOK);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => Some(accepted),
            _ = look.tick() => None,
        };
        let Some(told) = telling.now() else { return };
        while conversations.try_join_next().is_some() {}
        match accepted {
            Some(Ok((stream, _))) if conversations.len() < MOST => {
                conversations.spawn(timeout(PATIENCE, converse(stream, told)));
            }
            Some(Err(_)) => sleep(PAUSE).await,
            _ => {}
        }
    }
}

/// Whatever goes wrong is the client's affair.
async fn converse(mut stream: TcpStream, told: Arc<Told>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 512];
    let mut read = stream.read(&mut buffer).await?;
    if buffer[..read].first() == Some(&legacy::ASK) {
        return old(stream, &told, &buffer[..read]).await;
    }
    let mut frames = Frames::new(LONGEST);
    let mut begun = false;
    while read > 0 {
        frames.push(&buffer[..read]);
        while let Some(message) = frames.message().map_err(io::Error::other)? {
            match java::wish(message, begun).map_err(io::Error::other)? {
                Wish::Begin => begun = true,
                Wish::Status => {
                    wait(told.says.delay).await;
                    stream.write_all(told.status()).await?;
                }
                // The game hangs up after it.
                Wish::Ping(payload) => {
                    wait(told.says.delay).await;
                    return stream.write_all(&java::pong(payload)).await;
                }
            }
        }
        read = stream.read(&mut buffer).await?;
    }
    Ok(())
}

async fn old(mut stream: TcpStream, told: &Told, first: &[u8]) -> io::Result<()> {
    let mut buffer = [0; 512];
    let since_1_4 = match first.get(1) {
        Some(second) => *second == legacy::SINCE_1_4,
        None => match timeout(REST, stream.read(&mut buffer)).await {
            Ok(read) => buffer[..read?].first() == Some(&legacy::SINCE_1_4),
            Err(_) => false,
        },
    };
    wait(told.says.delay).await;
    let answer = if since_1_4 { legacy::marked(&told.says) } else { legacy::bare(&told.says) };
    stream.write_all(&answer).await?;
    stream.shutdown().await?;
    // Hanging up while bytes of theirs are on the way would take the answer back.
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn wait(delay: Duration) {
    if !delay.is_zero() {
        sleep(delay).await;
    }
}
