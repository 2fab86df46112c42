//! The format of an API key: `rc_`, 30 random base62 characters and a 6-character CRC32 checksum. The checksum rejects typos
//! and random guesses before any lookup, and lets secret scanners recognise a leaked key.

use std::borrow::Cow;

use rand::RngExt;
use sha2::Sha256;

use crate::id::hex;

const PREFIX: &str = "rc_";
const RANDOM: usize = 30;
/// 62^6 exceeds 2^32, so six characters hold any CRC32.
const CHECKSUM: usize = 6;
const LENGTH: usize = PREFIX.len() + RANDOM + CHECKSUM;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// What lists and logs may show of a key: the prefix and four characters.
const HINT: usize = 7;

/// The SHA-256 of an API key. Only digests are stored.
pub type Digest = [u8; 32];

/// A generated API key in plain text.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKeySecret(String);

impl ApiKeySecret {
    pub fn generate() -> Self {
        let mut rng = rand::rng();
        let mut text = String::with_capacity(LENGTH);
        text.push_str(PREFIX);
        for _ in 0..RANDOM {
            text.push(ALPHABET[rng.random_range(0..ALPHABET.len())] as char);
        }
        let check = checksum(text.as_bytes());
        text.extend(check.map(char::from));
        Self(text)
    }

    /// The hexadecimal digest, as the store keeps it.
    pub fn hash(&self) -> String {
        hex(&digest(&self.0))
    }

    pub fn hint(&self) -> String {
        format!("{}…", &self.0[..HINT])
    }

    /// The plain text. Show it to the owner once and never log it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// Cuts every key in a text down to its hint.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = Cow::Borrowed(text);
    let mut from = 0;
    while let Some(at) = masked.get(from..).and_then(|rest| rest.find(PREFIX)).map(|at| from + at) {
        from = at + 1;
        if masked.get(at..at + LENGTH).is_some_and(|key| key[PREFIX.len()..].bytes().all(|b| b.is_ascii_alphanumeric()))
        {
            masked.to_mut().replace_range(at + HINT..at + LENGTH, "…");
        }
    }
    masked
}

/// The digest to look up a presented key by; `None` if its format or checksum is wrong.
pub fn digest_of(presented: &str) -> Option<Digest> {
    is_well_formed(presented.as_bytes()).then(|| digest(presented))
}

fn digest(text: &str) -> Digest {
    <Sha256 as sha2::Digest>::digest(text.as_bytes()).into()
}

fn is_well_formed(text: &[u8]) -> bool {
    let Some((body, check)) = text.split_at_checked(PREFIX.len() + RANDOM) else { return false };
    body.strip_prefix(PREFIX.as_bytes()).is_some_and(|random| random.iter().all(u8::is_ascii_alphanumeric))
        && checksum(body) == check
}

/// Parses the output of [`ApiKeySecret::hash`].
pub fn digest_of_hex(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    let digits = text.as_bytes();
    if digits.len() != 2 * digest.len() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}

fn checksum(body: &[u8]) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(body) as usize;
    let mut out = [b'0'; CHECKSUM];
    for slot in out.iter_mut().rev() {
        *slot = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_generated_key_is_accepted_and_one_changed_character_is_not() {
        let secret = ApiKeySecret::generate();
        assert_eq!(digest_of(secret.reveal()), digest_of_hex(&secret.hash()));
        assert!(digest_of(secret.reveal()).is_some());
        assert_ne!(secret.reveal(), ApiKeySecret::generate().reveal());
        for i in 0..secret.reveal().len() {
            let mut bytes = secret.reveal().as_bytes().to_vec();
            bytes[i] = if bytes[i] == b'x' { b'y' } else { b'x' };
            assert_eq!(digest_of(std::str::from_utf8(&bytes).unwrap()), None);
        }
        assert!(!secret.hint().contains(&secret.reveal()[8..]));
    }

    #[test]
    fn a_key_needs_the_prefix_and_plain_letters_whatever_its_checksum() {
        for body in ["rc-0123456789abcdefghijABCDEFGHIJ", "rc_0123456789abcdefghij-BCDEFGHIJ"] {
            let check = checksum(body.as_bytes()).map(char::from);
            assert_eq!(digest_of(&format!("{body}{}", String::from_iter(check))), None, "{body}");
        }
    }

    #[test]
    fn keys_in_a_text_are_masked() {
        let [one, other] = [ApiKeySecret::generate(), ApiKeySecret::generate()];
        let text = format!("/a/{}%3Fx=rc_{}/rc_", one.reveal(), other.reveal());
        assert_eq!(mask(&text), format!("/a/{}%3Fx=rc_{}/rc_", one.hint(), other.hint()));
        assert_eq!(mask("/v1/servers/rc_é"), "/v1/servers/rc_é");
    }

    proptest! {
        #[test]
        fn other_texts_are_not_keys(text in ".{0,60}") {
            prop_assert_eq!(digest_of(&text), None);
            prop_assert!(digest_of_hex(&text).is_none() || text.len() == 64);
            mask(&text);
            mask(&format!("rc_{text}"));
        }

        /// A random guess has the right checksum once in four billion times.
        #[test]
        fn texts_of_the_right_length_without_the_checksum_are_not_keys(text in "rc_[0-9A-Za-z]{36}") {
            prop_assert_eq!(digest_of(&text), None);
        }
    }
}
