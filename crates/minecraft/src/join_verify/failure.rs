//! Why an account could not be verified. The texts are for the player.

use crate::DecodeError;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the game sent something unexpected ({0})")]
    Malformed(#[from] DecodeError),
    #[error("too many attempts. Wait a minute, then join again")]
    TooManyLogins,
    #[error("the encrypted connection could not be set up. Join again")]
    WrongToken,
    #[error("the session server does not know of your login. Restart the launcher, then join again")]
    NotJoined,
    /// The reason is for the operator.
    #[error("the session server gives no usable answer. Try again later")]
    SessionServer(String),
    /// The callback refused, with this text.
    #[error("{0}")]
    Refused(String),
    #[error("it took too long. Join again")]
    TimedOut,
    /// The client went away. Nobody sees a text.
    #[error("the connection was closed")]
    Closed,
}

impl From<std::io::Error> for Failure {
    fn from(_: std::io::Error) -> Self {
        Self::Closed
    }
}
