//! The packets of the login phase.

use crate::DecodeError;
use crate::codec::{Reader, put_text, put_varint};
use serde_json::json;

use super::frame::frame;
use super::protocol::Protocol;

/// Sent by the client, in its order.
const LOGIN_START_ID: i32 = 0;
const ENCRYPTION_RESPONSE_ID: i32 = 1;
/// Sent by the server.
const DISCONNECT_ID: i32 = 0;
const ENCRYPTION_REQUEST_ID: i32 = 1;
/// Bytes of a name as announced. One of up to 16 characters follows if it is valid.
const MAX_NAME_BYTES: usize = 3 * 16;
const MAX_NAME_CHARS: usize = 16;
/// Bytes of a signing key, of its signature and of the signature of a verify token: the limits of the game.
const MAX_SIGNING_KEY: usize = 512;
const MAX_SIGNATURE: usize = 4096;
/// Bytes of an encrypted secret or token. With our key they have 128.
const MAX_ENCRYPTED: usize = 512;
/// Modern servers have no id of their own.
pub(crate) const SERVER_ID: &str = "";

/// The client's first packet of the login phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginStart {
    /// A [valid](is_valid_name) name, not yet verified.
    pub name: String,
    /// The X.509 public key with which a client of 1.19 to 1.19.2 may sign the verify token.
    pub signing_key: Option<Vec<u8>>,
}

/// The client's answer to the encryption request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EncryptionResponse<'a> {
    pub encrypted_secret: &'a [u8],
    pub token: TokenProof<'a>,
}

/// How the client shows that it received the verify token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenProof<'a> {
    Encrypted(&'a [u8]),
    /// The token and the salt, signed with the signing key of the login start.
    Signed {
        salt: [u8; 8],
        signature: &'a [u8],
    },
}

/// Decodes a login start, without its length prefix. What follows the name differs by version and is skipped, except the signing
/// key.
pub fn decode_login_start(message: &[u8], protocol: Protocol) -> Result<LoginStart, DecodeError> {
    let mut reader = Reader::new(message);
    if reader.varint()? != LOGIN_START_ID {
        return Err(DecodeError::Malformed("the packet is not a login start"));
    }
    let name = reader.text(MAX_NAME_BYTES)?.into_owned();
    if !is_valid_name(&name) {
        return Err(DecodeError::Malformed("the name is not one of a player"));
    }
    let has_signing_key = protocol.may_sign_token() && reader.byte()? != 0;
    let signing_key = match has_signing_key {
        true => {
            let _expires_at = reader.u64()?;
            Some(bytes(&mut reader, protocol, MAX_SIGNING_KEY)?.to_vec())
        }
        false => None,
    };
    Ok(LoginStart { name, signing_key })
}

/// Whether the game accepts this as a player's name: 1 to 16 visible ASCII characters.
pub fn is_valid_name(name: &str) -> bool {
    (1..=MAX_NAME_CHARS).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Decodes an encryption response, without its length prefix.
pub fn decode_encryption_response(message: &[u8], protocol: Protocol) -> Result<EncryptionResponse<'_>, DecodeError> {
    let mut reader = Reader::new(message);
    if reader.varint()? != ENCRYPTION_RESPONSE_ID {
        return Err(DecodeError::Malformed("the packet is not an encryption response"));
    }
    let encrypted_secret = bytes(&mut reader, protocol, MAX_ENCRYPTED)?;
    let is_signed = protocol.may_sign_token() && reader.byte()? == 0;
    let token = match is_signed {
        true => TokenProof::Signed {
            salt: reader.u64()?.to_be_bytes(),
            signature: bytes(&mut reader, protocol, MAX_SIGNATURE)?,
        },
        false => TokenProof::Encrypted(bytes(&mut reader, protocol, MAX_ENCRYPTED)?),
    };
    match reader.rest() {
        [] => Ok(EncryptionResponse { encrypted_secret, token }),
        _ => Err(DecodeError::Malformed("the encryption response is too long")),
    }
}

