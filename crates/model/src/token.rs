//! Random tokens for login sessions, invitations and passes. Only their hashes are stored.

use sha2::{Digest, Sha256};

use crate::id::hex;

/// 256 random bits as hexadecimal digits.
pub fn generate() -> String {
    hex(&rand::random::<[u8; 32]>())
}

/// Whether a text has the format of a token; check it before a lookup.
pub fn is_well_formed(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

pub fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
