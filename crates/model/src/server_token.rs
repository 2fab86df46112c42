//! Tokens with which game servers send reports. Only their hashes are stored.

use crate::id;
use crate::token;

const PREFIX: &str = "rcs_";
/// Two ids of 100 random bits each.
const RANDOM_CHARS: usize = 40;
const HINT_CHARS: usize = 4;

/// A token that is shown once.
#[derive(Clone)]
pub struct ServerToken(String);

impl ServerToken {
    pub fn generate() -> Self {
        Self(format!("{PREFIX}{}{}", id::encode(rand::random()), id::encode(rand::random())))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> String {
        token::hash(&self.0)
    }

    /// The last characters, to tell tokens apart.
    pub fn hint(&self) -> &str {
        &self.0[self.0.len() - HINT_CHARS..]
    }
}

/// The hash of a text in the format of a token; `None` for all others, which need no lookup.
pub fn hash_of(text: &str) -> Option<String> {
    let random = text.strip_prefix(PREFIX)?;
    let is_token = random.len() == RANDOM_CHARS && random.bytes().all(|b| b.is_ascii_alphanumeric());
    is_token.then(|| token::hash(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_recognized_by_its_format() {
        let token = ServerToken::generate();
        assert_eq!(hash_of(token.reveal()), Some(token.hash()));
        assert!(token.reveal().ends_with(token.hint()));
        for text in ["", "rcs_", "rc_abc", &format!("{}x", token.reveal()), &token.reveal()[1..], &"é".repeat(44)] {
            assert_eq!(hash_of(text), None, "{text}");
        }
    }
}
