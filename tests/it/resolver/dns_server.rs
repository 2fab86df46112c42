//! A DNS server over UDP and TCP with programmed replies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use hickory_resolver::proto::op::{Message, ResponseCode};
use hickory_resolver::proto::rr::rdata::{A, AAAA, CNAME, SRV};
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::proto::serialize::binary::BinEncodable;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::task::JoinSet;

/// The reply to one question.
pub enum Reply {
    Records(Vec<RData>),
    /// NXDOMAIN.
    Missing,
    /// SERVFAIL.
    Failed,
    /// No reply.
    Silence,
    /// These bytes after the id of the question.
    Bytes(Vec<u8>),
    /// Truncated over UDP, complete over TCP.
    Truncated(Vec<RData>),
}

/// The reply to a name (lower case, without the final dot) and a record type. The TTL is a minute for names that begin with
/// `lasting`, else zero.
pub type Zone = Arc<dyn Fn(&str, RecordType) -> Reply + Send + Sync>;

pub struct DnsServer {
    address: SocketAddr,
    _tasks: JoinSet<()>,
}

impl DnsServer {
    pub async fn start(zone: impl Fn(&str, RecordType) -> Reply + Send + Sync + 'static) -> Self {
        let zone: Zone = Arc::new(zone);
        let (udp, tcp) = loop {
            let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
            // The same port may be taken for the other protocol.
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

/// Over TCP each message has a length prefix.
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
        Reply::Truncated(_) if over_udp => {
            message.metadata.truncation = true;
            vec![]
        }
        Reply::Records(records) | Reply::Truncated(records) => records,
    };
    // A compression pointer to the name of the question, so that thousands of records fit.
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

/// An A or AAAA record with this address, if that is the requested type.
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
