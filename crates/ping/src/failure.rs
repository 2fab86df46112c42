//! Why a server gave no answer, for people and for the record.

use std::net::IpAddr;

use super::ssrf_guard::Forbidden;
use super::wire::Wrong;

/// The reason that is our own rule.
pub const FORBIDDEN: &str = "forbidden address";

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the name {0} was not found")]
    NameNotFound(String),
    /// The fault may be ours.
    #[error("the name {0} could not be looked up: {1}")]
    NoLookup(String, String),
    #[error("{0}")]
    Forbidden(#[from] Forbidden),
    #[error("{0} refused the connection")]
    Refused(IpAddr),
    #[error("{0} cannot be reached: {1}")]
    Unreachable(IpAddr, String),
    #[error("no answer came in time")]
    TimedOut,
    #[error("the connection was closed before an answer came")]
    Closed,
    #[error("it spoke something else: {0}")]
    Strange(#[from] Wrong),
}

impl Failure {
    /// One word or two, as they are kept with an outage.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NameNotFound(_) => "name not found",
            Self::NoLookup(..) => "no lookup",
            Self::Forbidden(_) => FORBIDDEN,
            Self::Refused(_) => "refused",
            Self::Unreachable(..) => "unreachable",
            Self::TimedOut => "timed out",
            Self::Closed => "closed",
            Self::Strange(_) => "spoke something else",
        }
    }

    /// Every reason that can be kept.
    pub const REASONS: [&str; 8] = [
        "name not found",
        "no lookup",
        FORBIDDEN,
        "refused",
        "unreachable",
        "timed out",
        "closed",
        "spoke something else",
    ];

    /// What a socket said, of the address it was to reach.
    pub(super) fn of_socket(error: &std::io::Error, address: IpAddr) -> Self {
        use std::io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, UnexpectedEof};
        match error.kind() {
            ConnectionRefused => Self::Refused(address),
            ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof => Self::Closed,
            std::io::ErrorKind::TimedOut => Self::TimedOut,
            _ => Self::Unreachable(address, error.to_string()),
        }
    }

    /// Whether nothing at all came from the other side, or from whoever knows where it is.
    pub fn is_silence(reason: &str) -> bool {
        matches!(reason, "no lookup" | "unreachable" | "timed out")
    }
}
