//! A port that behaves like a hostile game server.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::task::AbortHandle;

/// What happens to a connection.
#[derive(Clone)]
pub enum TcpBehavior {
    /// Reads the request, replies, and waits.
    Reply(Vec<u8>),
    /// Replies before the request, and waits.
    ReplyFirst(Vec<u8>),
    /// Replies and closes.
    ReplyAndClose(Vec<u8>),
    /// Replies and resets the connection.
    ReplyAndReset(Vec<u8>),
    /// Replies one byte at a time, with a pause after each.
    ByteByByte(Vec<u8>, Duration),
    /// Replies in two segments.
    TwoParts(Vec<u8>, Vec<u8>),
    /// Sends the first bytes once and the second ones for ever.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends the request back.
    Echo,
    /// Closes without reading.
    Close,
    /// Resets without reading.
    Reset,
    /// Never accepts, and the backlog is full.
    NeverAccepts,
    /// Nothing listens on the port.
    NotListening,
    /// Closes the connection unless the request is a legacy ping.
    LegacyOnly(Box<TcpBehavior>),
}

/// The datagrams that are sent for a datagram.
pub type UdpBehavior = Arc<dyn Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync>;

/// Listens until it is dropped.
pub struct HostileListener {
    pub address: SocketAddr,
    task: Option<AbortHandle>,
    /// Connections that fill the backlog.
    _waiting: Vec<TcpStream>,
    _listener: Option<TcpListener>,
}

impl Drop for HostileListener {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl HostileListener {
    pub async fn tcp(behavior: TcpBehavior) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
        let address = socket.local_addr().expect("an address");
        let (mut waiting, mut listener, mut task) = (Vec::new(), None, None);
        match behavior {
            TcpBehavior::NotListening => {}
            TcpBehavior::NeverAccepts => {
                listener = Some(socket.listen(1).expect("a listener"));
                while let Ok(Ok(stream)) =
                    tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(address)).await
                {
                    waiting.push(stream);
                }
            }
            behavior => {
                let listener = socket.listen(64).expect("a listener");
                let serving = async move {
                    while let Ok((stream, _)) = listener.accept().await {
                        let behavior = behavior.clone();
                        tokio::spawn(tokio::time::timeout(Duration::from_secs(20), serve(stream, behavior)));
                    }
                };
                task = Some(tokio::spawn(serving).abort_handle());
            }
        }
        Self { address, task, _waiting: waiting, _listener: listener }
    }

    pub async fn udp(behavior: UdpBehavior) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = socket.local_addr().expect("an address");
        let serving = async move {
            let mut buffer = [0; 2048];
            loop {
                // An error means that the client has left.
                let Ok((length, client)) = socket.recv_from(&mut buffer).await else { continue };
                for response in behavior(&buffer[..length]) {
                    let _ = socket.send_to(&response, client).await;
                }
            }
        };
        let task = Some(tokio::spawn(serving).abort_handle());
        Self { address, task, _waiting: Vec::new(), _listener: None }
    }
}

/// Errors mean that the client has left.
async fn serve(mut stream: TcpStream, behavior: TcpBehavior) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut request = [0; 2048];
    let mut length = 0;
    if !matches!(behavior, TcpBehavior::Close | TcpBehavior::Reset | TcpBehavior::ReplyFirst(_)) {
        length = stream.read(&mut request).await?;
    }
    let behavior = match behavior {
        TcpBehavior::LegacyOnly(inner) if request[..length].first() == Some(&0xfe) => *inner,
        TcpBehavior::LegacyOnly(_) => TcpBehavior::Close,
        other => other,
    };
    match behavior {
        TcpBehavior::Reply(bytes) | TcpBehavior::ReplyFirst(bytes) => stream.write_all(&bytes).await?,
        TcpBehavior::ReplyAndClose(bytes) => {
            stream.write_all(&bytes).await?;
            stream.shutdown().await?;
        }
        TcpBehavior::ReplyAndReset(bytes) => {
            stream.write_all(&bytes).await?;
            return stream.set_zero_linger();
        }
        TcpBehavior::ByteByByte(bytes, pause) => {
            for byte in bytes {
                stream.write_all(&[byte]).await?;
                if pause.is_zero() { tokio::task::yield_now().await } else { tokio::time::sleep(pause).await }
            }
        }
        TcpBehavior::TwoParts(first, second) => {
            stream.write_all(&first).await?;
            tokio::time::sleep(Duration::from_millis(2)).await;
            stream.write_all(&second).await?;
        }
        TcpBehavior::Endless(bytes, more) => {
            stream.write_all(&bytes).await?;
            loop {
                stream.write_all(&more).await?;
            }
        }
        TcpBehavior::Echo => stream.write_all(&request[..length]).await?,
        TcpBehavior::Close => return Ok(()),
        TcpBehavior::Reset => return stream.set_zero_linger(),
        TcpBehavior::NeverAccepts | TcpBehavior::NotListening | TcpBehavior::LegacyOnly(_) => {}
    }
    while stream.read(&mut request).await? > 0 {}
    Ok(())
}
