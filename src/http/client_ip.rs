//! The client IP of a request: the peer of the connection, or what a trusted proxy reports.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use axum::http::{Extensions, HeaderMap, HeaderName, Request};
use ipnet::IpNet;

use super::common_headers::REQUEST_ID;
use crate::config::Http;

/// In the extensions of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientIp(pub IpAddr);

/// Of a request without a connection.
const UNKNOWN: IpAddr = IpAddr::V4(Ipv4Addr::UNSPECIFIED);

pub fn client_ip<B>(request: &Request<B>) -> IpAddr {
    of(request.extensions())
}

pub fn of(extensions: &Extensions) -> IpAddr {
    extensions.get::<ClientIp>().map_or(UNKNOWN, |client| client.0)
}

/// The proxies we trust, and the header they report the client in.
pub struct TrustedProxies {
    trusted: Vec<IpNet>,
    header: HeaderName,
}

/// More proxies than any real chain has; a longer header is not read to its end.
const MAX_HOPS: usize = 32;

impl TrustedProxies {
    pub fn new(settings: &Http) -> Self {
        Self { trusted: settings.trusted_proxies.clone(), header: settings.client_address_header.clone() }
    }

    pub fn is_trusted(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// Removes the request id of a client that may not choose it: ours must be unique.
    pub fn remove_foreign_request_id(&self, peer: IpAddr, headers: &mut HeaderMap) {
        if headers.contains_key(&REQUEST_ID) && !self.is_trusted(peer) {
            headers.remove(&REQUEST_ID);
        }
    }

    /// Reads the header from its end, where the nearest proxy wrote, and only as far as the writers are trusted: whatever
    /// stands left of an untrusted or unreadable entry may be forged.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut client = peer.to_canonical();
        if !self.is_trusted(client) {
            return client;
        }
        let values = headers.get_all(&self.header).iter().rev();
        let mut hops = values.flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b',')).take(MAX_HOPS);
        while self.is_trusted(client) {
            match hops.next().and_then(parse_hop) {
                Some(address) => client = address,
                None => break,
            }
        }
        client
    }
}

/// `1.2.3.4`, `1.2.3.4:5678`, `::1`, `[::1]` or `[::1]:80`.
fn parse_hop(hop: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(hop).ok()?.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|address| address.ip()));
    Some(address.ok()?.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use proptest::prelude::*;

    const HEADER: HeaderName = HeaderName::from_static("x-forwarded-for");

    fn proxies(trusted: &[&str]) -> TrustedProxies {
        TrustedProxies { trusted: trusted.iter().map(|text| text.parse().unwrap()).collect(), header: HEADER }
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn headers(values: &[&[u8]]) -> HeaderMap {
        values.iter().map(|value| (HEADER, HeaderValue::from_bytes(value).unwrap())).collect()
    }

    #[test]
    fn an_untrusted_peer_is_the_client() {
        let none = proxies(&[]);
        let private = proxies(&["10.0.0.0/8"]);
        let forwarded = headers(&[b"9.9.9.9"]);
        assert_eq!(none.client(address("10.0.0.1"), &forwarded), address("10.0.0.1"));
        assert_eq!(private.client(address("11.0.0.1"), &forwarded), address("11.0.0.1"));
        assert_eq!(private.client(address("10.0.0.1"), &forwarded), address("9.9.9.9"));
        // A listener on [::] sees IPv4 clients as IPv4-mapped IPv6.
        assert_eq!(private.client(address("::ffff:10.0.0.1"), &forwarded), address("9.9.9.9"));
        assert_eq!(none.client(address("::ffff:10.0.0.1"), &forwarded), address("10.0.0.1"));
    }

    #[test]
    fn the_last_hop_that_is_not_trusted_is_the_client() {
        let proxies = proxies(&["10.0.0.0/8", "fd00::/8"]);
        for (values, client) in [
            (&[&b"9.9.9.9"[..]][..], "9.9.9.9"),
            (&[b"6.6.6.6, 9.9.9.9"], "9.9.9.9"),
            (&[b"6.6.6.6,9.9.9.9 ,10.0.0.2,  fd00::1"], "9.9.9.9"),
            (&[b"6.6.6.6", b"9.9.9.9", b"10.0.0.2, 10.0.0.3"], "9.9.9.9"),
            (&[b"10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            (&[b"9.9.9.9:5678"], "9.9.9.9"),
            (&[b"2001:db8::1"], "2001:db8::1"),
            (&[b"[2001:db8::1]"], "2001:db8::1"),
            (&[b"[2001:db8::1]:80"], "2001:db8::1"),
            (&[b"::ffff:9.9.9.9"], "9.9.9.9"),
            (&[b"6.6.6.6, ::ffff:10.0.0.2"], "6.6.6.6"),
            (&[], "10.0.0.1"),
        ] {
            assert_eq!(proxies.client(address("10.0.0.1"), &headers(values)), address(client), "{values:?}");
        }
    }

    #[test]
    fn entries_left_of_an_unreadable_one_are_ignored() {
        let proxies = proxies(&["10.0.0.0/8"]);
        for garbage in [&b""[..], b" ", b"unknown", b"9.9.9.9.9", b"9.9.9.9:99999", b"[::1", b"\xff", b"for=9.9.9.9"] {
            let list = [b"6.6.6.6, ", garbage, b", 10.0.0.2"].concat();
            assert_eq!(proxies.client(address("10.0.0.1"), &headers(&[&list])), address("10.0.0.2"), "{garbage:?}");
            assert_eq!(proxies.client(address("10.0.0.1"), &headers(&[b"6.6.6.6", garbage])), address("10.0.0.1"));
        }
    }

    #[test]
    fn an_overlong_header_is_not_read_to_its_end() {
        let list = format!("6.6.6.6{}", ", 10.0.0.2".repeat(MAX_HOPS));
        assert_eq!(
            proxies(&["10.0.0.0/8"]).client(address("10.0.0.1"), &headers(&[list.as_bytes()])),
            address("10.0.0.2")
        );
    }

    /// Bytes a header may hold, biased to those of address lists.
    fn values() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let byte = prop_oneof![4 => proptest::sample::select(b"0123456789.,:[] af%".to_vec()), 1 => 0x20..=0xffu8];
        let sound = byte.prop_filter("not allowed in a header", |byte| *byte != 0x7f);
        proptest::collection::vec(proptest::collection::vec(sound, 0..60), 0..4)
    }

    proptest! {
        #[test]
        fn an_untrusted_peer_cannot_forge_its_ip(values in values(), peer: [u8; 4]) {
            let peer = IpAddr::from(peer);
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            prop_assert_eq!(proxies(&[]).client(peer, &headers(&values)), peer);
        }

        #[test]
        fn the_client_before_a_trusted_proxy_is_found(values in values(), client: [u8; 4]) {
            let client = IpAddr::from(client);
            let proxies = proxies(&["10.0.0.0/8"]);
            prop_assume!(!proxies.is_trusted(client));
            let last = client.to_string();
            let mut values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            values.push(last.as_bytes());
            prop_assert_eq!(proxies.client(address("10.0.0.1"), &headers(&values)), client);
        }

        #[test]
        fn any_header_value_is_parsed_without_a_panic(values in values()) {
            let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
            proxies(&["0.0.0.0/0", "::/0"]).client(address("10.0.0.1"), &headers(&values));
        }
    }
}
