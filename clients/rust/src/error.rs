//! What a call may end with.

use std::fmt;
use std::time::Duration;

/// Why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The service refused the request, or failed.
    Api {
        /// The HTTP status.
        status: u16,
        /// What is wrong, in English, for people.
        message: String,
        /// Name it when you report a problem; the log of the service has it, too.
        request_id: Option<String>,
        /// When the request can succeed.
        retry_after: Option<Duration>,
    },
    /// No answer: the connection failed.
    Transport(reqwest::Error),
    /// No answer within this time.
    Timeout(Duration),
    /// An answer that is not as the API document says. Says what is wrong.
    Unexpected(String),
    /// The base URL or the key cannot be used. Says what is right.
    Configuration(String),
}

impl Error {
    /// The HTTP status of an answer that is not a success.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Api { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The id of the request, if the service has answered.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Api { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// When the request can succeed, if the service has said it.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Api { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Api { status, message, .. } => write!(f, "{status}: {message}"),
            Self::Transport(error) => write!(f, "no answer: {error}"),
            Self::Timeout(time) => write!(f, "no answer within {time:?}"),
            Self::Unexpected(text) => write!(f, "unexpected answer: {text}"),
            Self::Configuration(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Transport(error) => Some(error),
            _ => None,
        }
    }
}

impl From<reqwest::Error> for Error {
    /// Without the URL, whose parameters may be private.
    fn from(error: reqwest::Error) -> Self {
        Self::Transport(error.without_url())
    }
}
