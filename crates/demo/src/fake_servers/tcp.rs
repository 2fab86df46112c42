//! A TCP port that listens while the fake server is online, and the connections on it.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use super::cached_status::{CachedStatus, CachedStatusSource};
use super::java::{self, JavaRequest};
use super::legacy;
use rollcall_minecraft::codec::FrameBuffer;

/// Listen backlog.
const BACKLOG: u32 = 4096;
/// Connections beyond this number are closed at once.
const MAX_CONNECTIONS: usize = 4096;
/// Timeout for a whole connection.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);
/// How often an idle server checks whether it should be online.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Limit for a client message, in bytes.
const MAX_MESSAGE: usize = 2048;
/// How long to wait for the second byte of a legacy ping. The oldest version sends only one.
const LEGACY_SECOND_BYTE_TIMEOUT: Duration = Duration::from_millis(200);
/// Pause after a failed accept (no file descriptors left), so that the loop does not spin.
const ACCEPT_ERROR_PAUSE: Duration = Duration::from_millis(50);

/// Binds a port without listening: connections are refused, and no other process can take the port.
fn reserve(address: SocketAddr) -> io::Result<(TcpSocket, SocketAddr)> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // SO_REUSEADDR takes a known port over from connections in TIME_WAIT. With port 0 it must not be set before binding,
    // or the system may choose a port that another socket with SO_REUSEADDR uses.
    socket.set_reuseaddr(address.port() != 0)?;
    socket.bind(address)?;
    socket.set_reuseaddr(true)?;
    let address = socket.local_addr()?;
    Ok((socket, address))
}

pub enum ServerPort {
    /// Bound but not listening, while the server is offline.
    Reserved(TcpSocket),
    Listening(TcpListener),
}

/// A server that is online can be pinged as soon as this returns.
pub fn open(address: SocketAddr, source: &CachedStatusSource) -> io::Result<(ServerPort, SocketAddr)> {
    let (socket, address) = reserve(address)?;
    let port = if source.current().is_some() {
        ServerPort::Listening(socket.listen(BACKLOG)?)
    } else {
        ServerPort::Reserved(socket)
    };
    Ok((port, address))
}

/// Starts and stops listening as the server goes online and offline. Never returns.
pub async fn run(mut port: ServerPort, address: SocketAddr, source: CachedStatusSource) {
    loop {
        match port {
            ServerPort::Listening(listener) => serve_while_online(listener, &source).await,
            ServerPort::Reserved(socket) => {
                while source.current().is_none() {
                    sleep(CHECK_INTERVAL).await;
                }
                match socket.listen(BACKLOG) {
                    Ok(listener) => serve_while_online(listener, &source).await,
                    Err(error) => tracing::warn!(%address, %error, "fake server cannot listen"),
                }
            }
        }
        port = loop {
            match reserve(address) {
                Ok((socket, _)) => break ServerPort::Reserved(socket),
                Err(error) => tracing::debug!(%address, %error, "fake server cannot reserve its port yet"),
            }
            sleep(CHECK_INTERVAL).await;
        };
    }
}

/// Returns when the server goes offline, which closes all its connections.
async fn serve_while_online(listener: TcpListener, source: &CachedStatusSource) {
    let mut connections = JoinSet::new();
    let mut check = interval(CHECK_INTERVAL);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => Some(accepted),
            _ = check.tick() => None,
        };
        let Some(status) = source.current() else { return };
        while connections.try_join_next().is_some() {}
        match accepted {
            Some(Ok((stream, _))) if connections.len() < MAX_CONNECTIONS => {
                connections.spawn(timeout(CONNECTION_TIMEOUT, handle_connection(stream, status)));
            }
            Some(Err(_)) => sleep(ACCEPT_ERROR_PAUSE).await,
            _ => {}
        }
    }
}

/// Errors only close the connection.
async fn handle_connection(mut stream: TcpStream, status: Arc<CachedStatus>) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = [0; 512];
    let mut read = stream.read(&mut buffer).await?;
    if buffer[..read].first() == Some(&legacy::PING_BYTE) {
        return answer_legacy_ping(stream, &status, &buffer[..read]).await;
    }
    let mut frames = FrameBuffer::new(MAX_MESSAGE);
    let mut after_handshake = false;
    while read > 0 {
        frames.push(&buffer[..read]);
        while let Some(message) = frames.next_message().map_err(io::Error::other)? {
            match java::parse_request(message, after_handshake).map_err(io::Error::other)? {
                JavaRequest::Handshake => after_handshake = true,
                JavaRequest::Status => {
                    wait(status.fields.delay).await;
                    stream.write_all(status.java_response()).await?;
                }
                // The game closes the connection after the pong.
                JavaRequest::Ping(payload) => {
                    wait(status.fields.delay).await;
                    return stream.write_all(&java::encode_pong(payload)).await;
                }
            }
        }
        read = stream.read(&mut buffer).await?;
    }
    Ok(())
}

async fn answer_legacy_ping(mut stream: TcpStream, status: &CachedStatus, first: &[u8]) -> io::Result<()> {
    let mut buffer = [0; 512];
    let since_1_4 = match first.get(1) {
        Some(second) => *second == legacy::SECOND_BYTE_SINCE_1_4,
        None => match timeout(LEGACY_SECOND_BYTE_TIMEOUT, stream.read(&mut buffer)).await {
            Ok(read) => buffer[..read?].first() == Some(&legacy::SECOND_BYTE_SINCE_1_4),
            Err(_) => false,
        },
    };
    wait(status.fields.delay).await;
    let response =
        if since_1_4 { legacy::encode_since_1_4(&status.fields) } else { legacy::encode_beta(&status.fields) };
    stream.write_all(&response).await?;
    stream.shutdown().await?;
    // Closing with unread input would send a reset, which can discard the response.
    while stream.read(&mut buffer).await? > 0 {}
    Ok(())
}

async fn wait(delay: Duration) {
    if !delay.is_zero() {
        sleep(delay).await;
    }
}
