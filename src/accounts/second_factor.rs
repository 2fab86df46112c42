//! Codes from an authenticator app (TOTP, RFC 6238), and the codes for whoever has lost it.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use qrcodegen::{QrCode, QrCodeEcc};
use totp_rs::{Builder, Secret, Totp};

use rollcall_model::id;
use rollcall_model::time::SECOND;
use rollcall_model::token;

/// As RFC 4226 recommends, and as long as SHA-1's output.
const SECRET_BYTES: usize = 20;
const RECOVERY_CODES: usize = 10;
/// Of a recovery code: 50 bits.
const RECOVERY_LENGTH: usize = 10;
/// Modules of quiet around a QR code.
const QUIET: i32 = 2;

/// Base32, as apps take it.
pub fn generate() -> String {
    Secret::new(Box::new(rand::random::<[u8; SECRET_BYTES]>())).to_base32()
}

/// Every app knows SHA-1, six digits and thirty seconds; some know nothing else. One step early or late is taken.
fn totp(secret: &str) -> Option<Totp> {
    let secret = Secret::try_from_base32(secret).ok()?;
    if secret.as_bytes().len() != SECRET_BYTES {
        return None;
    }
    Builder::new().with_secret(secret).build().ok()
}

pub fn is_formed(secret: &str) -> bool {
    totp(secret).is_some()
}

/// The time step whose code this is, to be taken once.
pub fn step_of(secret: &str, code: &str, now: i64) -> Option<i64> {
    let seconds = u64::try_from(now / SECOND).ok()?;
    totp(secret)?.check(&plain(code), seconds).and_then(|step| i64::try_from(step).ok())
}

/// What an app reads from the picture.
pub fn address(secret: &str, username: &str, host: &str) -> String {
    let issuer = format!("Rollcall ({host})");
    let part = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    format!("otpauth://totp/{}:{}?secret={secret}&issuer={}", part(&issuer), part(username), part(&issuer))
}

/// A QR code as an SVG path, and the length of its side.
pub fn picture(text: &str) -> Option<(i32, String)> {
    use std::fmt::Write;
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        for x in (0..code.size()).filter(|x| code.get_module(*x, y)) {
            write!(path, "M{} {}h1v1h-1z", x + QUIET, y + QUIET).expect("writing to a string");
        }
    }
    Some((code.size() + 2 * QUIET, path))
}

/// Shown once; `xxxxx-xxxxx`.
pub fn recovery_codes() -> Vec<String> {
    let code = |_| {
        let text = id::encode(rand::random());
        let text = &text[text.len() - RECOVERY_LENGTH..];
        format!("{}-{}", &text[..RECOVERY_LENGTH / 2], &text[RECOVERY_LENGTH / 2..])
    };
    (0..RECOVERY_CODES).map(code).collect()
}

/// What is kept of a recovery code, however it is typed. Bound to its account, so that two may have the same.
pub fn recovery_hash(account_id: &str, code: &str) -> Option<String> {
    let code = plain(code).to_ascii_lowercase();
    (code.len() == RECOVERY_LENGTH).then(|| token::hash(&format!("{account_id} {code}")))
}

/// Without what people put between the characters.
fn plain(code: &str) -> String {
    code.chars().filter(|c| !c.is_whitespace() && *c != '-').take(2 * RECOVERY_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The key of RFC 6238's appendix, and its codes cut to six digits.
    const KEY: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

    #[test]
    fn codes_of_the_standard_and_one_step_around() {
        for (seconds, code) in [(59, "287082"), (1_111_111_109, "081804"), (20_000_000_000, "353130")] {
            let now = seconds * SECOND;
            assert_eq!(step_of(KEY, code, now), Some(seconds / 30), "{code}");
            assert_eq!(step_of(KEY, &format!(" {} {}", &code[..3], &code[3..]), now), Some(seconds / 30));
            assert_eq!(step_of(KEY, code, now + 30 * SECOND), Some(seconds / 30));
            assert_eq!(step_of(KEY, code, now + 61 * SECOND), None);
        }
        for wrong in ["", "287083", "28708", "2870822", "28708x", "２８７０８２"] {
            assert_eq!(step_of(KEY, wrong, 59 * SECOND), None, "{wrong}");
        }
        assert!(is_formed(&generate()) && !is_formed("GEZD") && !is_formed("!"));
    }

    #[test]
    fn recovery_codes_are_known_however_they_are_typed() {
        let codes = recovery_codes();
        assert_eq!(codes.len(), RECOVERY_CODES);
        let hash = recovery_hash("a", &codes[0]);
        assert!(hash.is_some());
        assert_eq!(recovery_hash("a", &codes[0].to_uppercase().replace('-', " ")), hash);
        assert_ne!(recovery_hash("b", &codes[0]), hash);
        assert_ne!(recovery_hash("a", &codes[1]), hash);
        assert_eq!(recovery_hash("a", "12345"), None);
    }

    #[test]
    fn an_app_can_read_it() {
        let address = address(KEY, "ada", "stats.example:8080");
        assert!(
            address.starts_with("otpauth://totp/Rollcall%20%28stats%2Eexample%3A8080%29:ada?secret=GEZD"),
            "{address}"
        );
        let (size, path) = picture(&address).unwrap();
        assert!(size > 25 && path.starts_with("M2 2h1v1h-1z"));
    }

    proptest! {
        #[test]
        fn any_code_is_judged(secret in "\\PC{0,40}", code in "\\PC{0,40}", now in any::<i64>()) {
            let _ = (step_of(&secret, &code, now), step_of(KEY, &code, now), recovery_hash("a", &code));
        }
    }
}
