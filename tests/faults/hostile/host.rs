//! A port with somebody hostile behind it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UdpSocket};
use tokio::task::AbortHandle;

/// What is done with a connection.
#[derive(Clone)]
pub enum Tcp {
    /// Hears the question, says this, and waits.
    Says(Vec<u8>),
    /// Says it before it was asked, and waits.
    SaysFirst(Vec<u8>),
    /// The same, and hangs up.
    Closes(Vec<u8>),
    /// The same, and takes back all that is under way.
    Resets(Vec<u8>),
    /// A byte at a time.
    Drips(Vec<u8>, Duration),
    /// One part, and after a moment the other.
    Parts(Vec<u8>, Vec<u8>),
    /// Says this once and that for ever, as fast as it is read.
    Endless(Vec<u8>, Vec<u8>),
    /// Sends back what it hears.
    Echoes,
    /// Hangs up, or resets, without a word.
    HangsUp,
    Drops,
    /// Nobody ever accepts, and no more can wait.
    NeverAccepts,
    /// Nobody listens.
    Absent,
    /// Hangs up on everyone but those who speak the old forms.
    Old(Box<Tcp>),
}

/// What is sent for a datagram: any number of others.
pub type Udp = Arc<dyn Fn(&[u8]) -> Vec<Vec<u8>> + Send + Sync>;

/// Ends with its last reference.
pub struct Host {
    pub address: SocketAddr,
    task: Option<AbortHandle>,
    /// What makes a port be full.
    _waiting: Vec<TcpStream>,
    _kept: Option<TcpListener>,
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Host {
    pub async fn tcp(manner: Tcp) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((Ipv4Addr::LOCALHOST, 0).into()).expect("a port");
        let address = socket.local_addr().expect("an address");
        let (mut waiting, mut kept, mut task) = (Vec::new(), None, None);
        match manner {
            Tcp::Absent => {}
            Tcp::NeverAccepts => {
                kept = Some(socket.listen(1).expect("a listener"));
                while let Ok(Ok(stream)) =
                    tokio::time::timeout(Duration::from_millis(100), TcpStream::connect(address)).await
                {
                    waiting.push(stream);
                }
            }
            manner => {
                let listener = socket.listen(64).expect("a listener");
                let serving = async move {
                    while let Ok((stream, _)) = listener.accept().await {
                        let manner = manner.clone();
                        tokio::spawn(tokio::time::timeout(Duration::from_secs(20), serve(stream, manner)));
                    }
                };
                task = Some(tokio::spawn(serving).abort_handle());
            }
        }
        Self { address, task, _waiting: waiting, _kept: kept }
    }

    pub async fn udp(manner: Udp) -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        let address = socket.local_addr().expect("an address");
        let serving = async move {
            let mut buffer = [0; 2048];
            loop {
                // An error is somebody who has left.
                let Ok((length, client)) = socket.recv_from(&mut buffer).await else { continue };
                for answer in manner(&buffer[..length]) {
                    let _ = socket.send_to(&answer, client).await;
                }
            }
        };
        let task = Some(tokio::spawn(serving).abort_handle());
        Self { address, task, _waiting: Vec::new(), _kept: None }
    }
}

/// Whatever goes wrong, the other side has left.
async fn serve(mut stream: TcpStream, manner: Tcp) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut question = [0; 2048];
    let mut heard = 0;
    if !matches!(manner, Tcp::HangsUp | Tcp::Drops | Tcp::SaysFirst(_)) {
        heard = stream.read(&mut question).await?;
    }
    let manner = match manner {
        Tcp::Old(inner) if question[..heard].first() == Some(&0xfe) => *inner,
        Tcp::Old(_) => Tcp::HangsUp,
        other => other,
    };
    match manner {
        Tcp::Says(words) | Tcp::SaysFirst(words) => stream.write_all(&words).await?,
        Tcp::Closes(words) => {
            stream.write_all(&words).await?;
            stream.shutdown().await?;
        }
        Tcp::Resets(words) => {
            stream.write_all(&words).await?;
            return stream.set_zero_linger();
        }
        Tcp::Drips(words, pause) => {
            for byte in words {
                stream.write_all(&[byte]).await?;
                if pause.is_zero() { tokio::task::yield_now().await } else { tokio::time::sleep(pause).await }
            }
        }
        Tcp::Parts(first, second) => {
            stream.write_all(&first).await?;
            tokio::time::sleep(Duration::from_millis(2)).await;
            stream.write_all(&second).await?;
        }
        Tcp::Endless(words, more) => {
            stream.write_all(&words).await?;
            loop {
                stream.write_all(&more).await?;
            }
        }
        Tcp::Echoes => stream.write_all(&question[..heard]).await?,
        Tcp::HangsUp => return Ok(()),
        Tcp::Drops => return stream.set_zero_linger(),
        Tcp::NeverAccepts | Tcp::Absent | Tcp::Old(_) => {}
    }
    while stream.read(&mut question).await? > 0 {}
    Ok(())
}
