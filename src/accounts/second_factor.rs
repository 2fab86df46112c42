//! The second factor: codes from an authenticator app (TOTP, RFC 6238), and recovery codes for users who lost the app.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcodegen::{QrCode, QrCodeEcc};
use totp_rs::{Builder, Secret, Totp};

use rollcall_model::id;
use rollcall_model::time::SECOND;
use rollcall_model::token;

/// The length that RFC 4226 recommends: that of a SHA-1 digest.
const SECRET_BYTES: usize = 20;
const RECOVERY_CODES: usize = 10;
/// Characters of a recovery code: 16 of 5 random bits, 80 bits. Their fast hashes cannot be reversed: at 10^12 guesses a second,
/// 2^79 guesses take 19,000 years.
const RECOVERY_CODE_CHARS: usize = 16;
const GROUP_CHARS: usize = 4;
/// Codes of earlier versions, of 50 bits. They work until they are replaced.
const OLD_RECOVERY_CODE_CHARS: usize = 10;
/// Modules of the blank border around a QR code.
const QUIET_ZONE: i32 = 2;

/// A new secret in base32.
pub fn generate_secret() -> String {
    Secret::new(Box::new(rand::random::<[u8; SECRET_BYTES]>())).to_base32()
}

/// SHA-1, six digits and 30 seconds: the only parameters that every app supports. Accepts one step early or late.
fn totp(secret: &str) -> Option<Totp> {
    let secret = Secret::try_from_base32(secret).ok()?;
    if secret.as_bytes().len() != SECRET_BYTES {
        return None;
    }
    Builder::new().with_secret(secret).build().ok()
}

pub fn is_valid_secret(secret: &str) -> bool {
    totp(secret).is_some()
}

/// The time step that this code belongs to. The caller must accept each step once.
pub fn matching_step(secret: &str, code: &str, now: i64) -> Option<i64> {
    let seconds = u64::try_from(now / SECOND).ok()?;
    totp(secret)?.check(&compact(code), seconds).and_then(|step| i64::try_from(step).ok())
}

/// The `otpauth:` URI in the QR code.
pub fn otpauth_uri(secret: &str, username: &str, host: &str) -> String {
    let issuer = format!("Rollcall ({host})");
    let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!("otpauth://totp/{}:{}?secret={secret}&issuer={}", encode(&issuer), encode(username), encode(&issuer))
}

/// A QR code as the length of its side and an SVG path.
pub fn qr_code(text: &str) -> Option<(i32, String)> {
    use std::fmt::Write;
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            write!(path, "M{} {}h1v1h-1z", x + QUIET_ZONE, y + QUIET_ZONE).expect("writing to a string cannot fail");
        }
    }
    Some((code.size() + 2 * QUIET_ZONE, path))
}

/// New recovery codes of the form `xxxx-xxxx-xxxx-xxxx`.
pub fn generate_recovery_codes() -> Vec<String> {
    let code = |_| {
        let text = id::encode(rand::random());
        let text = &text[text.len() - RECOVERY_CODE_CHARS..];
        let groups: Vec<&str> =
            (0..RECOVERY_CODE_CHARS).step_by(GROUP_CHARS).map(|at| &text[at..at + GROUP_CHARS]).collect();
        groups.join("-")
    };
    (0..RECOVERY_CODES).map(code).collect()
}

/// The stored hash of a recovery code, in any spelling. It includes the account, so two accounts may have the same code.
pub fn recovery_code_hash(account_id: &str, code: &str) -> Option<String> {
    let code = compact(code).to_ascii_lowercase();
    let is_code = [RECOVERY_CODE_CHARS, OLD_RECOVERY_CODE_CHARS].contains(&code.len());
    is_code.then(|| token::hash(&format!("{account_id} {code}")))
}

/// Removes spaces and hyphens.
fn compact(code: &str) -> String {
    code.chars().filter(|c| !c.is_whitespace() && *c != '-').take(2 * RECOVERY_CODE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The key of the appendix of RFC 6238; its codes are cut to six digits.
    const KEY: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    #[test]
    fn codes_of_the_rfc_match_within_one_step() {
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let now = seconds * SECOND;
            assert_eq!(matching_step(KEY, code, now), Some(seconds / 30), "{code}");
            assert_eq!(matching_step(KEY, &format!(" {} {}", &code[..3], &code[3..]), now), Some(seconds / 30));
            assert_eq!(matching_step(KEY, code, now + 30 * SECOND), Some(seconds / 30));
            assert_eq!(matching_step(KEY, code, now + 61 * SECOND), None);
        }
        for wrong in ["", "287083", "28708", "2870822", "28708x", "２８７０８２"] {
            assert_eq!(matching_step(KEY, wrong, 59 * SECOND), None, "{wrong}");
        }
        assert!(is_valid_secret(&generate_secret()) && !is_valid_secret("GEZD") && !is_valid_secret("!"));
    }

    #[test]
    fn recovery_codes_match_in_any_spelling() {
        let codes = generate_recovery_codes();
        assert_eq!(codes.len(), RECOVERY_CODES);
        assert!(codes.iter().all(|code| code.len() == 19 && code.matches('-').count() == 3), "{codes:?}");
        let hash = recovery_code_hash("a", &codes[0]);
        assert!(hash.is_some());
        assert_eq!(recovery_code_hash("a", &codes[0].to_uppercase().replace('-', " ")), hash);
        assert_ne!(recovery_code_hash("b", &codes[0]), hash);
        assert_ne!(recovery_code_hash("a", &codes[1]), hash);
        assert_eq!(recovery_code_hash("a", "12345"), None);
        assert!(recovery_code_hash("a", "abcde-12345").is_some(), "a code of an earlier version");
    }

    #[test]
    fn the_uri_and_its_qr_code_are_readable() {
        let uri = otpauth_uri(KEY, "ada", "stats.example:8080");
        assert!(uri.starts_with("otpauth://totp/Rollcall%20%28stats%2Eexample%3A8080%29:ada?secret=GEZD"), "{uri}");
        let (size, path) = qr_code(&uri).unwrap();
        assert!(size > 25 && path.starts_with("M2 2h1v1h-1z"));
    }

    proptest! {
        #[test]
        fn any_code_is_checked_without_panic(secret in "\\PC{0,40}", code in "\\PC{0,40}", now in any::<i64>()) {
            let _ = (matching_step(&secret, &code, now), matching_step(KEY, &code, now), recovery_code_hash("a", &code));
        }
    }
}
