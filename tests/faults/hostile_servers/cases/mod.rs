//! Every hostile behaviour and the expected result of a ping.

mod bedrock;
mod counts;
mod icons;
mod legacy;
mod query;
mod streams;
mod texts;

use serde_json::Value;

use super::listener::{TcpBehavior, UdpBehavior};
use super::packets;

#[derive(Clone)]
pub struct HostileCase {
    pub name: &'static str,
    pub protocol: Protocol,
    /// Replies to Query on another port.
    pub query: Option<UdpBehavior>,
    pub expected: Expected,
}

#[derive(Clone)]
pub enum Protocol {
    Java(TcpBehavior),
    Bedrock(UdpBehavior),
}

/// The result of a ping.
#[derive(Clone, Copy)]
pub enum Expected {
    Timeout,
    Closed,
    Refused,
    InvalidReply,
    /// A reply within the usual limits that passes this check.
    Reply(fn(&Value)),
}

impl Expected {
    /// The message of `rollcall server ping`.
    pub fn message(self) -> Option<&'static str> {
        match self {
            Self::Timeout => Some("timed out before a complete reply"),
            Self::Closed => Some("connection closed before a complete reply"),
            Self::Refused => Some("refused the connection"),
            Self::InvalidReply => Some("invalid reply"),
            Self::Reply(_) => None,
        }
    }
}

pub fn all() -> Vec<HostileCase> {
    [
        streams::cases(),
        counts::cases(),
        texts::cases(),
        icons::cases(),
        legacy::cases(),
        bedrock::cases(),
        query::cases(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn java(name: &'static str, tcp: TcpBehavior, expected: Expected) -> HostileCase {
    HostileCase { name, protocol: Protocol::Java(tcp), query: None, expected }
}

/// Accepts any reply.
fn any_reply(_: &Value) {}

/// A valid status with these fields replaced.
fn replies(name: &'static str, change: Value, check: fn(&Value)) -> HostileCase {
    java(name, TcpBehavior::Reply(packets::status_with(change)), Expected::Reply(check))
}
