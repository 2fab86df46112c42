//! The RSA key pair of the listener. Clients encrypt the secret of the connection with it.
//!
//! The key has 1024 bits like that of every game server, is made when the listener starts and is never stored. All that it
//! protects is the secret of a connection, and so a text that is useless a few minutes later.

use std::fmt;

use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{NonZero, Odd, U64, U512, U1024};
use crypto_primes::{Flavor, random_prime};
use rand::RngExt;
use subtle::{Choice, ConstantTimeEq, CtOption};

/// Bytes of a 1024-bit number.
pub const MODULUS_LENGTH: usize = 128;
const PRIME_BITS: u32 = 512;
const MODULUS_BITS: u32 = 1024;
const EXPONENT: u32 = 65_537;
const EXPONENT_BITS: u32 = 17;
/// DER of a SubjectPublicKeyInfo before the modulus, and after it: the exponent.
const BEFORE_MODULUS: [u8; 29] = [
    0x30, 0x81, 0x9f, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00, 0x03,
    0x81, 0x8d, 0x00, 0x30, 0x81, 0x89, 0x02, 0x81, 0x81, 0x00,
];
const AFTER_MODULUS: [u8; 5] = [0x02, 0x03, 0x01, 0x00, 0x01];
/// PKCS#1 v1.5: zero, block type 2, at least eight random bytes, zero.
const MIN_PADDING: usize = 8;

type Residue = FixedMontyForm<{ U1024::LIMBS }>;

pub struct ServerKey {
    modulus: FixedMontyParams<{ U1024::LIMBS }>,
    private_exponent: U1024,
    public_key: Vec<u8>,
}

impl ServerKey {
    /// Takes tenths of a second.
    pub fn generate() -> Self {
        loop {
            if let Some(key) = Self::from_primes(&random_half(), &random_half()) {
                return key;
            }
        }
    }

    /// `None` if the primes give a shorter modulus or an exponent that cannot be inverted.
    fn from_primes(p: &U512, q: &U512) -> Option<Self> {
        let modulus: U1024 = p.concatenating_mul(q);
        let order: U1024 = p.wrapping_sub(&U512::ONE).concatenating_mul(&q.wrapping_sub(&U512::ONE));
        let order: NonZero<U1024> = NonZero::new(order).into_option()?;
        let private_exponent = U1024::from_u32(EXPONENT).invert_mod(&order).into_option()?;
        let odd: Odd<U1024> = Odd::new(modulus).into_option()?;
        if modulus.bits() != MODULUS_BITS || p == q {
            return None;
        }
        let public_key = [&BEFORE_MODULUS[..], modulus.to_be_bytes().as_ref(), &AFTER_MODULUS].concat();
        Some(Self { modulus: FixedMontyParams::new(odd), private_exponent, public_key })
    }

    /// The public key in X.509 form (DER), as the encryption request carries it.
    pub fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    /// Decrypts a message of exactly `N` bytes.
    ///
    /// Whether the padding is right is secret: someone who learns it for many chosen texts can decrypt a recorded one
    /// (Bleichenbacher's attack). Hence a `CtOption`, and neither time nor memory accesses depend on the plaintext.
    pub fn decrypt<const N: usize>(&self, encrypted: &[u8]) -> CtOption<[u8; N]> {
        const { assert!(N + MIN_PADDING + 3 <= MODULUS_LENGTH) };
        let nothing = CtOption::new([0; N], Choice::from(0));
        if encrypted.len() != MODULUS_LENGTH {
            return nothing;
        }
        let number = U1024::from_be_slice(encrypted);
        if number >= *self.modulus.modulus().as_ref() {
            return nothing;
        }
        let padded = self.apply_private_exponent(&number).to_be_bytes();
        let (padding, message) = padded.as_ref().split_at(MODULUS_LENGTH - N);
        let (random, separator) = padding[2..].split_at(padding.len() - 3);
        let mut is_valid = padding[0].ct_eq(&0) & padding[1].ct_eq(&2) & separator[0].ct_eq(&0);
        for byte in random {
            is_valid &= !byte.ct_eq(&0);
        }
        let mut plain = [0; N];
        plain.copy_from_slice(message);
        CtOption::new(plain, is_valid)
    }

    /// The RSA operation in constant time. Blinding also hides the number that is worked on.
    fn apply_private_exponent(&self, number: &U1024) -> U1024 {
        let (blinding, unblinding) = self.random_blinding();
        let blinded = Residue::new(number, &self.modulus) * blinding;
        (blinded.pow(&self.private_exponent) * unblinding).retrieve()
    }

