//! One fake server on its own port.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::task::AbortHandle;

use super::cached_status::CachedStatusSource;
use super::status::StatusSource;
use super::udp::UdpProtocol;
use super::{tcp, udp};

/// Answers until it is dropped. Must be created inside a Tokio runtime; costs one socket and one task.
pub struct FakeServer {
    address: SocketAddr,
    task: AbortHandle,
}

impl FakeServer {
    /// Java Edition over TCP, with Server List Ping and the legacy pings. While the source returns `None`, connections
    /// are refused but the port stays reserved.
    pub fn java(ip: IpAddr, port: u16, source: StatusSource) -> io::Result<Self> {
        let source = CachedStatusSource::new(source);
        let (port, address) = tcp::open(SocketAddr::new(ip, port), &source)?;
        let task = tokio::spawn(tcp::run(port, address, source)).abort_handle();
        Ok(Self { address, task })
    }

    /// Bedrock Edition over UDP. While the source returns `None`, it does not answer.
    pub fn bedrock(ip: IpAddr, port: u16, source: StatusSource) -> io::Result<Self> {
        Self::udp(ip, port, source, UdpProtocol::bedrock)
    }

    /// GameSpy Query over UDP, with the names of all players. While the source returns `None`, it does not answer.
    pub fn query(ip: IpAddr, port: u16, source: StatusSource) -> io::Result<Self> {
        Self::udp(ip, port, source, UdpProtocol::query)
    }

    fn udp(ip: IpAddr, port: u16, source: StatusSource, protocol: fn(SocketAddr) -> UdpProtocol) -> io::Result<Self> {
        let (socket, address) = udp::bind(SocketAddr::new(ip, port))?;
        let task = tokio::spawn(udp::run(socket, protocol(address), CachedStatusSource::new(source))).abort_handle();
        Ok(Self { address, task })
    }

    /// The bound address. Its port is never 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for FakeServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}
