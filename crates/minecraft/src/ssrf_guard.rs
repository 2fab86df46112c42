//! SSRF guard: rejects addresses that are not public or our own, and well-known ports. Anyone may name a server to ping, so a
//! ping must never reach our own network, directly or through a tunnel or translation prefix, nor probe other services.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::RwLock;

/// An address that must not be pinged, and the kind of range that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{address} is not a public address ({kind}); set allow_private_addresses to ping it")]
pub struct ForbiddenAddress {
    pub address: IpAddr,
    pub kind: &'static str,
}

/// A port that must not be pinged: an SRV record names any port, and below this one other services listen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("port {0} is below {FIRST_GAME_PORT}, where other services listen; add it to tracker.low_ports to ping it")]
pub struct ForbiddenPort(pub u16);

const FIRST_GAME_PORT: u16 = 1024;

/// Addresses that may be pinged.
#[derive(Debug, Default)]
pub struct SsrfGuard {
    allow_private_addresses: bool,
    low_ports: Vec<u16>,
    own_addresses: RwLock<Vec<IpAddr>>,
}

impl SsrfGuard {
    /// Public addresses only, unless private ones are allowed.
    pub fn new(allow_private_addresses: bool) -> Self {
        Self { allow_private_addresses, ..Self::default() }
    }

    /// Also allows these ports below 1024.
    pub fn with_low_ports(self, low_ports: Vec<u16>) -> Self {
        Self { low_ports, ..self }
    }

    /// Forbids these addresses: from this machine, connections to its own public address pass its firewall.
    pub fn set_own_addresses(&self, addresses: Vec<IpAddr>) {
        let addresses = addresses.into_iter().map(|address| address.to_canonical()).collect();
        *self.own_addresses.write().expect("nothing panics under this lock") = addresses;
    }

    pub fn allows_private_addresses(&self) -> bool {
        self.allow_private_addresses
    }

    /// Returns the address if it may be pinged, with IPv4-mapped IPv6 reduced to IPv4. Call this on the address that is
    /// connected to, not on one from an earlier lookup.
    pub fn check_address(&self, address: IpAddr) -> Result<IpAddr, ForbiddenAddress> {
        if self.allow_private_addresses {
            return Ok(address.to_canonical());
        }
        let address = require_public(address)?;
        match self.own_addresses.read().expect("nothing panics under this lock").contains(&address) {
            true => Err(ForbiddenAddress { address, kind: "an address of this service" }),
            false => Ok(address),
        }
    }

    pub fn check_port(&self, port: u16) -> Result<(), ForbiddenPort> {
        let is_allowed = port >= FIRST_GAME_PORT || self.low_ports.contains(&port);
        if is_allowed { Ok(()) } else { Err(ForbiddenPort(port)) }
    }
}

/// Non-public IPv4 ranges: first address, prefix length, kind.
const IPV4_RANGES: [(Ipv4Addr, u32, &str); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "carrier-grade NAT"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "protocol assignments"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "AS112"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "6to4 relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "benchmarking"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// Global unicast, the only public IPv6 range.
const IPV6_GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Non-public ranges within [`IPV6_GLOBAL`].
const IPV6_RANGES: [(Ipv6Addr, u32, &str); 7] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "Teredo"),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, "benchmarking"),
    (Ipv6Addr::new(0x2001, 0x10, 0, 0, 0, 0, 0, 0), 28, "ORCHID"),
    (Ipv6Addr::new(0x2001, 0x20, 0, 0, 0, 0, 0, 0), 28, "ORCHIDv2"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "6to4"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
];

/// Returns the address if it is public, with IPv4-mapped IPv6 reduced to IPv4.
pub fn require_public(address: IpAddr) -> Result<IpAddr, ForbiddenAddress> {
    let forbidden = |kind| Err(ForbiddenAddress { address, kind });
    match address.to_canonical() {
        IpAddr::V4(v4) => match IPV4_RANGES.iter().find(|(first, prefix, _)| in_ipv4_range(v4, *first, *prefix)) {
            Some((_, _, kind)) => forbidden(*kind),
            None => Ok(IpAddr::V4(v4)),
        },
        IpAddr::V6(v6) if !in_ipv6_range(v6, IPV6_GLOBAL.0, IPV6_GLOBAL.1) => forbidden("not global unicast"),
        IpAddr::V6(v6) => match IPV6_RANGES.iter().find(|(first, prefix, _)| in_ipv6_range(v6, *first, *prefix)) {
            Some((_, _, kind)) => forbidden(*kind),
            None => Ok(address),
        },
    }
}

fn in_ipv4_range(address: Ipv4Addr, first: Ipv4Addr, prefix: u32) -> bool {
    (address.to_bits() ^ first.to_bits()) >> (32 - prefix) == 0
}

fn in_ipv6_range(address: Ipv6Addr, first: Ipv6Addr, prefix: u32) -> bool {
    (address.to_bits() ^ first.to_bits()) >> (128 - prefix) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_public_addresses_are_rejected() {
        let spellings = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.254 127.0.0.1 127.1.2.3 127.255.255.255 \
            169.254.169.254 169.254.0.1 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.170 192.0.2.1 192.31.196.1 192.88.99.1 \
            192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 224.0.0.1 239.255.255.250 \
            240.0.0.1 255.255.255.254 255.255.255.255 :: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:a9fe:a9fe \
            ::ffff:192.168.1.1 ::ffff:0:127.0.0.1 64:ff9b::7f00:1 64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 100:0:0:1::1 2001::1 \
            2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2001:db8:ffff::1 2002:7f00:1:: \
            2002:a00:1::1 3fff::1 4000::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fe80::a00:27ff:fe4e:66a1 fec0::1 ff02::1 \
            ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:ffff:7f00:0001";
        let spellings: Vec<&str> = spellings.split_whitespace().collect();
        assert!(spellings.len() >= 60, "{}", spellings.len());
        for text in spellings {
            assert!(require_public(text.parse().unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    fn own_addresses_and_low_ports_are_rejected() {
        let guard = SsrfGuard::new(false).with_low_ports(vec![80]);
        let own = "1.1.1.1".parse().unwrap();
        assert_eq!(guard.check_address(own), Ok(own));
        guard.set_own_addresses(vec!["::ffff:1.1.1.1".parse().unwrap(), "2606:4700:4700::1111".parse().unwrap()]);
        for text in ["1.1.1.1", "::ffff:1.1.1.1", "2606:4700:4700::1111", "127.0.0.1"] {
            assert!(guard.check_address(text.parse().unwrap()).is_err(), "{text}");
        }
        assert!(guard.check_address("1.1.1.2".parse().unwrap()).is_ok());
        assert!(SsrfGuard::new(true).check_address("127.0.0.1".parse().unwrap()).is_ok());
        for (port, is_allowed) in [(1, false), (22, false), (80, true), (1023, false), (1024, true), (25_565, true)] {
            assert_eq!(guard.check_port(port).is_ok(), is_allowed, "{port}");
        }
    }

    #[test]
    fn addresses_next_to_a_range_are_accepted() {
        for text in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::1",
            "2001:1::1",
            "2001:30::1",
            "2001:db7::1",
            "2001:db9::1",
            "2003::1",
            "2606:4700:4700::1111",
            "3ffe::1",
        ] {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(require_public(address), Ok(address), "{text}");
        }
        assert_eq!(require_public("::ffff:1.1.1.1".parse().unwrap()), Ok("1.1.1.1".parse().unwrap()));
    }
}
