//! The public key of a v1 receiver, as in the file `public.key` of the plugin: an X.509 SubjectPublicKeyInfo in base64.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{Odd, U64, U2048};
use spki::der::asn1::{AnyRef, UintRef};
use spki::der::{Decode, Reader, SliceReader};
use spki::{ObjectIdentifier, SubjectPublicKeyInfoRef};

/// Bytes of a 2048-bit number.
pub const MODULUS_LENGTH: usize = 256;
const MODULUS_BITS: u32 = 2048;
const RSA_ENCRYPTION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.2.840.113549.1.1.1");
/// Characters of a key's text. A key of 2048 bits has 392, or 451 as PEM.
const MAX_TEXT: usize = 2048;

/// An RSA public key of 2048 bits, the only size that v1 knows.
#[derive(Clone, PartialEq, Eq)]
pub struct PublicKey {
    modulus: FixedMontyParams<{ U2048::LIMBS }>,
    exponent: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPublicKey {
    #[error("the key is not base64: copy the whole content of the file public.key")]
    NotBase64,
    #[error("the key is not an RSA public key in X.509 form: copy the whole content of the file public.key")]
    NotRsa,
    #[error("the RSA key has {0} bits; Votifier uses keys of {MODULUS_BITS}")]
    WrongSize(u32),
    #[error("the numbers of the RSA key are not those of a usable key")]
    Unusable,
}

impl FromStr for PublicKey {
    type Err = InvalidPublicKey;

    /// Accepts line breaks and the first and last line of PEM.
    fn from_str(text: &str) -> Result<Self, InvalidPublicKey> {
        if text.len() > MAX_TEXT {
            return Err(InvalidPublicKey::NotBase64);
        }
        let base64: String = text.lines().filter(|line| !line.trim_start().starts_with("-----")).collect();
        let base64: String = base64.chars().filter(|c| !c.is_whitespace()).collect();
        let der = BASE64_STANDARD.decode(base64).map_err(|_| InvalidPublicKey::NotBase64)?;
        Self::from_der(&der)
    }
}

impl PublicKey {
    fn from_der(der: &[u8]) -> Result<Self, InvalidPublicKey> {
        let not_rsa = |_| InvalidPublicKey::NotRsa;
        let info = SubjectPublicKeyInfoRef::from_der(der).map_err(not_rsa)?;
        let has_null_parameters = info.algorithm.parameters == Some(AnyRef::NULL);
        if info.algorithm.oid != RSA_ENCRYPTION || !has_null_parameters {
            return Err(InvalidPublicKey::NotRsa);
        }
        let key = info.subject_public_key.as_bytes().ok_or(InvalidPublicKey::NotRsa)?;
        let (modulus, exponent) = decode_rsa_key(key).map_err(not_rsa)?;
        Self::from_numbers(modulus.as_bytes(), exponent.as_bytes())
    }

    /// From big-endian numbers without leading zeros.
    fn from_numbers(modulus: &[u8], exponent: &[u8]) -> Result<Self, InvalidPublicKey> {
        let leading_zeros = modulus.first().map_or(0, |byte| byte.leading_zeros());
        let bits = u32::try_from(modulus.len() * 8).unwrap_or(u32::MAX) - leading_zeros;
        if bits != MODULUS_BITS {
            return Err(InvalidPublicKey::WrongSize(bits));
        }
        // Exponents of real keys are 3 or 65537. A bound keeps the cost of an encryption small.
        let exponent = match exponent {
            [] | [_, _, _, _, _, ..] => return Err(InvalidPublicKey::Unusable),
            bytes => bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        };
        let modulus: Option<Odd<U2048>> = Odd::new(U2048::from_be_slice(modulus)).into_option();
        match modulus {
            Some(modulus) if exponent >= 3 && exponent % 2 == 1 => {
                Ok(Self { modulus: FixedMontyParams::new_vartime(modulus), exponent })
            }
            _ => Err(InvalidPublicKey::Unusable),
        }
    }

    /// The RSA operation on a padded message, which must be less than the modulus.
    pub(super) fn encrypt(&self, padded: &[u8; MODULUS_LENGTH]) -> [u8; MODULUS_LENGTH] {
        let message = FixedMontyForm::new(&U2048::from_be_slice(padded), &self.modulus);
        let encrypted = message.pow_bounded_exp(&U64::from_u64(self.exponent), u32::BITS).retrieve();
        let mut bytes = [0; MODULUS_LENGTH];
        bytes.copy_from_slice(encrypted.to_be_bytes().as_ref());
        bytes
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("PublicKey(RSA-2048)")
    }
}

fn decode_rsa_key(der: &[u8]) -> Result<(UintRef<'_>, UintRef<'_>), spki::der::Error> {
    let mut reader = SliceReader::new(der)?;
    let numbers = reader.sequence(|reader| Ok::<_, spki::der::Error>((reader.decode()?, reader.decode()?)))?;
    reader.finish()?;
    Ok(numbers)
}
