//! Which hosts a request may name. A page whose name is made to resolve to this service (DNS rebinding) is same-origin with
//! it for the browser, but its requests name the host of that page.

use std::net::{Ipv4Addr, Ipv6Addr};

const LOCALHOST: &str = "localhost";

pub struct AllowedHosts {
    /// In lower case, without a port. Few, so that comparing with all of them is cheaper than a hash.
    names: Vec<String>,
}

impl AllowedHosts {
    /// `localhost`, the host of `public_url`, these names, and every IP address: no one can make an address resolve to another
    /// one.
    pub fn new(public_url: &str, names: &[String]) -> Self {
        let public_host = public_url.split_once("://").map(|(_, authority)| without_port(authority.as_bytes()));
        let public_host = public_host.map(|host| String::from_utf8_lossy(host).to_lowercase());
        let mut all = vec![LOCALHOST.to_owned()];
        all.extend(public_host);
        all.extend(names.iter().map(|name| name.to_lowercase()));
        Self { names: all }
    }

    /// `host` is the value of a `Host` header. Its port does not matter: a proxy may listen on another one.
    pub fn allows(&self, host: &[u8]) -> bool {
        let host = without_port(host);
        // A name with a trailing dot is the same name.
        let host = host.strip_suffix(b".").unwrap_or(host);
        self.names.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(host)) || is_ip_address(host)
    }
}

fn without_port(host: &[u8]) -> &[u8] {
    let digits = host.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    match host[..host.len() - digits].strip_suffix(b":") {
        // The colons of `[::1]` are inside of the brackets.
        Some(bare) if !bare.contains(&b':') || bare.ends_with(b"]") => bare,
        _ => host,
    }
}

/// `1.2.3.4` or `[::1]`. Browsers reduce all other spellings to these.
fn is_ip_address(host: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(host) else { return false };
    match text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(bare) => bare.parse::<Ipv6Addr>().is_ok(),
        None => text.parse::<Ipv4Addr>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_names_and_ip_addresses_are_allowed() {
        let hosts = AllowedHosts::new("https://Stats.example.org:8443", &["Inner".to_owned()]);
        for host in [
            "localhost",
            "LocalHost:8080",
            "localhost.:8080",
            "stats.example.org",
            "STATS.example.org:443",
            "inner:1",
            "127.0.0.1",
            "192.0.2.7:8080",
            "[::1]",
            "[2001:db8::1]:80",
        ] {
            assert!(hosts.allows(host.as_bytes()), "{host}");
        }
        for host in [
            "",
            ":",
            ":80",
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "evil.localhost",
            "127.0.0.1.evil.example",
            "user@localhost",
            "localhost..",
            "localhost:x",
            "localhost:1:2",
            "2130706433",
            "127.1",
            "0x7f.0.0.1",
            "::1",
            "[::1",
            "[localhost]",
            "stats.example.org/",
            "xn--stats.example.org",
        ] {
            assert!(!hosts.allows(host.as_bytes()), "{host}");
        }
        assert!(!hosts.allows(b"\xff"));
    }
}
