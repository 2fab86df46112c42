//! Restrictions of an API key: from which networks, for which origins and for which endpoints it is accepted.

use std::net::IpAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::message::Message;

/// Each list restricts the key if it is not empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRestrictions {
    pub networks: Vec<IpNet>,
    /// As browsers send them: `https://example.com`, in lower case.
    pub origins: Vec<String>,
    /// Paths as the API lists them: `/servers/{slug}`.
    pub endpoints: Vec<String>,
}

/// The restriction that a request does not meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestrictedBy {
    Network,
    Origin,
    Endpoint,
}

/// Properties of a request that restrictions check.
#[derive(Clone, Copy, Debug)]
pub struct RequestSource<'a> {
    pub client: IpAddr,
    /// The `Origin` header.
    pub origin: Option<&'a str>,
    /// `None` for a path that the API does not have.
    pub endpoint: Option<&'a str>,
}

/// Entries of one list, so that a check stays cheap.
const MAX_ENTRIES: usize = 50;
const MAX_ORIGIN_CHARS: usize = 255;

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    networks: Vec<String>,
    origins: Vec<String>,
    endpoints: Vec<String>,
}

impl KeyRestrictions {
    /// `None` if nothing is restricted. `known` are the endpoints of the API.
    pub fn parse<'a>(
        networks: impl IntoIterator<Item = &'a str>,
        origins: impl IntoIterator<Item = &'a str>,
        endpoints: impl IntoIterator<Item = &'a str>,
        known: &[&str],
    ) -> Result<Option<Self>, Message> {
        let networks = list(networks, |text| {
            parse_network(text).ok_or_else(|| {
                Message::new(
                    "“{}” is no IP address or range, such as 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32.",
                    &[&text],
                )
            })
        })?;
        let origins = list(origins, |text| {
            parse_origin(text).ok_or_else(|| {
                Message::new("“{}” is no origin, such as https://example.com or http://localhost:3000.", &[&text])
            })
        })?;
        let endpoints = list(endpoints, |text| match known.contains(&text) {
            true => Ok(text.to_owned()),
            false => Err(Message::new("“{}” is no endpoint of the API, such as /servers.", &[&text])),
        })?;
        let restrictions = Self { networks, origins, endpoints };
        Ok((restrictions != Self::default()).then_some(restrictions))
    }

    pub fn check(&self, source: &RequestSource) -> Result<(), RestrictedBy> {
        let client = source.client.to_canonical();
        if !self.networks.is_empty() && !self.networks.iter().any(|network| network.contains(&client)) {
            return Err(RestrictedBy::Network);
        }
        let is_listed = |origin: &str| self.origins.iter().any(|listed| listed.eq_ignore_ascii_case(origin));
        if !self.origins.is_empty() && !source.origin.is_some_and(is_listed) {
            return Err(RestrictedBy::Origin);
        }
        // An unknown path is answered with 404, whatever the key.
        let is_outside = |endpoint: &str| !self.endpoints.iter().any(|listed| listed == endpoint);
        if !self.endpoints.is_empty() && source.endpoint.is_some_and(is_outside) {
            return Err(RestrictedBy::Endpoint);
        }
        Ok(())
    }

    /// The stored form.
    pub fn to_json(&self) -> String {
        let networks = self.networks.iter().map(ToString::to_string).collect();
        let stored = Stored { networks, origins: self.origins.clone(), endpoints: self.endpoints.clone() };
        serde_json::to_string(&stored).expect("text serialises")
    }

    /// A stored text that cannot be read rejects every request: a restriction must not be lost.
    pub fn from_json(text: &str) -> Self {
        let read = || {
            let stored: Stored = serde_json::from_str(text).ok()?;
            let networks = stored.networks.iter().map(|text| parse_network(text)).collect::<Option<_>>()?;
            Some(Self { networks, origins: stored.origins, endpoints: stored.endpoints })
        };
        read().unwrap_or_else(|| Self { endpoints: vec![String::new()], ..Self::default() })
    }
}

/// Sorted and without duplicates, so that equal restrictions are stored equally.
fn list<'a, T: Ord>(
    texts: impl IntoIterator<Item = &'a str>,
    parse: impl Fn(&'a str) -> Result<T, Message>,
) -> Result<Vec<T>, Message> {
    let texts = texts.into_iter().map(str::trim).filter(|text| !text.is_empty());
    let mut parsed = texts.take(MAX_ENTRIES + 1).map(parse).collect::<Result<Vec<T>, Message>>()?;
    if parsed.len() > MAX_ENTRIES {
        return Err(Message::new("A list of restrictions may have {} entries.", &[&MAX_ENTRIES]));
    }
    parsed.sort();
    parsed.dedup();
    Ok(parsed)
}

