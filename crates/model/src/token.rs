//! Random texts that stand for something (a sign-in, an invitation). Only their hashes are kept.

use sha2::{Digest, Sha256};

use crate::id::hex;

/// 256 bits from the system's generator.
pub fn generate() -> String {
    hex(&rand::random::<[u8; 32]>())
}

/// Whether a text may be one of ours: bounded before it is looked up.
pub fn is_formed(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

pub fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}
