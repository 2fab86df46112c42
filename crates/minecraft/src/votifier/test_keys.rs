//! RSA keys for a fake receiver of v1 votes. Only for tests: nothing here hides how long it takes.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crypto_bigint::modular::{FixedMontyForm, FixedMontyParams};
use crypto_bigint::{NonZero, Odd, U1024, U2048};
use crypto_primes::{Flavor, random_prime};

use super::public_key::MODULUS_LENGTH;

const EXPONENT: u32 = 65_537;
/// DER of a SubjectPublicKeyInfo before the modulus of 2048 bits, and before the exponent of three bytes.
const BEFORE_MODULUS: [u8; 33] = [
    0x30, 0x82, 0x01, 0x22, 0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    0x03, 0x82, 0x01, 0x0f, 0x00, 0x30, 0x82, 0x01, 0x0a, 0x02, 0x82, 0x01, 0x01, 0x00,
];
const BEFORE_EXPONENT: [u8; 2] = [0x02, 0x03];

/// A key pair of 2048 bits.
pub struct TestKey {
    modulus: FixedMontyParams<{ U2048::LIMBS }>,
    private_exponent: U2048,
    public_key: String,
}

impl TestKey {
    pub fn generate() -> Self {
        loop {
            let [p, q] = [random_half(), random_half()];
            let modulus: U2048 = p.concatenating_mul(&q);
            let order: U2048 = p.wrapping_sub(&U1024::ONE).concatenating_mul(&q.wrapping_sub(&U1024::ONE));
            let order: Option<NonZero<U2048>> = NonZero::new(order).into_option();
            let private_exponent = order.and_then(|order| U2048::from_u32(EXPONENT).invert_mod(&order).into_option());
            let odd: Option<Odd<U2048>> = Odd::new(modulus).into_option();
            // Not every pair of primes gives 2048 bits and an exponent that can be inverted.
            if let (Some(private_exponent), Some(odd), 2048) = (private_exponent, odd, modulus.bits()) {
                let public_key = Self::encode_public_key(modulus.to_be_bytes().as_ref(), [1, 0, 1]);
                return Self { modulus: FixedMontyParams::new_vartime(odd), private_exponent, public_key };
            }
        }
    }

    /// The public key, as in the file `public.key` of a receiver.
    pub fn public_key(&self) -> &str {
        &self.public_key
    }

    /// The text of a block. `None` if it was encrypted with another key.
    pub fn decrypt(&self, block: &[u8; MODULUS_LENGTH]) -> Option<Vec<u8>> {
        let block = FixedMontyForm::new(&U2048::from_be_slice(block), &self.modulus);
        let padded = block.pow(&self.private_exponent).retrieve().to_be_bytes();
        let (start, rest) = padded.as_ref().split_at(2);
        let end_of_padding = rest.iter().position(|byte| *byte == 0)?;
        (start == [0, 2] && end_of_padding >= 8).then(|| rest[end_of_padding + 1..].to_vec())
    }

    /// The text form of a public key with these numbers.
    pub fn encode_public_key(modulus: &[u8], exponent: [u8; 3]) -> String {
        BASE64_STANDARD.encode([&BEFORE_MODULUS[..], modulus, &BEFORE_EXPONENT, &exponent].concat())
    }
}

fn random_half() -> U1024 {
    random_prime(&mut rand::rng(), Flavor::Any, 1024)
}
