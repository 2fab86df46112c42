//! Passkeys (WebAuthn): checks what the browser answers when a passkey is registered or used. The challenge is the caller's: it
//! must be spent once, in the session that asked for it. Attestation is not asked for, so any authenticator is accepted.

mod cbor;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::signature::{ECDSA_P256_SHA256_ASN1, ED25519, UnparsedPublicKey};
use serde::Deserialize;

use cbor::Value;
use rollcall_model::id::hex;
use rollcall_model::time::MINUTE;

/// Passkeys of one account.
pub const MAX_PASSKEYS: i64 = 10;
/// Characters of a passkey's name.
pub const MAX_NAME_CHARS: usize = 60;
/// How long a challenge can be answered.
pub const CHALLENGE_LIFETIME: i64 = 5 * MINUTE;
/// Attempts per client IP and minute.
pub const ATTEMPTS_PER_MINUTE: u32 = 60;

/// The relying party: browsers bind a passkey to the host.
pub struct RelyingParty<'a> {
    /// `https://example.com:8443`
    origin: &'a str,
    /// `example.com`
    pub id: &'a str,
}

impl<'a> RelyingParty<'a> {
    pub fn new(public_url: &'a str) -> Self {
        let host = public_url.split("://").nth(1).unwrap_or(public_url);
        let host = host.split(['/', '?']).next().unwrap_or(host);
        Self { origin: public_url.trim_end_matches('/'), id: host.rsplit_once(':').map_or(host, |(host, _)| host) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceremony {
    Register,
    SignIn,
}

impl Ceremony {
    /// The `type` that browsers write.
    fn kind(self) -> &'static str {
        match self {
            Self::Register => "webauthn.create",
            Self::SignIn => "webauthn.get",
        }
    }
}

/// A verified new passkey.
#[derive(Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// The id that the authenticator chose, in base64url.
    pub credential: String,
    /// The stored form of its public key.
    pub public_key: String,
    pub counter: u32,
}

/// A verified use of a passkey.
#[derive(Debug, PartialEq, Eq)]
pub struct Assertion {
    /// The authenticator checked a PIN, a finger or a face.
    pub user_verified: bool,
    pub counter: u32,
}

#[derive(Deserialize)]
struct ClientData {
    #[serde(rename = "type")]
    kind: String,
    challenge: String,
    origin: String,
    #[serde(rename = "crossOrigin", default)]
    cross_origin: bool,
}

pub fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The challenge that the browser answers, if it answers for our origin and the right ceremony.
pub fn challenge(client_data: &[u8], ceremony: Ceremony, party: &RelyingParty) -> Option<String> {
    let data: ClientData = serde_json::from_slice(client_data).ok()?;
    let is_ours = data.kind == ceremony.kind() && data.origin == party.origin && !data.cross_origin;
    let challenge = is_ours.then(|| decode(&data.challenge)).flatten()?;
    String::from_utf8(challenge).ok()
}

/// Reads a registration: the attestation object holds the new public key.
pub fn register(attestation_object: &[u8], party: &RelyingParty) -> Option<NewPasskey> {
    let (object, rest) = cbor::read(attestation_object)?;
    let data = AuthenticatorData::read(object.named("authData")?.as_bytes()?, party)?;
    let (credential, key) = data.credential?;
    let public_key = PublicKey::read(key)?.to_text();
    rest.is_empty().then_some(NewPasskey { credential: encode(credential), public_key, counter: data.counter })
}

/// Verifies a use of a passkey.
pub fn verify(
    public_key: &str,
    client_data: &[u8],
    authenticator_data: &[u8],
    signature: &[u8],
    party: &RelyingParty,
) -> Option<Assertion> {
    let data = AuthenticatorData::read(authenticator_data, party)?;
    let mut signed = authenticator_data.to_vec();
    signed.extend_from_slice(digest(&SHA256, client_data).as_ref());
    PublicKey::from_text(public_key)?.verify(&signed, signature)?;
    Some(Assertion { user_verified: data.flags & USER_VERIFIED != 0, counter: data.counter })
}

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;
/// The standard's bound of a credential id.
const MAX_CREDENTIAL_BYTES: usize = 1023;

struct AuthenticatorData<'a> {
    flags: u8,
    counter: u32,
    /// The credential id, and its public key with what follows it.
    credential: Option<(&'a [u8], &'a [u8])>,
}

