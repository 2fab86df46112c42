//! The form of an API key: `rc_`, 30 base62 characters from the system's generator, and a 6-character checksum
//! that unmasks a typing error or a guess before anything is looked up.

use rand::RngExt;
use sha2::{Digest, Sha256};

const PREFIX: &str = "rc_";
const RANDOM: usize = 30;
/// 62^6 exceeds 2^32, so six characters hold any CRC32.
const CHECKSUM: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// What a list may show of a key: the prefix and four characters.
const HINT: usize = 7;

/// A key that has the right form. Whether anyone holds it is the store's to say.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let mut text = String::with_capacity(PREFIX.len() + RANDOM + CHECKSUM);
        text.push_str(PREFIX);
        for _ in 0..RANDOM {
            text.push(ALPHABET[rng.random_range(0..ALPHABET.len())] as char);
        }
        text.push_str(&checksum(&text));
        Self(text)
    }

    pub fn parse(text: &str) -> Option<Self> {
        let well_formed = text.len() == PREFIX.len() + RANDOM + CHECKSUM
            && text.starts_with(PREFIX)
            && text.bytes().skip(PREFIX.len()).all(|b| b.is_ascii_alphanumeric());
        if !well_formed {
            return None;
        }
        let (body, check) = text.split_at(PREFIX.len() + RANDOM);
        (checksum(body) == check).then(|| Self(text.to_owned()))
    }

    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.0.as_bytes());
        digest.iter().map(|b| format!("{b:02x}")).collect()
    }

    pub fn hint(&self) -> String {
        format!("{}…", &self.0[..HINT])
    }

    /// The one place where the secret itself comes out: to be shown to its holder, once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
    let mut out = [b'0'; CHECKSUM];
    for slot in out.iter_mut().rev() {
        *slot = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    out.iter().map(|&b| b as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_generated_key_parses_and_one_changed_character_does_not() {
        let secret = Secret::generate();
        assert!(Secret::parse(secret.reveal()) == Some(secret.clone()));
        assert_ne!(secret.reveal(), Secret::generate().reveal());
        for i in 0..secret.reveal().len() {
            let mut bytes = secret.reveal().as_bytes().to_vec();
            bytes[i] = if bytes[i] == b'x' { b'y' } else { b'x' };
            assert!(Secret::parse(std::str::from_utf8(&bytes).unwrap()).is_none());
        }
        assert!(!secret.hint().contains(&secret.reveal()[8..]));
    }

    proptest! {
        #[test]
        fn nothing_else_is_taken_for_a_key(text in ".{0,60}") {
            prop_assert!(Secret::parse(&text).is_none());
        }
    }
}
