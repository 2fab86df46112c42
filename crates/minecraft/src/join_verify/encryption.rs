//! The secret of a connection: proof that the client holds it, the digest for the session server, and AES.

use aes::Aes128;
use cfb8::Encryptor;
use cfb8::cipher::KeyIvInit;
use ring::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};
use spki::SubjectPublicKeyInfoRef;
use spki::der::Decode;
use subtle::ConstantTimeEq;

use super::login::{EncryptionResponse, SERVER_ID, TokenProof};
use super::server_key::ServerKey;

/// Bytes of the secret, which is the AES key and its first state.
pub const SECRET_LENGTH: usize = 16;
/// Bytes of the token, as in the game.
pub const TOKEN_LENGTH: usize = 4;

/// The secret of a connection, and whether the client has shown that it answers this connection's request.
pub struct Opened {
    pub secret: [u8; SECRET_LENGTH],
    pub has_token: bool,
}

/// Decrypts an encryption response. A secret that cannot be decrypted is replaced by a random one, which the session server then
/// does not know: this prevents a padding oracle.
pub fn open_response(
    response: &EncryptionResponse,
    key: &ServerKey,
    token: &[u8; TOKEN_LENGTH],
    signing_key: Option<&[u8]>,
) -> Opened {
    let has_token = match response.token {
        TokenProof::Encrypted(encrypted) => {
            let decrypted = key.decrypt::<TOKEN_LENGTH>(encrypted);
            let is_some = decrypted.is_some();
            (is_some & decrypted.unwrap_or([0; TOKEN_LENGTH]).ct_eq(token)).into()
        }
        TokenProof::Signed { salt, signature } => {
            signing_key.is_some_and(|key| is_signed(key, &[&token[..], &salt].concat(), signature))
        }
    };
    let secret = key.decrypt(response.encrypted_secret).unwrap_or(rand::random());
    Opened { secret, has_token }
}

/// Whether the message was signed with this X.509 key. That Mojang signed the key is not checked: the session server alone says
/// whose account it is.
fn is_signed(signing_key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let Ok(key) = SubjectPublicKeyInfoRef::from_der(signing_key) else { return false };
    let Some(key) = key.subject_public_key.as_bytes() else { return false };
    UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key).verify(message, signature).is_ok()
}

/// The digest by which the session server knows this connection.
pub fn server_hash(secret: &[u8; SECRET_LENGTH], public_key: &[u8]) -> String {
    let mut sha1 = Context::new(&SHA1_FOR_LEGACY_USE_ONLY);
    sha1.update(SERVER_ID.as_bytes());
    sha1.update(secret);
    sha1.update(public_key);
    signed_hex(sha1.finish().as_ref())
}

/// The digest as Java prints a signed number: hexadecimal without leading zeros, with a minus sign if the first bit is set.
fn signed_hex(digest: &[u8]) -> String {
    let is_negative = digest.first().is_some_and(|byte| byte & 0x80 != 0);
    let mut bytes = digest.to_vec();
    if is_negative {
        // Two's complement, from the last byte on.
        let mut carry = true;
        for byte in bytes.iter_mut().rev() {
            (*byte, carry) = (!*byte).overflowing_add(u8::from(carry));
        }
    }
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = hex.trim_start_matches('0');
    format!("{}{}", if is_negative { "-" } else { "" }, if digits.is_empty() { "0" } else { digits })
}

/// Encrypts the first bytes that are sent after the encryption response, by AES-128 in CFB8 mode.
pub fn encrypt(secret: &[u8; SECRET_LENGTH], bytes: &mut [u8]) {
    Encryptor::<Aes128>::new(secret.into(), secret.into()).encrypt(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_printed_as_java_prints_them() {
        let sha1 = |text: &str| {
            let digest = ring::digest::digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes());
            signed_hex(digest.as_ref())
        };
        // The examples by which the protocol is documented.
        assert_eq!(sha1("Notch"), "4ed1f46bbe04bc756bcb17c0c7ce3e4632f06a48");
        assert_eq!(sha1("jeb_"), "-7c9d5b0044c130109a5d7b5fb5c317c02b4e28c1");
        assert_eq!(sha1("simon"), "88e16a1019277b15d58faf0541e11910eb756f6");
        assert_eq!(signed_hex(&[0; 20]), "0");
        assert_eq!(signed_hex(&[0xff; 20]), "-1");
        assert_eq!(signed_hex(&[0x80, 0, 0]), "-800000");
        assert_eq!(signed_hex(&[0xff, 0, 0]), "-10000");
    }

    #[test]
    fn the_digest_covers_secret_and_key() {
        let hash = server_hash(&[1; SECRET_LENGTH], b"key");
        assert_ne!(hash, server_hash(&[2; SECRET_LENGTH], b"key"));
        assert_ne!(hash, server_hash(&[1; SECRET_LENGTH], b"other"));
    }

    #[test]
    fn packets_are_encrypted_as_openssl_does() {
        let secret = std::array::from_fn(|index| index as u8);
        let mut packet = b"\x0d\x00{\"text\":\"Hi\"}".to_vec();
        encrypt(&secret, &mut packet);
        let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
        // openssl enc -aes-128-cfb8 -K 000102030405060708090a0b0c0d0e0f -iv 000102030405060708090a0b0c0d0e0f
        assert_eq!(hex, "07e5169bc04f92f9c1b54c98eafca1");
    }

    #[test]
    fn signatures_need_a_key_that_made_them() {
        assert!(!is_signed(b"", b"message", b""));
        assert!(!is_signed(ServerKey::generate().public_key(), b"message", &[0; 128]), "too short for a player's key");
    }
}
