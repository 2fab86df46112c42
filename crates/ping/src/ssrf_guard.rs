//! Which addresses may be asked at all. Anyone may name a server to be watched; nobody may have us knock at doors of our
//! own network, or at addresses that lead back into it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not a public address ({1}); --allow-private-addresses lifts this for a network of your own")]
pub struct Forbidden(pub IpAddr, pub &'static str);

/// IPv4 ranges that are nobody's on the public network, by their first address and the bits that count.
const FOURS: [(Ipv4Addr, u32, &str); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, "this network"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "shared by a provider's customers"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, "this machine"),
    (Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    (Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    (Ipv4Addr::new(192, 0, 0, 0), 24, "for protocols"),
    (Ipv4Addr::new(192, 0, 2, 0), 24, "for documentation"),
    (Ipv4Addr::new(192, 31, 196, 0), 24, "for special services"),
    (Ipv4Addr::new(192, 88, 99, 0), 24, "a relay"),
    (Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "for benchmarks"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, "for documentation"),
    (Ipv4Addr::new(203, 0, 113, 0), 24, "for documentation"),
    (Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// The same of IPv6. What is outside 2000::/3 is nobody's there either.
const SIXES: [(Ipv6Addr, u32, &str); 7] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "a tunnel"),
    (Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0), 48, "for benchmarks"),
    (Ipv6Addr::new(0x2001, 0x10, 0, 0, 0, 0, 0, 0), 28, "no address of a machine"),
    (Ipv6Addr::new(0x2001, 0x20, 0, 0, 0, 0, 0, 0), 28, "no address of a machine"),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "for documentation"),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "a tunnel"),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "for documentation"),
];
const GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// The address itself if it may be asked. To be asked of the very address that is connected to.
pub fn check(address: IpAddr) -> Result<IpAddr, Forbidden> {
    let refused = |why| Err(Forbidden(address, why));
    // An IPv4 address in IPv6 clothes is looked at for what it is.
    match address.to_canonical() {
        IpAddr::V4(four) => match FOURS.iter().find(|(first, bits, _)| within_four(four, *first, *bits)) {
            Some((_, _, why)) => refused(*why),
            None => Ok(IpAddr::V4(four)),
        },
        IpAddr::V6(six) if !within_six(six, GLOBAL.0, GLOBAL.1) => refused("of no public range"),
        IpAddr::V6(six) => match SIXES.iter().find(|(first, bits, _)| within_six(six, *first, *bits)) {
            Some((_, _, why)) => refused(*why),
            None => Ok(address),
        },
    }
}

fn within_four(address: Ipv4Addr, first: Ipv4Addr, bits: u32) -> bool {
    (address.to_bits() ^ first.to_bits()) >> (32 - bits) == 0
}

fn within_six(address: Ipv6Addr, first: Ipv6Addr, bits: u32) -> bool {
    (address.to_bits() ^ first.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sixty_spellings_of_what_is_not_asked() {
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
            assert!(check(text.parse().unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_lies_just_outside_is_asked() {
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
            assert_eq!(check(address), Ok(address), "{text}");
        }
        assert_eq!(check("::ffff:1.1.1.1".parse().unwrap()), Ok("1.1.1.1".parse().unwrap()));
    }
}
