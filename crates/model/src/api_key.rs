//! The form of an API key: `rc_`, 30 base62 characters from the system's generator, and a 6-character checksum
//! that unmasks a typing error or a guess before anything is looked up.

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
/// What a list may show of a key: the prefix and four characters.
const HINT: usize = 7;

/// What is kept of a secret, and what it is known by.
pub type Digest = [u8; 32];

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
        let check = checksum(&text);
        text.extend(check.map(char::from));
        Self(text)
    }

    pub fn parse(text: &str) -> Option<Self> {
        is_well_formed(text).then(|| Self(text.to_owned()))
    }

    pub fn digest(&self) -> Digest {
        digest(&self.0)
    }

    /// The digest as the store keeps it.
    pub fn hash(&self) -> String {
        hex(&self.digest())
    }

    pub fn hint(&self) -> String {
        format!("{}…", &self.0[..HINT])
    }

    /// The one place where the secret itself comes out: to be shown to its holder, once.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

/// The text with every key in it cut down to what a list may show.
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

/// What a text is known by that may be a key. Its checksum is for those who look for keys where none should be: whoever has
/// the digests needs none.
pub fn digest_of(text: &str) -> Option<Digest> {
    (text.len() == LENGTH && text.starts_with(PREFIX)).then(|| digest(text))
}

fn digest(text: &str) -> Digest {
    <Sha256 as sha2::Digest>::digest(text.as_bytes()).into()
}

fn is_well_formed(text: &str) -> bool {
    let formed = text.len() == LENGTH
        && text.starts_with(PREFIX)
        && text.bytes().skip(PREFIX.len()).all(|b| b.is_ascii_alphanumeric());
    formed && {
        let (body, check) = text.split_at(PREFIX.len() + RANDOM);
        checksum(body) == check.as_bytes()
    }
}

/// Reads what [`Secret::hash`] writes.
pub fn digest_of_hex(text: &str) -> Option<Digest> {
    let mut digest = Digest::default();
    let digits = text.as_bytes();
    if digits.len() != 2 * digest.len() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}

fn checksum(body: &str) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(body.as_bytes()) as usize;
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
    fn a_generated_key_parses_and_one_changed_character_does_not() {
        let secret = Secret::generate();
        assert!(Secret::parse(secret.reveal()) == Some(secret.clone()));
        assert_ne!(secret.reveal(), Secret::generate().reveal());
        for i in 0..secret.reveal().len() {
            let mut bytes = secret.reveal().as_bytes().to_vec();
            bytes[i] = if bytes[i] == b'x' { b'y' } else { b'x' };
            assert!(Secret::parse(std::str::from_utf8(&bytes).unwrap()).is_none());
        }
        assert_eq!(digest_of_hex(&secret.hash()), Some(secret.digest()));
        assert!(!secret.hint().contains(&secret.reveal()[8..]));
    }

    #[test]
    fn keys_in_a_text_are_cut_down() {
        let [one, other] = [Secret::generate(), Secret::generate()];
        let text = format!("/a/{}%3Fx=rc_{}/rc_", one.reveal(), other.reveal());
        assert_eq!(mask(&text), format!("/a/{}%3Fx=rc_{}/rc_", one.hint(), other.hint()));
        assert_eq!(mask("/v1/servers/rc_é"), "/v1/servers/rc_é");
    }

    proptest! {
        #[test]
        fn nothing_else_is_taken_for_a_key(text in ".{0,60}") {
            prop_assert!(Secret::parse(&text).is_none());
            prop_assert!(digest_of_hex(&text).is_none() || text.len() == 64);
            mask(&text);
            mask(&format!("rc_{text}"));
        }

        /// A guess must have the checksum right, which one in four billion has.
        #[test]
        fn nothing_of_the_right_length_is_taken_for_a_key(text in "rc_[0-9A-Za-z]{36}") {
            prop_assert!(Secret::parse(&text).is_none());
        }
    }
}
