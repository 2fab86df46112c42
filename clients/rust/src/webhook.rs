//! Messages that are signed after the [Standard Webhooks](https://www.standardwebhooks.com) specification.
//!
//! ```
//! use std::time::{Duration, SystemTime};
//!
//! use rollcall_client::webhook;
//!
//! let (secret, body) = ("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", r#"{"test": 2432232314}"#);
//! // As a web framework gives them. `body` must be the bytes as they came, not JSON that was written again.
//! let headers = |name: &str| match name {
//!     "webhook-id" => Some("msg_p5jXN8AQM9LWM0D4loKWxJek"),
//!     "webhook-timestamp" => Some("1614265330"),
//!     "webhook-signature" => Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
//!     _ => None,
//! };
//! let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1614265330);
//! webhook::verify(secret, headers, body.as_bytes(), now)?;
//! # Ok::<(), webhook::Invalid>(())
//! ```

use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// How far the clocks of sender and receiver may differ, and how long a message may be on its way.
pub const TOLERANCE: Duration = Duration::from_secs(5 * 60);

/// Why a message must not be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// The secret is not `whsec_` and Base64.
    Secret,
    /// A header is missing, or the time is not a number.
    Headers,
    /// It was sent more than five minutes ago, or more than five minutes from now: perhaps it is sent a second time.
    Time,
    /// No signature is that of the secret.
    Signature,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret => "the secret must be whsec_ and Base64",
            Self::Headers => "webhook-id, webhook-timestamp (seconds) and webhook-signature must be given",
            Self::Time => "the message is more than five minutes old or too new",
            Self::Signature => "no signature is that of the secret",
        })
    }
}

impl std::error::Error for Invalid {}

/// Checks who sent a message and when. `header` gives the value of a header by its name in lower case. The id of a message stays the
/// same when it is sent again: process each id once.
pub fn verify<'a>(
    secret: &str,
    header: impl Fn(&str) -> Option<&'a str>,
    body: &[u8],
    now: SystemTime,
) -> Result<(), Invalid> {
    let needed = |name| header(name).filter(|value| !value.is_empty()).ok_or(Invalid::Headers);
    let (id, sent_at, signatures) = (needed("webhook-id")?, needed("webhook-timestamp")?, needed("webhook-signature")?);
    let mac = mac(secret, id, sent_at, body)?;
    let sent_at: u64 = sent_at.parse().map_err(|_| Invalid::Headers)?;
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    if now.abs_diff(sent_at) > TOLERANCE.as_secs() {
        return Err(Invalid::Time);
    }
    let is_ours = |signature: &str| {
        let given = signature.strip_prefix("v1,").and_then(|text| BASE64_STANDARD.decode(text).ok());
        // Takes the same time wherever they differ.
        given.is_some_and(|given| mac.clone().verify_slice(&given).is_ok())
    };
    if signatures.split(' ').any(is_ours) { Ok(()) } else { Err(Invalid::Signature) }
}

/// The signature of a message, for tests of your receiver.
pub fn sign(secret: &str, id: &str, sent_at: u64, body: &[u8]) -> Result<String, Invalid> {
    let mac = mac(secret, id, &sent_at.to_string(), body)?;
    Ok(format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes())))
}

fn mac(secret: &str, id: &str, sent_at: &str, body: &[u8]) -> Result<Hmac<Sha256>, Invalid> {
    let text = secret.strip_prefix("whsec_").unwrap_or(secret);
    let key = BASE64_STANDARD.decode(text).ok().filter(|key| !key.is_empty()).ok_or(Invalid::Secret)?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|_| Invalid::Secret)?;
    for part in [id.as_bytes(), b".", sent_at.as_bytes(), b".", body] {
        mac.update(part);
    }
    Ok(mac)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SENT_AT: u64 = 1_614_265_330;
    /// Both signed by the `standardwebhooks` library of npm.
    const SIGNED: [(&str, &str, &str); 2] = [
        ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
        ("msg_1", r#"{"name": "Zoë 🎮"}"#, "v1,XEFPS4bevzJmPe8EMp/H2zce031A/OQux2BDNBSy3vU="),
    ];

    fn check(secret: &str, id: &str, sent_at: &str, signatures: &str, body: &str, now: u64) -> Result<(), Invalid> {
        let header = |name: &str| match name {
            "webhook-id" => Some(id),
            "webhook-timestamp" => Some(sent_at),
            "webhook-signature" => Some(signatures),
            _ => None,
        };
        verify(secret, header, body.as_bytes(), UNIX_EPOCH + Duration::from_secs(now))
    }

    #[test]
    fn signatures_are_those_of_the_standard_library() {
        for (id, body, signature) in SIGNED {
            assert_eq!(sign(SECRET, id, SENT_AT, body.as_bytes()).as_deref(), Ok(signature));
            let several = format!("v1,AAAA v1a,{} {signature}", &signature[3..]);
            for (signatures, now) in [(signature, SENT_AT), (&several, SENT_AT + 300), (&several, SENT_AT - 300)] {
                assert_eq!(check(SECRET, id, "1614265330", signatures, body, now), Ok(()));
            }
        }
    }

    #[test]
    fn anything_else_is_refused() {
        let (id, body, signature) = SIGNED[0];
        let cases = [
            (SECRET, id, "1614265330", signature, body, SENT_AT + 301, Invalid::Time),
            (SECRET, id, "1614265330", signature, body, SENT_AT - 301, Invalid::Time),
            (SECRET, id, "1614265331", signature, body, SENT_AT, Invalid::Signature),
            (SECRET, "msg_2", "1614265330", signature, body, SENT_AT, Invalid::Signature),
            (SECRET, id, "1614265330", signature, "{}", SENT_AT, Invalid::Signature),
            (SECRET, id, "1614265330", &signature[..40], body, SENT_AT, Invalid::Signature),
            (SECRET, id, "1614265330", &signature.replace("v1,", "v2,"), body, SENT_AT, Invalid::Signature),
            ("whsec_AAAA", id, "1614265330", signature, body, SENT_AT, Invalid::Signature),
            ("whsec_", id, "1614265330", signature, body, SENT_AT, Invalid::Secret),
            ("whsec_%", id, "1614265330", signature, body, SENT_AT, Invalid::Secret),
            (SECRET, "", "1614265330", signature, body, SENT_AT, Invalid::Headers),
            (SECRET, id, "1614265330.5", signature, body, SENT_AT, Invalid::Headers),
            (SECRET, id, "now", signature, body, SENT_AT, Invalid::Headers),
            (SECRET, id, "1614265330", "", body, SENT_AT, Invalid::Headers),
        ];
        for (secret, id, sent_at, signatures, body, now, expected) in cases {
            let outcome = check(secret, id, sent_at, signatures, body, now);
            assert_eq!(outcome, Err(expected), "{secret} {id} {sent_at} {signatures} {now}");
        }
    }
}
