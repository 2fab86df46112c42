//! Votifier v2 (NuVotifier): one frame with a signed JSON text.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use serde::Serialize;

use super::receiver::Token;
use super::vote::Vote;

/// The first bytes of a frame; its length follows, big-endian.
pub const FRAME_MAGIC: [u8; 2] = [0x73, 0x3a];
/// Bytes of a frame, with magic and length. NuVotifier rejects longer ones.
pub const MAX_FRAME: usize = 1024;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'v> {
    service_name: &'v str,
    username: &'v str,
    address: &'v str,
    /// In milliseconds.
    timestamp: i64,
    challenge: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
}

#[derive(Serialize)]
struct Message<'v> {
    payload: &'v str,
    signature: String,
}

/// The frame with the vote. `None` if it would be too long, which only an oversized challenge can cause.
pub fn encode_frame(vote: &Vote, token: &Token, challenge: &str) -> Option<Vec<u8>> {
    let payload = to_json(&Payload {
        service_name: vote.service(),
        username: vote.username(),
        address: vote.address(),
        timestamp: vote.timestamp_ms(),
        challenge,
        uuid: vote.uuid().map(|uuid| uuid.to_string()),
    });
    let message = to_json(&Message { payload: &payload, signature: sign(token.reveal(), &payload) });
    let length = u16::try_from(message.len()).ok()?;
    let frame = [&FRAME_MAGIC[..], &length.to_be_bytes(), message.as_bytes()].concat();
    (frame.len() <= MAX_FRAME).then_some(frame)
}

/// The signature of a payload: HMAC-SHA256 with the token, in base64.
pub fn sign(token: &str, payload: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, token.as_bytes());
    BASE64_STANDARD.encode(hmac::sign(&key, payload.as_bytes()))
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers can be written as JSON")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::{Value, json};
    use uuid::Uuid;

    fn token() -> Token {
        "key".parse().unwrap()
    }

    #[test]
    fn the_frame_is_that_of_nuvotifier() {
        let uuid = Uuid::try_parse("069a79f444e94726a5befca90e38aaf5").unwrap();
        let vote = Vote::new("Rollcall", "Notch", "198.51.100.7", 1_767_225_600_999, Some(uuid)).unwrap();
        let frame = encode_frame(&vote, &token(), "abc123").unwrap();
        assert_eq!(frame[..2], [0x73, 0x3a]);
        assert_eq!(usize::from(u16::from_be_bytes([frame[2], frame[3]])), frame.len() - 4);
        let message: Value = serde_json::from_slice(&frame[4..]).unwrap();
        let payload = r#"{"serviceName":"Rollcall","username":"Notch","address":"198.51.100.7","timestamp":1767225600999,"challenge":"abc123","uuid":"069a79f4-44e9-4726-a5be-fca90e38aaf5"}"#;
        assert_eq!(message, json!({"payload": payload, "signature": sign("key", payload)}));
    }

    #[test]
    fn the_signature_is_hmac_sha256() {
        // The well-known test vector of HMAC-SHA256.
        let signature = sign("key", "The quick brown fox jumps over the lazy dog");
        assert_eq!(signature, "97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=");
    }

    #[test]
    fn an_oversized_challenge_makes_no_frame() {
        let vote =
            Vote::new(&"\"".repeat(64), &"\\".repeat(16), &"\"".repeat(64), i64::MIN, Some(Uuid::max())).unwrap();
        assert!(encode_frame(&vote, &token(), &"x".repeat(64)).is_some());
        assert!(encode_frame(&vote, &token(), &"\"".repeat(247)).is_none());
        assert!(encode_frame(&vote, &token(), &"x".repeat(1 << 20)).is_none());
    }

    proptest! {
        #[test]
        fn every_vote_fits_with_the_challenge_of_a_real_receiver(
            service in "\\PC{1,64}", name in "\\PC{1,16}", address in "\\PC{1,64}", at in any::<i64>(), challenge in "[a-z0-9]{1,64}",
        ) {
            if let Ok(vote) = Vote::new(&service, &name, &address, at, Some(Uuid::max())) {
                let frame = encode_frame(&vote, &token(), &challenge).unwrap();
                let message: Value = serde_json::from_slice(&frame[4..]).unwrap();
                let payload: Value = serde_json::from_str(message["payload"].as_str().unwrap()).unwrap();
                let expected = json!({
                    "serviceName": service, "username": name, "address": address, "timestamp": at, "challenge": challenge,
                    "uuid": Uuid::max().to_string(),
                });
                prop_assert_eq!(payload, expected);
            }
        }
    }
}
