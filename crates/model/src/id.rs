//! Ids from random bits that the caller provides, UUIDs and hexadecimal text.

/// Crockford's base 32 in lower case, without the ambiguous `i`, `l`, `o`, `u`. Ids sort like their bits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 20 characters of 5 bits: 100 bits, enough to rule out collisions.
const ENCODED_LENGTH: u32 = 20;

/// An opaque, URL-safe id of 20 characters from the low 100 bits.
pub fn encode(u: u128) -> String {
    (0..ENCODED_LENGTH).rev().map(|place| char::from(ALPHABET[(u >> (5 * place)) as usize & 31])).collect()
}

/// Whether a text has the form of [`encode`].
pub fn is_encoded(text: &str) -> bool {
    text.len() == ENCODED_LENGTH as usize && text.bytes().all(|byte| ALPHABET.contains(&byte))
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| char::from(DIGITS[usize::from(value)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 0xf)]).collect()
}

/// A hyphenated lower-case UUID version 4; six bits are replaced by version and variant.
pub fn uuid(u: u128) -> String {
    uuid::Builder::from_random_bytes(u.to_be_bytes()).into_uuid().to_string()
}

/// A UUID version 8 for a player of whom only a name is known. The game's own ids have other versions.
pub fn name_only_uuid(u: u128) -> String {
    uuid::Builder::from_custom_bytes(u.to_be_bytes()).into_uuid().to_string()
}

/// Whether a canonical UUID is one of [`name_only_uuid`]: no game server can know a player by it.
pub fn is_name_only_uuid(uuid: &str) -> bool {
    uuid.as_bytes().get(14) == Some(&b'8')
}

/// Converts a UUID in any case, with the canonical hyphens or none, to its canonical form.
pub fn parse_uuid(text: &str) -> Option<String> {
    // The crate also parses braces and `urn:uuid:`, which are longer.
    let has_plain_length = matches!(text.len(), 32 | 36);
    has_plain_length.then(|| uuid::Uuid::try_parse(text).ok())?.map(|uuid| uuid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(encode(0), "00000000000000000000");
        assert_eq!(encode(u128::MAX), "zzzzzzzzzzzzzzzzzzzz");
        assert_eq!(encode(33), "00000000000000000011");
        assert!(is_encoded(&encode(33)) && !is_encoded("0000000000000000001i") && !is_encoded("0"));
        assert_eq!(uuid(0), "00000000-0000-4000-8000-000000000000");
        assert_eq!(uuid(u128::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(name_only_uuid(0), "00000000-0000-8000-8000-000000000000");
        assert!(is_name_only_uuid(&name_only_uuid(u128::MAX)) && !is_name_only_uuid(&uuid(u128::MAX)));
    }

    #[test]
    fn refuses_other_formats() {
        for text in [
            "",
            "069a79f444e94726a5befca90e38aaf",
            "069a79f444e94726a5befca90e38aaf5a",
            "069a79f4-44e9-4726-a5be-fca90e38aafg",
            "069a79f4-44e9-4726-a5befca90e38aaf5",
            "069a79f44-4e9-4726-a5be-fca90e38aaf5",
            "069a79f4-44e9-4726-a5be-fca90e38aaf-",
            "{069a79f4-44e9-4726-a5be-fca90e38aaf5}",
            " 069a79f444e94726a5befca90e38aaf5",
            "+69a79f444e94726a5befca90e38aaf5",
            "069a79f444e94726a5befca90e38aé5",
            "éé9a79f4-44e9-4726-a5be-fca90e38aa",
        ] {
            assert_eq!(parse_uuid(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn encoding_preserves_the_order_of_the_low_bits(a in any::<u128>(), b in any::<u128>()) {
            let low = |u: u128| u & ((1 << 100) - 1);
            prop_assert_eq!(encode(a).len(), 20);
            prop_assert_eq!(encode(a).cmp(&encode(b)), low(a).cmp(&low(b)));
            prop_assert_eq!(encode(a), encode(low(a)));
        }

        #[test]
        fn uuids_parse_in_every_spelling(u in any::<u128>()) {
            let canonical = uuid(u);
            prop_assert_eq!(&canonical[14..15], "4");
            prop_assert!("89ab".contains(&canonical[19..20]));
            for spelling in [canonical.clone(), canonical.replace('-', ""), canonical.to_uppercase()] {
                prop_assert_eq!(parse_uuid(&spelling), Some(canonical.clone()));
            }
        }

        #[test]
        fn parsing_never_panics(text in "\\PC{30,38}", near in "[0-9a-fé-]{32,36}") {
            let _ = (parse_uuid(&text), parse_uuid(&near));
        }
    }
}
