//! The outcome of a delivery, and whether another attempt could deliver it twice.

use crate::PingError;

use super::answer::Answer;

/// The result of one [`send`](super::send). Each reason has a sentence for people (`Display`) and a short, stable text for
/// storage and metrics (`reason`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The receiver confirmed the vote, or closed the connection properly after reading it (v1, which has no answer: that is
    /// what every list takes for success).
    Delivered,
    /// No byte of the vote was sent: another attempt is safe.
    NotSent(NotSent),
    /// The vote was sent, wholly or in part, and no valid answer came: another attempt may deliver it twice.
    Uncertain(Uncertain),
    /// The receiver answered that it does not accept the vote. Trying again helps only after its owner changed something.
    Rejected(Rejected),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotSent {
    /// Also if the SSRF guard refused the address.
    #[error("{0}")]
    NoConnection(PingError),
    #[error("no connection in time")]
    ConnectTimedOut,
    #[error("connected, but no Votifier greeting came in time; is this the port of Votifier?")]
    NoGreeting,
    #[error("the connection was closed before a Votifier greeting; is this the port of Votifier?")]
    Closed,
    #[error("the greeting is not one of Votifier: {0:?}")]
    WrongGreeting(String),
    /// A token was set up, and the receiver knows only v1.
    #[error("the receiver speaks Votifier {0}, which uses no token: set up its public key instead")]
    NoV2(String),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Uncertain {
    #[error("the vote was sent, but no complete answer came in time")]
    TimedOut,
    #[error(
        "the vote was sent, but the connection was closed without an answer, which some receivers do if the token is wrong"
    )]
    Closed,
    #[error("the vote was sent, but the connection broke: {0}")]
    Broken(String),
    #[error("the vote was sent, but {0}")]
    InvalidAnswer(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    #[error(
        "the receiver does not accept the signature: the token set up here differs from the one in its configuration"
    )]
    WrongToken,
    #[error("the receiver has no token for this service and no default token")]
    UnknownService,
    #[error("the receiver did not recognise its own challenge; a proxy in front of it may mix up connections")]
    WrongChallenge,
    /// In the receiver's words, printable and bounded.
    #[error("the receiver answered: {0}")]
    Other(String),
}

impl Outcome {
    /// Whether another attempt can never deliver the vote twice.
    pub fn is_safe_to_retry(&self) -> bool {
        matches!(self, Self::NotSent(_))
    }
}

impl NotSent {
    /// A short reason that never changes: one of those of [`PingError`], or one of these.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NoConnection(error) => error.reason(),
            Self::ConnectTimedOut => "timed out",
            Self::NoGreeting => "no greeting",
            Self::Closed => "closed",
            Self::WrongGreeting(_) => "wrong greeting",
            Self::NoV2(_) => "no v2",
        }
    }
}

impl From<PingError> for NotSent {
    fn from(error: PingError) -> Self {
        match error {
            PingError::TimedOut => Self::ConnectTimedOut,
            error => Self::NoConnection(error),
        }
    }
}

impl Uncertain {
    /// A short reason that never changes.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::TimedOut => "no answer in time",
            Self::Closed => "closed without answer",
            Self::Broken(_) => "connection broke",
            Self::InvalidAnswer(_) => "invalid answer",
        }
    }
}

impl Rejected {
    /// A short reason that never changes.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::WrongToken => "wrong token",
            Self::UnknownService => "unknown service",
            Self::WrongChallenge => "wrong challenge",
            Self::Other(_) => "rejected",
        }
    }

    /// The texts are those of NuVotifier, which its successors kept.
    fn from_answer(cause: String, error: String) -> Self {
        let lower = error.to_lowercase();
        if lower.contains("signature") || lower.contains("invalid token") {
            Self::WrongToken
        } else if lower.contains("unknown service") {
            Self::UnknownService
        } else if lower.contains("challenge") {
            Self::WrongChallenge
        } else {
            Self::Other(match (cause.is_empty(), error.is_empty()) {
                (_, true) if !cause.is_empty() => cause,
                (_, true) => "error, without a reason".into(),
                (true, false) => error,
                (false, false) => format!("{error} ({cause})"),
            })
        }
    }
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Ok => Self::Delivered,
            Answer::Error { cause, error } => Self::Rejected(Rejected::from_answer(cause, error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_errors_get_plain_words() {
        for (cause, error, expected) in [
            ("CorruptedFrameException", "Signature is not valid (invalid token?)", Rejected::WrongToken),
            ("RuntimeException", "Unknown service 'Rollcall'", Rejected::UnknownService),
            ("CorruptedFrameException", "Challenge is not valid", Rejected::WrongChallenge),
            ("A", "Username too long", Rejected::Other("Username too long (A)".into())),
            ("", "Full", Rejected::Other("Full".into())),
            ("A", "", Rejected::Other("A".into())),
            ("", "", Rejected::Other("error, without a reason".into())),
        ] {
            let answer = Answer::Error { cause: cause.into(), error: error.into() };
            assert_eq!(Outcome::from(answer), Outcome::Rejected(expected));
        }
        assert_eq!(Outcome::from(Answer::Ok), Outcome::Delivered);
    }

    #[test]
    fn only_an_unsent_vote_is_safe_to_retry() {
        assert!(Outcome::NotSent(NotSent::NoGreeting).is_safe_to_retry());
        for outcome in
            [Outcome::Delivered, Outcome::Uncertain(Uncertain::TimedOut), Outcome::Rejected(Rejected::WrongToken)]
        {
            assert!(!outcome.is_safe_to_retry(), "{outcome:?}");
        }
    }
}
