//! `[tracker]`

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use rollcall_minecraft::{PingClient, Resolver, SsrfGuard};
use toml::Value;

use super::parse::{OFF, duration, optional_address};

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tracker {
    /// `None`: no pings.
    #[serde(deserialize_with = "interval")]
    pub ping_interval: Option<Duration>,
    /// Seconds.
    pub deadline: u64,
    pub max_concurrent_pings: usize,
    pub allow_private_addresses: bool,
    #[serde(deserialize_with = "ports")]
    pub low_ports: Vec<u16>,
    #[serde(deserialize_with = "addresses")]
    pub own_addresses: Vec<IpAddr>,
    /// `None`: the DNS servers of the system.
    #[serde(deserialize_with = "optional_address")]
    pub name_server: Option<SocketAddr>,
}

const MIN_INTERVAL: Duration = Duration::from_secs(5);
const MAX_INTERVAL: Duration = Duration::from_secs(3600);
const MAX_CONCURRENT_PINGS: usize = 100_000;
const MAX_DEADLINE: u64 = 60;

impl Tracker {
    pub fn check(&self) -> Result<(), String> {
        for (name, value, max) in [
            ("deadline", self.deadline, MAX_DEADLINE),
            ("max_concurrent_pings", self.max_concurrent_pings as u64, MAX_CONCURRENT_PINGS as u64),
        ] {
            if !(1..=max).contains(&value) {
                return Err(format!("tracker.{name} must be from 1 to {max}, not {value}"));
            }
        }
        Ok(())
    }

    /// Addresses that may be pinged.
    pub fn guard(&self) -> SsrfGuard {
        SsrfGuard::new(self.allow_private_addresses).with_low_ports(self.low_ports.clone())
    }

    /// Shared by the tracker and by everything else that connects to game servers.
    pub fn ping_client(&self, resolver: Resolver) -> PingClient {
        PingClient { resolver, guard: self.guard(), timeout: self.ping_deadline() }
    }

    /// How long one ping may take. A poll is a ping and one retry, and must end before the next poll.
    fn ping_deadline(&self) -> Duration {
        let wanted = Duration::from_secs(self.deadline);
        self.ping_interval.map_or(wanted, |interval| wanted.min(interval / 3))
    }
}

/// `60s`, `5m`, `1h`, or `off`.
fn parse_interval(text: &str) -> Result<Option<Duration>, String> {
    if text == OFF {
        return Ok(None);
    }
    let wrong = || format!("must be a duration such as 60s or 5m, from 5s to 1h, or \"{OFF}\", not {text:?}");
    let interval = duration(text).ok_or_else(wrong)?;
    if (MIN_INTERVAL..=MAX_INTERVAL).contains(&interval) { Ok(Some(interval)) } else { Err(wrong()) }
}

fn interval<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_interval(&text).map_err(|what| serde::de::Error::custom(format!("tracker.ping_interval {what}")))
}

/// Numbers in a file, text in the environment.
fn ports<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u16>, D::Error> {
    let port = |value: &Value| match value {
        Value::Integer(number) => u16::try_from(*number).ok(),
        value => value.as_str().and_then(|text| text.parse().ok()),
    };
    let wrong = |value: &Value| serde::de::Error::custom(format!("must be ports such as 443, not {value}"));
    Vec::<Value>::deserialize(deserializer)?.iter().map(|value| port(value).ok_or_else(|| wrong(value))).collect()
}

fn addresses<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<IpAddr>, D::Error> {
    let wrong = |text: &String| serde::de::Error::custom(format!("must be addresses such as 192.0.2.7, not {text:?}"));
    Vec::<String>::deserialize(deserializer)?.iter().map(|text| text.parse().map_err(|_| wrong(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals() {
        for (text, seconds) in [("60s", 60), ("5s", 5), ("5m", 300), ("1h", 3600)] {
            assert_eq!(parse_interval(text), Ok(Some(Duration::from_secs(seconds))), "{text}");
        }
        assert_eq!(parse_interval("off"), Ok(None));
        for text in
            ["", "60", "s", "0s", "4s", "61m", "2h", "-5s", "5 s", "99999999999999999999s", "18446744073709551615h"]
        {
            assert!(parse_interval(text).is_err(), "{text}");
        }
    }
}
