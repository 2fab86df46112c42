//! Codes that link an account with a player: people read them on one screen and type them on another.

use std::fmt;

use crate::token;

/// Without characters that look alike: 0, O, 1 and I.
const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const LENGTH: usize = 8;
/// Longer input is not looked at: no spelling of a code needs more.
const MAX_INPUT: usize = 64;

/// A code in its canonical spelling. Only its hash is stored.
#[derive(Clone, PartialEq, Eq)]
pub struct LinkCode(String);

impl LinkCode {
    /// 40 random bits.
    pub fn generate() -> Self {
        let bits: u64 = rand::random();
        Self((0..LENGTH).map(|place| char::from(ALPHABET[(bits >> (5 * place)) as usize & 31])).collect())
    }

    /// Reads a code in any case, with spaces and hyphens anywhere.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_INPUT {
            return None;
        }
        let is_separator = |c: char| c.is_whitespace() || c == '-';
        let code: String = text.chars().filter(|c| !is_separator(*c)).map(|c| c.to_ascii_uppercase()).collect();
        (code.len() == LENGTH && code.bytes().all(|byte| ALPHABET.contains(&byte))).then_some(Self(code))
    }

    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> String {
        token::hash(&format!("link code {}", self.0))
    }
}

/// Hides the code: it must not get into a log.
impl fmt::Debug for LinkCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("LinkCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_code_is_read_in_any_spelling() {
        let code = LinkCode::parse("ABCD2345").expect("a code");
        for text in ["abcd2345", " ABCD-2345\n", "a b c d 2 3 4 5"] {
            assert_eq!(LinkCode::parse(text), Some(code.clone()), "{text}");
        }
        let long = "A".repeat(1_000_000);
        for text in ["", "ABCD234", "ABCD23456", "ABCD0345", "OBCD2345", "1BCD2345", "IBCD2345", "ÄBCD2345", &long] {
            assert_eq!(LinkCode::parse(text), None);
        }
        assert_eq!(format!("{code:?}"), "LinkCode(…)");
    }

    #[test]
    fn codes_differ_and_are_valid() {
        let codes: Vec<LinkCode> = (0..100).map(|_| LinkCode::generate()).collect();
        for (i, code) in codes.iter().enumerate() {
            assert_eq!(LinkCode::parse(code.reveal()).as_ref(), Some(code));
            assert!(codes[..i].iter().all(|other| other != code && other.hash() != code.hash()));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in "\\PC{0,80}") {
            let _ = LinkCode::parse(&text);
        }
    }
}
