//! One simulated server on a port of its own.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::task::AbortHandle;

use super::status::{Source, Telling};
use super::udp::Speaks;
use super::{tcp, udp};

/// Answers until it is dropped. It is made inside a runtime, and costs a socket and a task.
pub struct Host {
    address: SocketAddr,
    task: AbortHandle,
}

impl Host {
    /// Java Edition in all its forms, over TCP. While the source says nothing, nobody listens; the port is kept.
    pub fn java(ip: IpAddr, port: u16, source: Source) -> io::Result<Self> {
        let telling = Telling::new(source);
        let (door, address) = tcp::open(SocketAddr::new(ip, port), &telling)?;
        let task = tokio::spawn(tcp::keep(door, address, telling)).abort_handle();
        Ok(Self { address, task })
    }

    /// Bedrock Edition, over UDP. While the source says nothing, it is silent.
    pub fn bedrock(ip: IpAddr, port: u16, source: Source) -> io::Result<Self> {
        Self::udp(ip, port, source, Speaks::bedrock)
    }

    /// GameSpy's Query, over UDP: the names of all who play. While the source says nothing, it is silent.
    pub fn query(ip: IpAddr, port: u16, source: Source) -> io::Result<Self> {
        Self::udp(ip, port, source, Speaks::query)
    }

    fn udp(ip: IpAddr, port: u16, source: Source, speaks: fn(SocketAddr) -> Speaks) -> io::Result<Self> {
        let (socket, address) = udp::bind(SocketAddr::new(ip, port))?;
        let task = tokio::spawn(udp::keep(socket, speaks(address), Telling::new(source))).abort_handle();
        Ok(Self { address, task })
    }

    /// Where it answers; the port is never 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.task.abort();
    }
}
