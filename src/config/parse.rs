//! Settings that are more than text and numbers.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use axum::http::{HeaderName, Uri};
use ipnet::IpNet;
use serde::de::{Error as _, IntoDeserializer};
use serde::{Deserialize, Deserializer};

pub(super) fn address<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    let text = String::deserialize(from)?;
    text.parse()
        .map_err(|_| D::Error::custom(format!("must be an address and port such as 127.0.0.1:8080, not \"{text}\"")))
}

pub(super) fn optional_address<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SocketAddr>, D::Error> {
    let text = String::deserialize(from)?;
    if text.is_empty() { Ok(None) } else { address(text.into_deserializer()).map(Some) }
}

/// Addresses or ranges; an address is a range of one.
pub(super) fn networks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<IpNet>, D::Error> {
    let network = |text: &String| {
        let one = text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        one.or_else(|_| text.parse()).map_err(|_| {
            D::Error::custom(format!(
                "must be an address such as 10.0.0.7 or a range such as 10.0.0.0/8, not \"{text}\""
            ))
        })
    };
    Vec::<String>::deserialize(from)?.iter().map(network).collect()
}

/// Host names without a port.
pub(super) fn host_names<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let names = Vec::<String>::deserialize(from)?;
    match names.iter().find(|name| name.is_empty() || !name.bytes().all(is_name_byte)) {
        Some(text) => Err(D::Error::custom(format!(
            "must be a host name such as stats.internal, without a scheme and a port, not \"{text}\""
        ))),
        None => Ok(names),
    }
}

/// Host names, or `*` for all.
pub(super) fn link_hosts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(from)?;
    if names == ["*"] {
        return Ok(names);
    }
    let names: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    host_names(names.into_deserializer())
}

pub(super) fn header_name<'de, D: Deserializer<'de>>(from: D) -> Result<HeaderName, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| D::Error::custom(format!("must be a header name, not \"{text}\"")))
}

pub(super) const OFF: &str = "off";

/// `60s`, `5m`, `1h` or `7d`.
pub(super) fn duration(text: &str) -> Option<Duration> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let count: u64 = text[..digits].parse().ok()?;
    let unit = match &text[digits..] {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 24 * 3600,
        _ => return None,
    };
    Some(Duration::from_secs(count.saturating_mul(unit)))
}

pub(super) fn is_http_url(text: &str) -> bool {
    text.parse::<Uri>().is_ok_and(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some_and(|host| !host.is_empty())
    })
}
