//! Encryption at rest of secrets that must be readable, those of TOTP and of webhooks: AES-256-GCM under a key that is not in the
//! store, so that a stolen database or backup gives none of them away.

use std::path::Path;

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use rollcall_model::id::hex;
use rollcall_model::token;

const KEY_BYTES: usize = 32;
/// Begins every encrypted secret. No base32 text contains a colon.
const PREFIX: &str = "v1:";
/// Characters of a key's fingerprint, which tells keys apart and reveals nothing of them.
const FINGERPRINT_CHARS: usize = 8;

pub struct SecretCipher {
    key: LessSafeKey,
    fingerprint: String,
}

impl SecretCipher {
    /// From the settings: 64 hexadecimal digits, or a file with them. `None` if both are empty.
    pub fn load(text: &str, file: &Path) -> Result<Option<Self>, String> {
        let (text, name) = match (text.is_empty(), file.as_os_str().is_empty()) {
            (true, true) => return Ok(None),
            (false, false) => {
                return Err("set accounts.second_factor_key or accounts.second_factor_key_file, not both".into());
            }
            (false, true) => (text.to_owned(), "accounts.second_factor_key".to_owned()),
            (true, false) => {
                let error = |error| format!("cannot read accounts.second_factor_key_file {}: {error}", file.display());
                (std::fs::read_to_string(file).map_err(error)?, file.display().to_string())
            }
        };
        let wrong = || format!("{name} must hold {} hexadecimal digits (`openssl rand -hex 32`)", 2 * KEY_BYTES);
        let bytes = parse_hex(text.trim()).filter(|bytes| bytes.len() == KEY_BYTES).ok_or_else(wrong)?;
        let key = UnboundKey::new(&AES_256_GCM, &bytes).map_err(|_| wrong())?;
        let mut fingerprint = token::hash(&format!("second factor key {}", hex(&bytes)));
        fingerprint.truncate(FINGERPRINT_CHARS);
        Ok(Some(Self { key: LessSafeKey::new(key), fingerprint }))
    }

    /// Encrypts a secret. It is bound to its owner, such as an account: copied to another one, it cannot be decrypted.
    fn seal(&self, owner: &str, secret: &str) -> String {
        let nonce: [u8; NONCE_LEN] = rand::random();
        let mut bytes = secret.as_bytes().to_vec();
        let (aad, unique) = (Aad::from(owner.as_bytes()), Nonce::assume_unique_for_key(nonce));
        self.key.seal_in_place_append_tag(unique, aad, &mut bytes).expect("a secret is short");
        format!("{PREFIX}{}:{}{}", self.fingerprint, hex(&nonce), hex(&bytes))
    }

    /// `None` if it was encrypted with another key or for another owner, or was changed.
    fn open(&self, owner: &str, stored: &str) -> Option<String> {
        let (fingerprint, text) = stored.strip_prefix(PREFIX)?.split_once(':')?;
        let bytes = parse_hex(text).filter(|_| fingerprint == self.fingerprint)?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let (nonce, mut sealed) = (Nonce::try_assume_unique_for_key(nonce).ok()?, sealed.to_vec());
        let secret = self.key.open_in_place(nonce, Aad::from(owner.as_bytes()), &mut sealed).ok()?;
        String::from_utf8(secret.to_vec()).ok()
    }
}

pub fn is_encrypted(stored: &str) -> bool {
    stored.starts_with(PREFIX)
}

fn parse_hex(text: &str) -> Option<Vec<u8>> {
    let is_hex = text.len().is_multiple_of(2) && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).ok();
    is_hex.then(|| (0..text.len()).step_by(2).map(byte).collect()).flatten()
}

/// The stored form of a new secret.
pub fn seal(cipher: Option<&SecretCipher>, owner: &str, secret: &str) -> String {
    cipher.map_or_else(|| secret.to_owned(), |cipher| cipher.seal(owner, secret))
}

