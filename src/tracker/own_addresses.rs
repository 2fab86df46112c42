//! The addresses of this service, which must not be pinged: a connection of this machine to itself passes its firewall.

use std::net::{IpAddr, SocketAddr, UdpSocket};

use rollcall_minecraft::Resolver;

/// Addresses that no one uses: the system only says from which of its own it would send there.
const SOMEWHERE: [&str; 2] = ["192.0.2.1:9", "[2001:db8::1]:9"];

/// The addresses of these hosts, and those from which this machine reaches the internet; and whether every host was found.
pub async fn own_addresses(resolver: &Resolver, hosts: &[String]) -> (Vec<IpAddr>, bool) {
    let mut addresses: Vec<IpAddr> = SOMEWHERE.iter().filter_map(|to| source_address(to.parse().ok()?)).collect();
    let mut is_complete = true;
    for host in hosts {
        let found = resolver.addresses(host).await;
        is_complete &= !found.is_empty();
        addresses.extend(found);
    }
    (addresses, is_complete)
}

/// Connecting a UDP socket sends nothing.
fn source_address(to: SocketAddr) -> Option<IpAddr> {
    let any: SocketAddr = if to.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" }.parse().ok()?;
    let socket = UdpSocket::bind(any).ok()?;
    socket.connect(to).ok()?;
    Some(socket.local_addr().ok()?.ip())
}
