//! A reader for the CBOR (RFC 8949) that authenticators send: definite lengths, no tags. Everything is bounded by the input, and
//! the depth by a constant.

/// Attestation objects nest three levels.
const MAX_DEPTH: usize = 6;

#[derive(Debug, PartialEq)]
pub enum Value<'a> {
    Int(i64),
    Bytes(&'a [u8]),
    Text(&'a str),
    Array(Vec<Self>),
    Map(Vec<(Self, Self)>),
    /// Booleans, null and numbers with a fraction: nothing here needs their values.
    Simple,
}

impl<'a> Value<'a> {
    /// The value of a key of a map; `None` if the key is there twice.
    fn find(&self, wanted: &Value) -> Option<&Self> {
        let Self::Map(entries) = self else { return None };
        let mut found = entries.iter().filter(|(key, _)| key == wanted).map(|(_, value)| value);
        let value = found.next();
        value.filter(|_| found.next().is_none())
    }

    pub fn at(&self, key: i64) -> Option<&Self> {
        self.find(&Value::Int(key))
    }

    pub fn named(&self, key: &str) -> Option<&Self> {
        self.find(&Value::Text(key))
    }

    pub fn as_int(&self) -> Option<i64> {
        if let Self::Int(value) = self { Some(*value) } else { None }
    }

    pub fn as_bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// The first value and the bytes after it; `None` if it is malformed.
pub fn read(bytes: &[u8]) -> Option<(Value<'_>, &[u8])> {
    read_at(bytes, 0)
}

fn read_at(bytes: &[u8], depth: usize) -> Option<(Value<'_>, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    if depth > MAX_DEPTH {
        return None;
    }
    let (major, info) = (first >> 5, first & 0x1f);
    let (argument, rest) = read_argument(info, rest)?;
    let length = usize::try_from(argument).ok();
    match major {
        0 => Some((Value::Int(i64::try_from(argument).ok()?), rest)),
        1 => Some((Value::Int(-1 - i64::try_from(argument).ok()?), rest)),
        2 => rest.split_at_checked(length?).map(|(text, rest)| (Value::Bytes(text), rest)),
        3 => {
            let (text, rest) = rest.split_at_checked(length?)?;
            Some((Value::Text(std::str::from_utf8(text).ok()?), rest))
        }
        4 => {
            let (items, rest) = read_items(rest, length?, depth)?;
            Some((Value::Array(items), rest))
        }
        5 => {
            let (items, rest) = read_items(rest, length?.checked_mul(2)?, depth)?;
            let mut items = items.into_iter();
            let mut entries = Vec::new();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                entries.push((key, value));
            }
            Some((Value::Map(entries), rest))
        }
        7 => Some((Value::Simple, rest)),
        _ => None,
    }
}

fn read_items(mut rest: &[u8], count: usize, depth: usize) -> Option<(Vec<Value<'_>>, &[u8])> {
    // Each item takes a byte at least, so that a huge count costs nothing.
    if count > rest.len() {
        return None;
    }
    let mut items = Vec::with_capacity(count);
    for _ in 0..count {
        let (item, after) = read_at(rest, depth + 1)?;
        items.push(item);
        rest = after;
    }
    Some((items, rest))
}

/// The number behind the first byte. Indefinite lengths are rejected.
fn read_argument(info: u8, rest: &[u8]) -> Option<(u64, &[u8])> {
    let size = match info {
        0..=23 => return Some((u64::from(info), rest)),
        24 => 1,
        25 => 2,
        26 => 4,
        27 => 8,
        _ => return None,
    };
    let (number, rest) = rest.split_at_checked(size)?;
    Some((number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_of_the_standard_are_read() {
        assert_eq!(read(&[0x18, 0x64]), Some((Value::Int(100), &[][..])));
        assert_eq!(read(&[0x38, 0x63, 9]), Some((Value::Int(-100), &[9][..])));
        assert_eq!(read(&[0x43, 1, 2, 3]), Some((Value::Bytes(&[1, 2, 3]), &[][..])));
        let (map, _) =
            read(&[0xa2, 0x01, 0x02, 0x63, b'f', b'm', b't', 0x82, 0xf5, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(map.at(1).and_then(Value::as_int), Some(2));
        assert_eq!(map.named("fmt"), Some(&Value::Array(vec![Value::Simple, Value::Simple])));
    }

    #[test]
    fn malformed_input_is_rejected() {
        for bytes in [
            &[][..],
            &[0x18],
            &[0x43, 1, 2],
            &[0x5f, 0xff],
            &[0xc0, 0x01],
            &[0x62, 0xff, 0xfe],
            &[0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            &[0x81; 40],
        ] {
            assert_eq!(read(bytes), None, "{bytes:?}");
        }
        let (map, _) = read(&[0xa2, 0x01, 0x02, 0x01, 0x03]).unwrap();
        assert_eq!(map.at(1), None, "a key that is there twice");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_bytes_are_read_or_rejected(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some((_, rest)) = read(&bytes) {
                prop_assert!(rest.len() < bytes.len());
            }
        }
    }
}