/// The encryption request, with its length prefix.
pub fn encode_encryption_request(protocol: Protocol, public_key: &[u8], verify_token: &[u8]) -> Vec<u8> {
    let mut body = Vec::with_capacity(public_key.len() + verify_token.len() + 8);
    put_varint(&mut body, ENCRYPTION_REQUEST_ID);
    put_text(&mut body, SERVER_ID);
    put_bytes(&mut body, protocol, public_key);
    put_bytes(&mut body, protocol, verify_token);
    if protocol.has_authentication_flag() {
        body.push(1);
    }
    frame(&body)
}

/// The disconnect of the login phase, with its length prefix. Its text is a JSON component in all versions; only later phases
/// changed to NBT in 1.20.3.
pub fn encode_disconnect(text: &str) -> Vec<u8> {
    let mut body = Vec::new();
    put_varint(&mut body, DISCONNECT_ID);
    put_text(&mut body, &json!({ "text": text }).to_string());
    frame(&body)
}

/// Bytes after their length.
fn bytes<'a>(reader: &mut Reader<'a>, protocol: Protocol, max: usize) -> Result<&'a [u8], DecodeError> {
    let length = match protocol.has_short_lengths() {
        true => i32::from(reader.u16()?.cast_signed()),
        false => reader.varint()?,
    };
    let length = usize::try_from(length).map_err(|_| DecodeError::Malformed("a length is negative"))?;
    if length > max {
        return Err(DecodeError::TooLong(length as u64, max));
    }
    reader.take(length)
}

