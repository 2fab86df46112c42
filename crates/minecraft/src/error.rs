//! Why a ping failed: a message for people and a short, stable reason for storage and metrics.

use std::net::IpAddr;

use super::ssrf_guard::{ForbiddenAddress, ForbiddenPort};
use super::wire::DecodeError;

/// The reason of [`PingError::Forbidden`] and [`PingError::ForbiddenPort`]: our own rule, not a fault of the server.
pub const FORBIDDEN_ADDRESS: &str = "forbidden address";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PingError {
    #[error("host name {0} not found")]
    NameNotFound(String),
    /// No name server gave a usable reply, so the fault may be on our side.
    #[error("DNS lookup of {0} failed: {1}")]
    LookupFailed(String, String),
    #[error("{0}")]
    Forbidden(#[from] ForbiddenAddress),
    #[error("{0}")]
    ForbiddenPort(#[from] ForbiddenPort),
    #[error("{0} refused the connection")]
    Refused(IpAddr),
    #[error("{0} is unreachable: {1}")]
    Unreachable(IpAddr, String),
    #[error("timed out before a complete reply")]
    TimedOut,
    #[error("connection closed before a complete reply")]
    Closed,
    #[error("invalid reply: {0}")]
    InvalidReply(#[from] DecodeError),
}

impl PingError {
    /// Every value of [`Self::reason`].
    pub const REASONS: [&str; 8] = [
        "name not found",
        "no lookup",
        FORBIDDEN_ADDRESS,
        "refused",
        "unreachable",
        "timed out",
        "closed",
        "spoke something else",
    ];

    /// A short reason. These texts are stored with outages and exported, so they must not change.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NameNotFound(_) => "name not found",
            Self::LookupFailed(..) => "no lookup",
            Self::Forbidden(_) | Self::ForbiddenPort(_) => FORBIDDEN_ADDRESS,
            Self::Refused(_) => "refused",
            Self::Unreachable(..) => "unreachable",
            Self::TimedOut => "timed out",
            Self::Closed => "closed",
            Self::InvalidReply(_) => "spoke something else",
        }
    }

    /// Whether this [`reason`](Self::reason) may come from our own network: nothing came back from the server or from DNS.
    pub fn may_be_local_fault(reason: &str) -> bool {
        matches!(reason, "no lookup" | "unreachable" | "timed out")
    }

    /// Maps an error of a socket connected to `address`.
    pub(super) fn from_io(error: &std::io::Error, address: IpAddr) -> Self {
        use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof};
        match error.kind() {
            ConnectionRefused => Self::Refused(address),
            ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof => Self::Closed,
            std::io::ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Unreachable(address, error.to_string()),
        }
    }
}
