//! A game server as a source of player data.

use std::net::IpAddr;

use rollcall_model::trust::SourceTrust;

#[derive(Clone, Debug)]
pub struct Source {
    pub server_n: i64,
    /// The configured host.
    pub host: String,
    /// The IP address that answered; empty if unknown.
    pub address: String,
    pub trust: SourceTrust,
}

impl Source {
    /// Servers under one domain or in one network may be the same server under several names, so they count as one source.
    fn is_independent_of(&self, other: &Self) -> bool {
        let same_network = Network::of(&self.address).is_some_and(|own| Network::of(&other.address) == Some(own));
        self.server_n != other.server_n
            && NetworkOrDomain::of(&self.host) != NetworkOrDomain::of(&other.host)
            && !same_network
    }

    /// How many sources there are that are independent of this one and of each other.
    pub(super) fn count_independent<'a>(&self, others: impl Iterator<Item = &'a Self>) -> usize {
        let mut counted = vec![self];
        for other in others {
            if counted.iter().all(|source| source.is_independent_of(other)) {
                counted.push(other);
            }
        }
        counted.len() - 1
    }
}

/// The part of an address that one machine or one customer usually has: /24 of IPv4, /64 of IPv6.
#[derive(PartialEq, Eq)]
enum Network {
    V4([u8; 3]),
    V6([u16; 4]),
}

impl Network {
    /// `None` if the text is no IP address.
    fn of(address: &str) -> Option<Self> {
        let address: IpAddr = address.trim_matches(['[', ']']).parse().ok()?;
        Some(match address.to_canonical() {
            IpAddr::V4(address) => {
                let [a, b, c, _] = address.octets();
                Self::V4([a, b, c])
            }
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                Self::V6([a, b, c, d])
            }
        })
    }
}

/// Whose a configured host is: hosts with the same value count as one source.
#[derive(PartialEq, Eq)]
enum NetworkOrDomain {
    Network(Network),
    /// The last two labels, in lower case.
    Domain(String),
}

impl NetworkOrDomain {
    fn of(host: &str) -> Self {
        if let Some(network) = Network::of(host) {
            return Self::Network(network);
        }
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let start = host.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
        Self::Domain(host[start..].to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(server_n: i64, host: &str, address: &str) -> Source {
        Source { server_n, host: host.into(), address: address.into(), trust: SourceTrust::Sampled }
    }

    #[test]
    fn one_host_or_address_is_one_source() {
        let own = source(1, "a.example", "192.0.2.1");
        let same = [source(2, "a.example", "192.0.2.9"), source(3, "b.example", "192.0.2.1"), own.clone()];
        assert_eq!(own.count_independent(same.iter()), 0);
        let others = [source(4, "c.example", "198.51.100.4"), source(5, "d.example", "198.51.100.4")];
        assert_eq!(own.count_independent(others.iter()), 1);
        assert_eq!(own.count_independent([source(6, "e.example", ""), source(7, "f.example", "")].iter()), 2);
    }

    #[test]
    fn one_network_or_domain_is_one_source() {
        let are_independent =
            |a: (&str, &str), b: (&str, &str)| source(1, a.0, a.1).is_independent_of(&source(2, b.0, b.1));
        for (a, b, expected) in [
            (("a.example", "192.0.2.1"), ("b.example", "192.0.2.200"), false),
            (("a.example", "192.0.2.1"), ("b.example", "192.0.3.1"), true),
            (("a.example", "192.0.2.1"), ("b.example", "::ffff:192.0.2.7"), false),
            (("a.example", "2001:db8:0:1::1"), ("b.example", "2001:db8:0:1:ffff::2"), false),
            (("a.example", "2001:db8:0:1::1"), ("b.example", "2001:db8:0:2::1"), true),
            (("eu.a.example", "192.0.2.1"), ("US.play.A.example.", "2001:db8::1"), false),
            (("192.0.2.1", ""), ("192.0.2.2", ""), false),
            (("192.0.2.1", ""), ("198.51.2.1", ""), true),
            (("a.example", "192.0.2.1"), ("b.example", "2001:db8::1"), true),
        ] {
            assert_eq!(are_independent(a, b), expected, "{a:?} {b:?}");
        }
    }
}
