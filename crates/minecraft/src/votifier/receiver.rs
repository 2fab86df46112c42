//! The target of a vote, and the secret or key that the owner of the receiver gave us.

use std::fmt;
use std::str::FromStr;

use crate::Host;

use super::public_key::PublicKey;

/// Vote receiver of one game server.
#[derive(Clone, Debug)]
pub struct Receiver {
    pub host: Host,
    /// 8192 unless the owner changed it.
    pub port: u16,
    pub protocol: Protocol,
}

#[derive(Clone, Debug)]
pub enum Protocol {
    /// Votifier: encrypted with the receiver's public key, no answer.
    V1(Box<PublicKey>),
    /// NuVotifier: signed with the receiver's token, answered.
    V2(Token),
}

/// The secret shared with a v2 receiver. `Debug` hides it.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Bytes of a token. NuVotifier makes tokens of 26.
const MAX_TOKEN: usize = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a token is a text of 1 to {MAX_TOKEN} bytes without spaces and line breaks, as in the configuration of NuVotifier"
)]
pub struct InvalidToken;

impl FromStr for Token {
    type Err = InvalidToken;

    /// Spaces around it are removed: it is copied from a file.
    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let token = text.trim();
        let is_valid =
            (1..=MAX_TOKEN).contains(&token.len()) && !token.chars().any(|c| c.is_whitespace() || c.is_control());
        if is_valid { Ok(Self(token.to_owned())) } else { Err(InvalidToken) }
    }
}

impl Token {
    /// The secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_trimmed_checked_and_hidden() {
        let token: Token = " s3cr3t\n".parse().unwrap();
        assert_eq!((token.reveal(), format!("{token:?}")), ("s3cr3t", "Token(…)".into()));
        for text in ["", "  ", "a b", "a\nb", "a\0", &"x".repeat(257)] {
            assert_eq!(text.parse::<Token>(), Err(InvalidToken), "{text:?}");
        }
    }
}