    /// A random number's public power and the number's inverse.
    fn random_blinding(&self) -> (Residue, Residue) {
        loop {
            let random: [u8; MODULUS_LENGTH] = rand::rng().random();
            let random = Residue::new(&U1024::from_be_slice(&random), &self.modulus);
            // A number without an inverse is a multiple of one of the primes: practically impossible.
            if let Some(inverse) = random.invert().into_option() {
                return (random.pow_bounded_exp(&U64::from_u32(EXPONENT), EXPONENT_BITS), inverse);
            }
        }
    }
}

impl fmt::Debug for ServerKey {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("ServerKey(RSA-1024)")
    }
}

fn random_half() -> U512 {
    random_prime(&mut rand::rng(), Flavor::Any, PRIME_BITS)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;
    use proptest::prelude::*;
    use spki::SubjectPublicKeyInfoRef;
    use spki::der::Decode;

    static KEY: LazyLock<ServerKey> = LazyLock::new(ServerKey::generate);

    /// The public RSA operation.
    fn encrypt(padded: &[u8; MODULUS_LENGTH]) -> Vec<u8> {
        let number = Residue::new(&U1024::from_be_slice(padded), &KEY.modulus);
        number.pow_bounded_exp(&U64::from_u32(EXPONENT), EXPONENT_BITS).retrieve().to_be_bytes().as_ref().to_vec()
    }

    /// A padded message, as a client makes it.
    fn pad(message: &[u8]) -> [u8; MODULUS_LENGTH] {
        let mut padded = [0xa5; MODULUS_LENGTH];
        padded[..2].copy_from_slice(&[0, 2]);
        let (padding, end) = padded.split_at_mut(MODULUS_LENGTH - message.len());
        padding[padding.len() - 1] = 0;
        end.copy_from_slice(message);
        padded
    }

    fn decrypt<const N: usize>(padded: &[u8; MODULUS_LENGTH]) -> Option<[u8; N]> {
        KEY.decrypt(&encrypt(padded)).into()
    }

    #[test]
    fn the_public_key_is_x509() {
        let info = SubjectPublicKeyInfoRef::from_der(KEY.public_key()).unwrap();
        assert_eq!(info.algorithm.oid.to_string(), "1.2.840.113549.1.1.1");
        let key = info.subject_public_key.as_bytes().unwrap();
        assert_eq!(key.len(), 140);
        assert_eq!(key[7..135], *KEY.modulus.modulus().as_ref().to_be_bytes().as_ref());
        assert_eq!(key[135..], AFTER_MODULUS);
    }

    #[test]
    fn messages_of_the_right_length_are_decrypted() {
        assert_eq!(decrypt(&pad(b"the secret is it")), Some(*b"the secret is it"));
        assert_eq!(decrypt(&pad(&[0; 16])), Some([0; 16]), "zeros are no separators");
        assert_eq!(decrypt(&pad(b"toke")), Some(*b"toke"));
    }

    #[test]
    fn wrong_paddings_are_nothing() {
        for length in [0, 4, 15, 17, 32, 100] {
            assert_eq!(decrypt::<16>(&pad(&vec![7; length])), None, "{length} bytes");
        }
        for (at, byte) in [(0, 1), (1, 1), (1, 0), (2, 0), (60, 0), (110, 0), (111, 1)] {
            let mut padded = pad(&[7; 16]);
            padded[at] = byte;
            assert_eq!(decrypt::<16>(&padded), None, "byte {at} is {byte}");
        }
    }

    #[test]
    fn numbers_that_are_no_ciphertexts_are_nothing() {
        let modulus = KEY.modulus.modulus().as_ref().to_be_bytes().as_ref().to_vec();
        for encrypted in [&[][..], &[1], &[1; 127], &[1; 129], &[0; 128], &[0xff; 128], &modulus] {
            assert!(bool::from(KEY.decrypt::<16>(encrypted).is_none()), "{} bytes", encrypted.len());
        }
    }

    #[test]
    fn primes_that_give_no_key_are_refused() {
        let prime = random_half();
        assert!(ServerKey::from_primes(&prime, &prime).is_none());
        assert!(ServerKey::from_primes(&U512::from_u32(11), &prime).is_none(), "too short");
        assert_eq!(format!("{:?}", *KEY), "ServerKey(RSA-1024)");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn any_secret_survives(secret: [u8; 16]) {
            prop_assert_eq!(decrypt(&pad(&secret)), Some(secret));
        }

        #[test]
        fn arbitrary_ciphertexts_never_panic(bytes in proptest::collection::vec(any::<u8>(), 126..130)) {
            let _ = KEY.decrypt::<16>(&bytes);
        }
    }
}