impl<'a> AuthenticatorData<'a> {
    fn read(bytes: &'a [u8], party: &RelyingParty) -> Option<Self> {
        let (party_hash, rest) = bytes.split_at_checked(32)?;
        let (&flags, rest) = rest.split_first()?;
        let (counter, rest) = rest.split_at_checked(4)?;
        let counter = u32::from_be_bytes(counter.try_into().ok()?);
        if party_hash != digest(&SHA256, party.id.as_bytes()).as_ref() || flags & USER_PRESENT == 0 {
            return None;
        }
        let credential = if flags & HAS_CREDENTIAL == 0 {
            None
        } else {
            let (_model, rest) = rest.split_at_checked(16)?;
            let (length, rest) = rest.split_at_checked(2)?;
            let length = usize::from(u16::from_be_bytes(length.try_into().ok()?));
            if !(1..=MAX_CREDENTIAL_BYTES).contains(&length) {
                return None;
            }
            Some(rest.split_at_checked(length)?)
        };
        Some(Self { flags, counter, credential })
    }
}

/// COSE algorithms that every browser's authenticators have one of.
pub const ES256: i64 = -7;
pub const EDDSA: i64 = -8;

enum PublicKey {
    /// An uncompressed point.
    Es256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl PublicKey {
    /// From a COSE key (RFC 9053).
    fn read(bytes: &[u8]) -> Option<Self> {
        let (key, _) = cbor::read(bytes)?;
        let int = |name: i64| key.at(name).and_then(Value::as_int);
        let coordinate = |name: i64| key.at(name).and_then(Value::as_bytes).filter(|bytes| bytes.len() == 32);
        match (int(1)?, int(3)?, int(-1)?) {
            (2, ES256, 1) => Some(Self::Es256([&[4], coordinate(-2)?, coordinate(-3)?].concat())),
            (1, EDDSA, 6) => Some(Self::Ed25519(coordinate(-2)?.to_vec())),
            _ => None,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Es256(point) => format!("es256:{}", hex(point)),
            Self::Ed25519(point) => format!("ed25519:{}", hex(point)),
        }
    }

    fn from_text(text: &str) -> Option<Self> {
        let (algorithm, digits) = text.split_once(':')?;
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let bytes: Option<Vec<u8>> =
            digits.as_bytes().chunks(2).map(|pair| Some(digit(pair[0])? << 4 | digit(*pair.get(1)?)?)).collect();
        match algorithm {
            "es256" => bytes.map(Self::Es256),
            "ed25519" => bytes.map(Self::Ed25519),
            _ => None,
        }
    }

    fn verify(&self, signed: &[u8], signature: &[u8]) -> Option<()> {
        match self {
            Self::Es256(key) => UnparsedPublicKey::new(&ECDSA_P256_SHA256_ASN1, key).verify(signed, signature),
            Self::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(signed, signature),
        }
        .ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ring::rand::SystemRandom;
    use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair};

    const URL: &str = "https://rollcall.test:8443";

    fn party() -> RelyingParty<'static> {
        RelyingParty::new(URL)
    }

    fn authenticator_data(flags: u8, counter: u32, rest: &[u8]) -> Vec<u8> {
        [digest(&SHA256, b"rollcall.test").as_ref(), &[flags], &counter.to_be_bytes(), rest].concat()
    }

    /// An attestation object without attestation.
    fn attestation(data: &[u8]) -> Vec<u8> {
        let length = u16::try_from(data.len()).unwrap().to_be_bytes();
        let head =
            [&[0xa3, 0x63][..], b"fmt", &[0x64], b"none", &[0x67], b"attStmt", &[0xa0, 0x68], b"authData", &[0x59]];
        [&head.concat()[..], &length, data].concat()
    }

    fn es256_key(point: &[u8]) -> Vec<u8> {
        [&[0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32][..], &point[1..33], &[0x22, 0x58, 32], &point[33..]].concat()
    }