fn put_bytes(out: &mut Vec<u8>, protocol: Protocol, bytes: &[u8]) {
    match protocol.has_short_lengths() {
        true => out.extend_from_slice(&u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_be_bytes()),
        false => put_varint(out, i32::try_from(bytes.len()).unwrap_or(i32::MAX)),
    }
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V1_7: Protocol = Protocol(5);
    const V1_8: Protocol = Protocol(47);
    const V1_19: Protocol = Protocol(759);
    const V1_19_2: Protocol = Protocol(760);
    const V1_21: Protocol = Protocol(769);

    fn login_start(name: &str, rest: &[u8]) -> Vec<u8> {
        let mut message = vec![0];
        put_text(&mut message, name);
        message.extend_from_slice(rest);
        message
    }

    fn name_of(message: &[u8], protocol: Protocol) -> Result<String, DecodeError> {
        decode_login_start(message, protocol).map(|login| login.name)
    }

    #[test]
    fn fields_after_the_name_are_skipped() {
        assert_eq!(name_of(&login_start("Notch", &[]), V1_8), Ok("Notch".into()));
        assert_eq!(name_of(&login_start("Notch", &[7; 16]), V1_21), Ok("Notch".into()));
        assert_eq!(name_of(&login_start("Notch", &[0, 1, 7]), V1_19_2), Ok("Notch".into()));
    }

    #[test]
    fn the_signing_key_of_1_19_is_kept() {
        let mut rest = vec![1, 0, 0, 0, 0, 0, 0, 0, 9];
        put_bytes(&mut rest, V1_19, b"the key");
        put_bytes(&mut rest, V1_19, b"its signature");
        let login = decode_login_start(&login_start("Notch", &rest), V1_19).unwrap();
        assert_eq!(login.signing_key.as_deref(), Some(&b"the key"[..]));
        assert_eq!(decode_login_start(&login_start("Notch", &rest), V1_8).unwrap().signing_key, None);
        rest.truncate(12);
        assert_eq!(name_of(&login_start("Notch", &rest), V1_19), Err(DecodeError::Truncated));
        let mut rest = vec![1, 0, 0, 0, 0, 0, 0, 0, 9];
        put_bytes(&mut rest, V1_19, &[0; MAX_SIGNING_KEY + 1]);
        assert_eq!(name_of(&login_start("Notch", &rest), V1_19), Err(DecodeError::TooLong(513, 512)));
    }

    #[test]
    fn names_are_those_of_players() {
        for name in ["a", "Notch", "jeb_", "abcdefghijklmnop", "$old.name~"] {
            assert_eq!(name_of(&login_start(name, &[]), V1_8).as_deref(), Ok(name));
        }
        for name in ["", "abcdefghijklmnopq", "a b", "a\nb", "a\0b", "Zoë", "🦊"] {
            assert!(name_of(&login_start(name, &[]), V1_8).is_err(), "{name:?}");
        }
        let too_long = name_of(&login_start(&"a".repeat(49), &[]), V1_8);
        assert_eq!(too_long, Err(DecodeError::TooLong(49, MAX_NAME_BYTES)));
        assert!(decode_login_start(&[0, 2, 0xff, 0xfe], V1_8).is_err(), "not UTF-8");
        assert!(decode_login_start(&[1, 1, b'a'], V1_8).is_err(), "another packet");
    }

    #[test]
    fn requests_differ_by_version() {
        assert_eq!(encode_encryption_request(V1_7, b"key", b"toke"), b"\x0d\x01\x00\x00\x03key\x00\x04toke");
        assert_eq!(encode_encryption_request(V1_8, b"key", b"toke"), b"\x0b\x01\x00\x03key\x04toke");
        assert_eq!(encode_encryption_request(V1_21, b"key", b"toke"), b"\x0c\x01\x00\x03key\x04toke\x01");
        // Pingers and snapshots: negative and large numbers.
        assert_eq!(encode_encryption_request(Protocol(-1), b"key", b"toke").len(), 12);
        assert_eq!(encode_encryption_request(Protocol(0x4000_0100), b"key", b"toke").len(), 13);
    }

    #[test]
    fn responses_differ_by_version() {
        let encrypted = EncryptionResponse { encrypted_secret: b"secret", token: TokenProof::Encrypted(b"token") };
        assert_eq!(decode_encryption_response(b"\x01\x00\x06secret\x00\x05token", V1_7), Ok(encrypted));
        assert_eq!(decode_encryption_response(b"\x01\x06secret\x05token", V1_8), Ok(encrypted));
        assert_eq!(decode_encryption_response(b"\x01\x06secret\x01\x05token", V1_19), Ok(encrypted));
        let token = TokenProof::Signed { salt: *b"12345678", signature: b"signature" };
        let signed = decode_encryption_response(b"\x01\x06secret\x0012345678\x09signature", V1_19_2);
        assert_eq!(signed, Ok(EncryptionResponse { encrypted_secret: b"secret", token }));
    }

    #[test]
    fn responses_are_bounded_and_complete() {
        let whole = b"\x01\x06secret\x05token";
        for length in 0..whole.len() {
            let cut = decode_encryption_response(&whole[..length], V1_8);
            assert_eq!(cut, Err(DecodeError::Truncated), "{length} bytes");
        }
        assert!(decode_encryption_response(b"\x01\x06secret\x05token!", V1_8).is_err(), "a byte too many");
        let too_long = decode_encryption_response(b"\x01\xff\xff\xff\xff\x07", V1_8);
        assert_eq!(too_long, Err(DecodeError::TooLong(0x7fff_ffff, MAX_ENCRYPTED)));
        assert!(decode_encryption_response(b"\x01\xff\xff\xff\xff\x0f", V1_8).is_err(), "a negative length");
        assert!(decode_encryption_response(b"\x01\xff\xff", V1_7).is_err(), "a negative short length");
        assert!(decode_encryption_response(b"\x00\x06secret\x05token", V1_8).is_err(), "another packet");
    }

    #[test]
    fn disconnects_are_json() {
        assert_eq!(encode_disconnect("a \"b\"\n"), b"\x16\x00\x14{\"text\":\"a \\\"b\\\"\\n\"}");
    }

    proptest! {
        #[test]
        fn arbitrary_input_never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..600), protocol: i32) {
            for protocol in [Protocol(protocol), V1_7, V1_8, V1_19, V1_21] {
                if let Ok(login) = decode_login_start(&bytes, protocol) {
                    prop_assert!(is_valid_name(&login.name));
                }
                let _ = decode_encryption_response(&bytes, protocol);
                let _ = super::super::handshake::decode_handshake(&bytes);
            }
        }
    }
}
