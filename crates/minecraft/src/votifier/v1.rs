//! Votifier v1: one block, encrypted with the receiver's RSA key (PKCS#1 v1.5). There is no answer.

use rand::RngExt;

use super::public_key::{MODULUS_LENGTH, PublicKey};
use super::v2::FRAME_MAGIC;
use super::vote::Vote;

/// Bytes of a block, whatever the vote.
pub const BLOCK_LENGTH: usize = MODULUS_LENGTH;

/// The block with the vote. The timestamp is in seconds, as most lists send it; receivers only show it.
pub fn encode_block(vote: &Vote, key: &PublicKey) -> [u8; BLOCK_LENGTH] {
    let message = encode_text(vote);
    loop {
        let block = key.encrypt(&pad(message.as_bytes()));
        // A receiver of both versions would take this for v2. The padding is random, so the next block differs.
        if block[..2] != FRAME_MAGIC {
            return block;
        }
    }
}

fn encode_text(vote: &Vote) -> String {
    let (service, username, address) = (vote.service(), vote.username(), vote.address());
    format!("VOTE\n{service}\n{username}\n{address}\n{}\n", vote.timestamp_ms().div_euclid(1000))
}

/// `00 02`, random bytes other than zero, `00`, the message. A [`Vote`] is short enough to leave the at least eight random
/// bytes that the standard wants.
fn pad(message: &[u8]) -> [u8; BLOCK_LENGTH] {
    let mut block = [0; BLOCK_LENGTH];
    let (padding, text) = block.split_at_mut(BLOCK_LENGTH - message.len());
    text.copy_from_slice(message);
    padding[1] = 2;
    let last = padding.len() - 1;
    let mut rng = rand::rng();
    padding[2..last].fill_with(|| rng.random_range(1..=u8::MAX));
    block
}

#[cfg(test)]
mod tests {
    use super::super::public_key::InvalidPublicKey;
    use super::super::test_keys::TestKey;
    use super::*;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    static KEY: LazyLock<TestKey> = LazyLock::new(TestKey::generate);

    /// Made with `openssl genrsa N | openssl rsa -pubout`.
    const RSA_1024: &str = include_str!("../../testdata/rsa1024.pub");
    const RSA_2048: &str = include_str!("../../testdata/rsa2048.pub");
    const RSA_4096: &str = include_str!("../../testdata/rsa4096.pub");
    const P256: &str = include_str!("../../testdata/p256.pub");

    #[test]
    fn only_rsa_keys_of_2048_bits_are_accepted() {
        let parse = |text: &str| text.parse::<PublicKey>();
        assert!(parse(RSA_2048).is_ok());
        let bare: String = RSA_2048.lines().filter(|line| !line.starts_with('-')).collect();
        assert_eq!(parse(&bare), parse(RSA_2048));
        assert_eq!(parse(&format!(" {bare}\r\n")), parse(RSA_2048));
        assert_eq!(parse(RSA_1024), Err(InvalidPublicKey::WrongSize(1024)));
        assert_eq!(parse(RSA_4096), Err(InvalidPublicKey::WrongSize(4096)));
        assert_eq!(parse(P256), Err(InvalidPublicKey::NotRsa));
        assert_eq!(parse(""), Err(InvalidPublicKey::NotRsa));
        assert_eq!(parse("a token"), Err(InvalidPublicKey::NotBase64));
        assert_eq!(parse(&bare[..bare.len() - 4]), Err(InvalidPublicKey::NotRsa));
        assert_eq!(parse(&"A".repeat(100_000)), Err(InvalidPublicKey::NotBase64));
    }

    #[test]
    fn keys_with_unusable_numbers_are_refused() {
        let odd: String = KEY.public_key().to_owned();
        assert!(odd.parse::<PublicKey>().is_ok());
        for (modulus_end, exponent) in [(0, [1, 0, 1]), (1, [1, 0, 0]), (1, [0, 0, 1])] {
            let key = TestKey::encode_public_key(&[&[0xff; 255][..], &[modulus_end]].concat(), exponent);
            let error = key.parse::<PublicKey>().unwrap_err();
            assert!(matches!(error, InvalidPublicKey::Unusable | InvalidPublicKey::NotRsa), "{error}");
        }
    }

    #[test]
    fn the_receiver_decrypts_the_text() {
        let key: PublicKey = KEY.public_key().parse().unwrap();
        let vote = Vote::new("Rollcall", "Notch", "198.51.100.7", 1_767_225_600_999, None).unwrap();
        let block = encode_block(&vote, &key);
        let text = KEY.decrypt(&block).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "VOTE\nRollcall\nNotch\n198.51.100.7\n1767225600\n");
        assert_ne!(encode_block(&vote, &key), block, "the padding is random");
    }

    #[test]
    fn the_longest_vote_fits() {
        let longest = Vote::new(&"x".repeat(64), &"€".repeat(16), &"y".repeat(64), i64::MIN, None).unwrap();
        let text = encode_text(&longest);
        let block = pad(text.as_bytes());
        assert!(text.len() <= BLOCK_LENGTH - 11, "{}", text.len());
        assert_eq!(&block[..2], [0, 2]);
        assert!(block[2..BLOCK_LENGTH - text.len() - 1].iter().all(|byte| *byte != 0));
        assert_eq!(&block[BLOCK_LENGTH - text.len() - 1..], [&[0], text.as_bytes()].concat());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn every_vote_survives(service in "\\PC{1,16}", name in "[A-Za-z0-9_.*]{1,16}", address in "[0-9a-f:.]{1,45}", at in any::<i64>()) {
            let key: PublicKey = KEY.public_key().parse().unwrap();
            if let Ok(vote) = Vote::new(&service, &name, &address, at, None) {
                let text = KEY.decrypt(&encode_block(&vote, &key)).unwrap();
                prop_assert_eq!(String::from_utf8(text).unwrap(), encode_text(&vote));
            }
        }

        #[test]
        fn arbitrary_keys_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400), at in 0_usize..294, byte in any::<u8>()) {
            use base64::{Engine, prelude::BASE64_STANDARD};
            let _ = BASE64_STANDARD.encode(&bytes).parse::<PublicKey>();
            let mut der = BASE64_STANDARD.decode(KEY.public_key()).unwrap();
            der[at] = byte;
            if let Ok(key) = BASE64_STANDARD.encode(&der).parse::<PublicKey>() {
                encode_block(&Vote::new("s", "u", "::1", 0, None).unwrap(), &key);
            }
        }
    }
}
