//! Parses what users enter: edition, host and port.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;

/// The edition of the game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Edition {
    #[default]
    Java,
    Bedrock,
}

impl Edition {
    pub const ALL: [Self; 2] = [Self::Java, Self::Bedrock];

    pub fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Bedrock => "bedrock",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|edition| edition.name() == name)
    }

    pub fn default_port(self) -> u16 {
        match self {
            Self::Java => 25_565,
            Self::Bedrock => 19_132,
        }
    }
}

/// An IP address, or a host name in its ASCII form (Punycode).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    Address(IpAddr),
    Name(String),
}

/// The limits of DNS, in bytes.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

impl FromStr for Host {
    type Err = String;

    /// Accepts internationalized names. Text that IDNA maps to an IP address is an address, so it cannot bypass the SSRF guard.
    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("{text:?} is not a host: expected a name such as play.example.org, or an IP address");
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = bare.parse() {
            return Ok(Self::Address(address));
        }
        let name = idna::domain_to_ascii(text).map_err(|_| invalid())?;
        let name = name.strip_suffix('.').unwrap_or(&name);
        if let Ok(address) = name.parse() {
            return Ok(Self::Address(address));
        }
        let is_label = |label: &str| {
            (1..=MAX_LABEL).contains(&label.len())
                && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
        };
        let is_valid = name.len() <= MAX_NAME && name.split('.').all(is_label);
        if is_valid { Ok(Self::Name(name.to_owned())) } else { Err(invalid()) }
    }
}

impl Host {
    /// The name in Unicode, as users write it.
    pub fn to_unicode(&self) -> String {
        match self {
            Self::Address(address) => address.to_string(),
            Self::Name(name) => idna::domain_to_unicode(name).0,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Address(address) => address.fmt(f),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// Splits `HOST[:PORT]`. An IPv6 address with a port needs brackets.
pub fn split_port(text: &str) -> Result<(&str, Option<u16>), String> {
    if text.parse::<Ipv6Addr>().is_ok() {
        return Ok((text, None));
    }
    let Some((host, port)) = text.rsplit_once(':') else { return Ok((text, None)) };
    let port = port.parse().ok().filter(|port| *port > 0);
    match port {
        Some(port) => Ok((host, Some(port))),
        None => Err(format!("{text:?} is not an address: expected HOST or HOST:PORT, with a port from 1 to 65535")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_normalized() {
        for (text, normalized) in [
            ("play.example.org", "play.example.org"),
            ("Play.Example.ORG.", "play.example.org"),
            ("münchen.example", "xn--mnchen-3ya.example"),
            ("игра.example", "xn--80afo7a.example"),
            ("my_server.example", "my_server.example"),
            ("１２７.０.０.１", "127.0.0.1"),
            ("127。0。0。1", "127.0.0.1"),
            ("[::1]", "::1"),
            ("2001:db8::7", "2001:db8::7"),
        ] {
            assert_eq!(text.parse::<Host>().map(|host| host.to_string()), Ok(normalized.to_owned()), "{text}");
        }
        assert_eq!("127。0。0。1".parse(), Ok(Host::Address([127, 0, 0, 1].into())));
        for text in ["", ".", "a..b", "two words", "a/b", "a:b", "user@host", &"x".repeat(64), &"a.".repeat(130), "\0"]
        {
            assert!(text.parse::<Host>().is_err(), "{text}");
        }
    }

    #[test]
    fn splits_ports() {
        assert_eq!(split_port("a.example"), Ok(("a.example", None)));
        assert_eq!(split_port("a.example:7"), Ok(("a.example", Some(7))));
        assert_eq!(split_port("[::1]:7"), Ok(("[::1]", Some(7))));
        assert_eq!(split_port("2001:db8::7"), Ok(("2001:db8::7", None)));
        for text in ["a:", "a:0", "a:65536", "a:b", "a:-1"] {
            assert!(split_port(text).is_err(), "{text}");
        }
    }
}
