//! The format of an API key: `rc_`, 30 random base62 characters and a 6-character CRC32 checksum. The checksum rejects typos
//! and random guesses before any lookup, and lets secret scanners recognise a leaked key.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use rand::RngExt;
use sha2::Sha256;

use crate::id::hex;

const PREFIX: &str = "rc_";
const RANDOM: usize = 30;
/// 62^6 exceeds 2^32, so six characters hold any CRC32.
const CHECKSUM: usize = 6;
const LENGTH: usize = PREFIX.len() + RANDOM + CHECKSUM;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// The part of a key that lists and logs may show: the prefix and four characters.
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

/// How often a text may be percent-encoded for [`mask`] to find a key in it.
const MAX_ENCODINGS: usize = 4;

/// Cuts every key, or part of one, in a path or other text down to its hint. A key that is percent-encoded is found, too; then the
/// decoded text is returned.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut masked = mask_plain(text).map_or(Cow::Borrowed(text), Cow::Owned);
    let mut decoded = masked.to_string();
    for _ in 0..MAX_ENCODINGS {
        if !decoded.contains('%') {
            break;
        }
        decoded = percent_decode_str(&decoded).decode_utf8_lossy().into_owned();
        if let Some(text) = mask_plain(&decoded) {
            masked = Cow::Owned(text.clone());
            decoded = text;
        }
    }
    masked
}

/// `None` if the text contains no key.
fn mask_plain(text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut rest = text;
    while let Some((before, secret)) = rest.split_once(PREFIX) {
        masked.push_str(before);
        masked.push_str(PREFIX);
        let length = secret.bytes().take_while(u8::is_ascii_alphanumeric).count();
        rest = secret;
        if PREFIX.len() + length > HINT {
            masked.push_str(&secret[..HINT - PREFIX.len()]);
            masked.push('…');
            rest = &secret[length..];
        }
    }
    masked.push_str(rest);
    (masked != text).then_some(masked)
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
        assert_eq!(mask("/v1/servers/rc_abcd/100%25%zz"), "/v1/servers/rc_abcd/100%25%zz");
    }

    #[test]
    fn encoded_and_incomplete_keys_are_masked() {
        let secret = ApiKeySecret::generate();
        let key = secret.reveal();
        let each: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for encoded in [
            key.replace('_', "%5F"),
            key.replace('_', "%5f"),
            key.replace("rc", "%72%63"),
            key.replace('_', "%255F"),
            each.replace('%', "%25"),
            each,
            key[..20].to_owned(),
            format!("{key}x"),
        ] {
            assert_eq!(mask(&format!("/v1/players/{encoded}")), format!("/v1/players/{}", secret.hint()), "{encoded}");
        }
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
