//! Signatures after the Standard Webhooks specification: <https://www.standardwebhooks.com>

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use rollcall_model::secret::Secret;

const PREFIX: &str = "whsec_";
/// The specification wants 24 to 64.
const SECRET_BYTES: usize = 32;

pub fn generate_secret() -> Secret {
    format!("{PREFIX}{}", STANDARD.encode(rand::random::<[u8; SECRET_BYTES]>())).as_str().into()
}

/// The value of `webhook-signature`: one signature for each secret. `timestamp` is in seconds.
pub fn sign<'a>(
    secrets: impl IntoIterator<Item = &'a Secret>,
    id: &str,
    timestamp: i64,
    body: &str,
) -> Result<String, String> {
    let signed = format!("{id}.{timestamp}.{body}");
    let signature = |secret: &Secret| {
        let text = secret.reveal().strip_prefix(PREFIX).unwrap_or_default();
        let key =
            STANDARD.decode(text).ok().filter(|key| !key.is_empty()).ok_or("the secret is not whsec_ and Base64")?;
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), signed.as_bytes());
        Ok(format!("v1,{}", STANDARD.encode(tag)))
    };
    let signatures: Result<Vec<String>, String> = secrets.into_iter().map(signature).collect();
    Ok(signatures?.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Signed by the `standardwebhooks` library of npm.
    #[test]
    fn signatures_are_those_of_the_specification() {
        let secret = Secret::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#);
        let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign([&secret], id, 1_614_265_330, body).as_deref(), Ok(signature));
        let both = sign([&secret, &secret], id, 1_614_265_330, body);
        assert_eq!(both, Ok(format!("{signature} {signature}")));
        for wrong in ["whsec_", "whsec_%", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", ""] {
            assert!(sign([&Secret::from(wrong)], id, 0, body).is_err(), "{wrong}");
        }
        let new = generate_secret();
        assert_eq!(STANDARD.decode(new.reveal().strip_prefix(PREFIX).unwrap()).unwrap().len(), SECRET_BYTES);
    }
}