/// The secret behind its stored form; the error is a sentence for the operator.
pub fn open(cipher: Option<&SecretCipher>, owner: &str, stored: &str) -> Result<String, String> {
    match cipher {
        _ if !is_encrypted(stored) => Ok(stored.to_owned()),
        Some(cipher) => cipher
            .open(owner, stored)
            .ok_or_else(|| format!("the secret of {owner} was encrypted with another key or has been changed")),
        None => Err(MISSING_KEY.to_owned()),
    }
}

const MISSING_KEY: &str = "the store has encrypted secrets, and neither accounts.second_factor_key nor \
                           accounts.second_factor_key_file is set";

/// A stored secret, before and after its encryption.
pub struct Reencrypted {
    pub account_n: i64,
    pub before: String,
    pub after: String,
}

/// Checks at the start that every stored second factor (account number, account id, stored form) can be read, and returns
/// those to encrypt because they are still in plain text. The error is a sentence for the operator: without the right key no
/// user with a second factor could sign in.
pub fn check_stored(
    cipher: Option<&SecretCipher>,
    stored: Vec<(i64, String, String)>,
) -> Result<Vec<Reencrypted>, String> {
    let mut plain = Vec::new();
    for (account_n, id, before) in stored {
        let secret = open(cipher, &id, &before).map_err(|error| {
            format!(
                "{error}; set the key that was used before, or turn the second factor off with \
                 `rollcall account password NAME --without-second-factor`"
            )
        })?;
        if let Some(cipher) = cipher.filter(|_| !is_encrypted(&before)) {
            plain.push(Reencrypted { account_n, after: cipher.seal(&id, &secret), before });
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(digit: &str) -> SecretCipher {
        SecretCipher::load(&digit.repeat(64), Path::new("")).unwrap().unwrap()
    }

    #[test]
    fn a_secret_is_readable_with_its_key_and_account_only() {
        let (one, other) = (cipher("1"), cipher("2"));
        let sealed = seal(Some(&one), "ada", "GEZDGNBVGY3TQOJQ");
        assert!(!sealed.contains("GEZD") && sealed != seal(Some(&one), "ada", "GEZDGNBVGY3TQOJQ"));
        assert_eq!(open(Some(&one), "ada", &sealed).as_deref(), Ok("GEZDGNBVGY3TQOJQ"));
        assert_eq!(open(Some(&one), "ada", "GEZDGNBVGY3TQOJQ").as_deref(), Ok("GEZDGNBVGY3TQOJQ"));
        assert_eq!(open(None, "ada", &sealed), Err(MISSING_KEY.to_owned()));
        let (start, last_digit) = sealed.split_at(sealed.len() - 1);
        let changed = format!("{start}{}", if last_digit == "0" { "1" } else { "0" });
        for (cipher, account, text) in [
            (&other, "ada", sealed.clone()),
            (&one, "bob", sealed.clone()),
            (&one, "ada", format!("{sealed}00")),
            (&one, "ada", changed),
            (&one, "ada", "v1:".to_owned()),
            (&one, "ada", format!("v1:{}:00", one.fingerprint)),
            (&one, "ada", format!("v1:{}:éé", one.fingerprint)),
        ] {
            assert!(open(Some(cipher), account, &text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_key_has_64_digits_and_one_place() {
        let none = Path::new("");
        assert!(SecretCipher::load("", none).unwrap().is_none());
        for wrong in ["1", "12345678", &"x".repeat(64), &"1".repeat(63), &"é".repeat(32)] {
            assert!(SecretCipher::load(wrong, none).is_err(), "{wrong}");
        }
        assert!(SecretCipher::load(&"1".repeat(64), Path::new("key")).is_err());
        let missing = SecretCipher::load("", Path::new("/nonexistent/key")).err().unwrap();
        assert!(missing.contains("/nonexistent/key"), "{missing}");
    }
}