    fn credential(key: &[u8]) -> Vec<u8> {
        [&[0; 16][..], &[0, 3], b"abc", key].concat()
    }

    #[test]
    fn a_registered_key_verifies_its_signatures_and_no_others() {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref(), &random).unwrap();
        let data = authenticator_data(0x45, 0, &credential(&es256_key(pair.public_key().as_ref())));
        let new = register(&attestation(&data), &party()).unwrap();
        assert_eq!((new.credential.as_str(), new.counter), ("YWJj", 0));
        let client_data = br#"{"type":"webauthn.get"}"#;
        for (flags, user_verified) in [(0x01, false), (0x05, true)] {
            let data = authenticator_data(flags, 7, &[]);
            let signed = [&data[..], digest(&SHA256, client_data).as_ref()].concat();
            let signature = pair.sign(&random, &signed).unwrap();
            let check = |client_data: &[u8], data: &[u8], signature: &[u8], party: &RelyingParty| {
                verify(&new.public_key, client_data, data, signature, party)
            };
            let accepted = check(client_data, &data, signature.as_ref(), &party());
            assert_eq!(accepted, Some(Assertion { user_verified, counter: 7 }));
            assert_eq!(check(b"{}", &data, signature.as_ref(), &party()), None, "other client data");
            assert_eq!(check(client_data, &authenticator_data(flags, 8, &[]), signature.as_ref(), &party()), None);
            assert_eq!(check(client_data, &data, &[], &party()), None);
            let other = RelyingParty::new("https://evil.test");
            assert_eq!(check(client_data, &data, signature.as_ref(), &other), None, "another host");
        }
        let absent = authenticator_data(0x04, 7, &[]);
        let signed = [&absent[..], digest(&SHA256, client_data).as_ref()].concat();
        let signature = pair.sign(&random, &signed).unwrap();
        assert_eq!(verify(&new.public_key, client_data, &absent, signature.as_ref(), &party()), None, "nobody present");
    }

    #[test]
    fn ed25519_keys_are_accepted() {
        let pkcs8 = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
        let pair = Ed25519KeyPair::from_pkcs8(pkcs8.as_ref()).unwrap();
        let key = [&[0xa4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32][..], pair.public_key().as_ref()].concat();
        let new = register(&attestation(&authenticator_data(0x41, 0, &credential(&key))), &party()).unwrap();
        let data = authenticator_data(0x05, 1, &[]);
        let signed = [&data[..], digest(&SHA256, b"{}").as_ref()].concat();
        let signature = pair.sign(&signed);
        assert!(verify(&new.public_key, b"{}", &data, signature.as_ref(), &party()).is_some());
    }

    #[test]
    fn the_challenge_is_read_for_our_origin_and_ceremony_only() {
        let data = |kind: &str, origin: &str, cross: bool| {
            let challenge = encode(b"token");
            serde_json::json!({"type": kind, "challenge": challenge, "origin": origin, "crossOrigin": cross})
                .to_string()
        };
        let read = |text: &str| challenge(text.as_bytes(), Ceremony::SignIn, &party());
        assert_eq!(read(&data("webauthn.get", URL, false)).as_deref(), Some("token"));
        for wrong in [
            data("webauthn.create", URL, false),
            data("webauthn.get", "https://rollcall.test", false),
            data("webauthn.get", "https://evil.test:8443", false),
            data("webauthn.get", URL, true),
            "{}".to_owned(),
        ] {
            assert_eq!(read(&wrong), None, "{wrong}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn any_bytes_are_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(register(&bytes, &party()), None);
            prop_assert_eq!(register(&attestation(&bytes), &party()), None);
            prop_assert_eq!(verify("es256:04", &bytes, &bytes, &bytes, &party()), None);
            prop_assert!(challenge(&bytes, Ceremony::Register, &party()).is_none());
        }

        #[test]
        fn a_truncated_registration_is_rejected(cut in 0_usize..140) {
            let key = es256_key(&[4; 65]);
            let whole = attestation(&authenticator_data(0x45, 0, &credential(&key)));
            prop_assert!(register(&whole, &party()).is_some());
            prop_assert_eq!(register(&whole[..whole.len().saturating_sub(cut + 1)], &party()), None);
        }
    }
}
