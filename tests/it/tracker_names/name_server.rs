//! A name server on a port of its own, over UDP and TCP, that says what it is told to.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, AAAA, CNAME, SRV};
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::proto::serialize::binary::BinEncodable;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

/// What it says to a question.
pub enum Reply {
    Records(Vec<RData>),
    /// There is no such name.
    Missing,
    /// It cannot say.
    Failed,
    /// Nothing at all.
    Silence,
    /// These bytes, after the number of the question.
    Bytes(Vec<u8>),
    /// Over UDP only that there is more.
    Cut(Vec<RData>),
}

/// From a name, in lower case and without its last dot, and a type, to what is said. It holds for a minute where the name
/// begins with `lasting`, and for no longer than it takes elsewhere.
pub type Zone = Arc<dyn Fn(&str, RecordType) -> Reply + Send + Sync>;

pub struct NameServer {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl NameServer {
    pub async fn start(zone: impl Fn(&str, RecordType) -> Reply + Send + Sync + 'static) -> Self {
        let zone: Zone = Arc::new(zone);
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
            // The same port of the other protocol may be somebody's.
            if let Ok(tcp) = TcpListener::bind(udp.local_addr().expect("an address")).await {
                break (udp, tcp);
            }
        };
        let address = udp.local_addr().expect("an address");
        let mut tasks = JoinSet::new();
        tasks.spawn(datagrams(udp, zone.clone()));
        tasks.spawn(streams(tcp, zone));
        Self { address, _tasks: tasks }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

async fn datagrams(socket: UdpSocket, zone: Zone) {
    let mut buffer = [0; 2048];
    loop {
        let Ok((length, client)) = socket.recv_from(&mut buffer).await else { continue };
        if let Some(answer) = answer(&buffer[..length], &zone, true) {
            let _ = socket.send_to(&answer, client).await;
        }
    }
}

async fn streams(listener: TcpListener, zone: Zone) {
    let mut talks = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        talks.spawn(talk(stream, zone.clone()));
    }
}

/// Each message has its length in front.
async fn talk(mut stream: TcpStream, zone: Zone) -> std::io::Result<()> {
    loop {
        let mut question = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut question).await?;
        if let Some(answer) = answer(&question, &zone, false) {
            stream.write_u16(answer.len() as u16).await?;
            stream.write_all(&answer).await?;
        }
    }
}

fn answer(question: &[u8], zone: &Zone, over_udp: bool) -> Option<Vec<u8>> {
    let question = Message::from_vec(question).ok()?;
    let query = question.queries.first()?.clone();
    let name = query.name().to_lowercase().to_ascii();
    let mut message = Message::response(question.metadata.id, question.metadata.op_code);
    message.add_query(query.clone());
    let records = match zone(name.trim_end_matches('.'), query.query_type()) {
        Reply::Silence => return None,
        Reply::Bytes(bytes) => return Some([&question.metadata.id.to_be_bytes()[..], &bytes].concat()),
        Reply::Missing => {
            message.metadata.response_code = ResponseCode::NXDomain;
            vec![]
        }
        Reply::Failed => {
            message.metadata.response_code = ResponseCode::ServFail;
            vec![]
        }
        Reply::Cut(_) if over_udp => {
            message.metadata.truncation = true;
            vec![]
        }
        Reply::Records(records) | Reply::Cut(records) => records,
    };
    // Each with a pointer to the name in the question: so a message holds thousands.
    let mut bytes = message.to_vec().ok()?;
    for data in &records {
        let rest = data.to_bytes().ok()?;
        bytes.extend_from_slice(&[0xc0, 12]);
        bytes.extend_from_slice(&u16::from(data.record_type()).to_be_bytes());
        bytes.extend_from_slice(&[0, 1, 0, 0, 0, if name.starts_with("lasting") { 60 } else { 0 }]);
        bytes.extend_from_slice(&(rest.len() as u16).to_be_bytes());
        bytes.extend_from_slice(&rest);
    }
    bytes[6..8].copy_from_slice(&(records.len() as u16).to_be_bytes());
    Some(bytes)
}

/// An address as a record of its kind, if that is what is asked for.
pub fn address(text: &str, wanted: RecordType) -> Reply {
    match (text.parse().expect("an address"), wanted) {
        (IpAddr::V4(four), RecordType::A) => Reply::Records(vec![RData::A(A(four))]),
        (IpAddr::V6(six), RecordType::AAAA) => Reply::Records(vec![RData::AAAA(AAAA(six))]),
        _ => Reply::Records(vec![]),
    }
}

pub fn name(text: &str) -> Name {
    Name::from_ascii(text).expect("a name")
}

pub fn alias(target: &str) -> RData {
    RData::CNAME(CNAME(name(target)))
}

pub fn service(priority: u16, port: u16, target: &str) -> RData {
    RData::SRV(SRV::new(priority, 0, port, name(target)))
}