/// An address or a range; host bits of a range are dropped.
fn parse_network(text: &str) -> Option<IpNet> {
    let one = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
    one.or_else(|_| text.parse::<IpNet>().map(|network| network.trunc())).ok()
}

/// Scheme, host and an optional port, as browsers write them.
fn parse_origin(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
    let is_valid = !host.is_empty() && text.len() <= MAX_ORIGIN_CHARS && host.bytes().all(is_host);
    is_valid.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: [&str; 2] = ["/servers", "/servers/{slug}"];

    fn source<'a>(client: &str, origin: Option<&'a str>, endpoint: &'a str) -> RequestSource<'a> {
        RequestSource { client: client.parse().unwrap(), origin, endpoint: Some(endpoint) }
    }

    #[test]
    fn each_list_restricts_by_itself() {
        let networks = KeyRestrictions::parse(["192.0.2.9/24", "2001:db8::1"], [], [], &KNOWN).unwrap().unwrap();
        for (client, allowed) in [
            ("192.0.2.200", true),
            ("::ffff:192.0.2.1", true),
            ("192.0.3.1", false),
            ("2001:db8::1", true),
            ("2001:db8::2", false),
        ] {
            let expected = if allowed { Ok(()) } else { Err(RestrictedBy::Network) };
            assert_eq!(networks.check(&source(client, None, "/servers")), expected, "{client}");
        }
        let origins = KeyRestrictions::parse([], ["https://Example.com"], [], &KNOWN).unwrap().unwrap();
        for (origin, allowed) in [
            (Some("https://example.com"), true),
            (Some("https://example.com:8443"), false),
            (Some("http://example.com"), false),
            (Some("https://example.com.evil.test"), false),
            (Some("null"), false),
            (None, false),
        ] {
            let expected = if allowed { Ok(()) } else { Err(RestrictedBy::Origin) };
            assert_eq!(origins.check(&source("192.0.2.1", origin, "/servers")), expected, "{origin:?}");
        }
        let endpoints = KeyRestrictions::parse([], [], ["/servers"], &KNOWN).unwrap().unwrap();
        assert_eq!(endpoints.check(&source("192.0.2.1", None, "/servers")), Ok(()));
        assert_eq!(endpoints.check(&source("192.0.2.1", None, "/servers/{slug}")), Err(RestrictedBy::Endpoint));
    }

    #[test]
    fn wrong_entries_are_named_and_empty_lists_restrict_nothing() {
        assert_eq!(KeyRestrictions::parse(["", " "], [""], [], &KNOWN), Ok(None));
        for (networks, origins, endpoints, named) in [
            (vec!["10.0.0.0/33"], vec![], vec![], "“10.0.0.0/33”"),
            (vec!["example.com"], vec![], vec![], "“example.com”"),
            (vec![], vec!["example.com"], vec![], "“example.com”"),
            (vec![], vec!["https://example.com/path"], vec![], "“https://example.com/path”"),
            (vec![], vec![], vec!["/nothing"], "“/nothing”"),
            (vec!["10.0.0.1"; 51], vec![], vec![], "may have 50 entries"),
        ] {
            let error = KeyRestrictions::parse(networks, origins, endpoints, &KNOWN).unwrap_err().to_string();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn the_stored_form_is_read_again_and_a_broken_one_rejects_everything() {
        let given = KeyRestrictions::parse(["10.0.0.0/8"], ["http://localhost:3000"], KNOWN, &KNOWN).unwrap().unwrap();
        assert_eq!(KeyRestrictions::from_json(&given.to_json()), given);
        for broken in ["", "{}", "[]", "{\"networks\":[\"x\"],\"origins\":[],\"endpoints\":[]}"] {
            let restrictions = KeyRestrictions::from_json(broken);
            assert_eq!(restrictions.check(&source("10.0.0.1", None, "/servers")), Err(RestrictedBy::Endpoint));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_or_named(text in "\\PC{0,40}") {
            let _ = KeyRestrictions::parse([text.as_str()], [], [], &KNOWN);
            let _ = KeyRestrictions::parse([], [text.as_str()], [], &KNOWN);
            let _ = KeyRestrictions::from_json(&text);
        }
    }
}
