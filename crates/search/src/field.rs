//! The indexed fields of a text, and the keys of their suffixes.
//!
//! A suffix is a field from one of its characters to its end. A needle occurs in a field exactly when one of the field's
//! suffixes starts with it.

use memchr::memmem::Finder;

use crate::match_rank::is_word_start;

/// Separates the fields of a text, so that no match spans two fields. The first field is the name.
pub const FIELD_END: &str = "\u{1f}";
const FIELD_END_BYTE: u8 = FIELD_END.as_bytes()[0];

/// A set of suffixes with an index of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexedField {
    /// Every suffix of the name.
    Name,
    /// Every suffix of the other fields.
    OtherFields,
    /// The whole name.
    NameStart,
    /// The name from each word start that is not its first character.
    NameWords,
}

impl IndexedField {
    pub const ALL: [IndexedField; 4] = [Self::Name, Self::OtherFields, Self::NameStart, Self::NameWords];

    /// Passes the key of every suffix of `text` that belongs to this field to `take`, unsorted.
    pub fn for_each_key(self, text: &[u8], mut take: impl FnMut(u64)) {
        let (name, others) = split_name(text);
        match self {
            Self::Name => for_each_suffix_key(name, &mut take),
            Self::OtherFields => {
                others.split(|&byte| byte == FIELD_END_BYTE).for_each(|field| for_each_suffix_key(field, &mut take));
            }
            Self::NameStart if name.is_empty() => {}
            Self::NameStart => take(key(name)),
            Self::NameWords => for_each_inner_word(name, |word| take(key(word))),
        }
    }

    /// Whether a suffix of `text` that belongs to this field starts with the needle.
    pub fn matches(self, text: &[u8], needle: &Finder) -> bool {
        let (name, others) = split_name(text);
        match self {
            Self::Name => needle.find(name).is_some(),
            // A needle contains no field separator, so it cannot match across fields.
            Self::OtherFields => needle.find(others).is_some(),
            Self::NameStart => name.starts_with(needle.needle()),
            Self::NameWords => {
                let mut found = false;
                for_each_inner_word(name, |word| found |= word.starts_with(needle.needle()));
                found
            }
        }
    }
}

/// The name, and the rest of the text after it.
fn split_name(text: &[u8]) -> (&[u8], &[u8]) {
    // Not `memchr`: names are short, and its setup would take longer.
    text.iter().position(|&byte| byte == FIELD_END_BYTE).map_or((text, &[]), |end| text.split_at(end))
}

pub fn name(text: &[u8]) -> &[u8] {
    split_name(text).0
}

/// Whether a UTF-8 character starts with this byte. Needles start with a whole character, so other suffixes need no key.
pub fn is_char_start(byte: u8) -> bool {
    !(0x80..=0xbf).contains(&byte)
}

/// Goes backwards, because each key follows from the key of the next byte.
fn for_each_suffix_key(field: &[u8], take: &mut impl FnMut(u64)) {
    let mut key = 0;
    for &byte in field.iter().rev() {
        key = u64::from(byte) << 56 | key >> 8;
        if is_char_start(byte) {
            take(key);
        }
    }
}

/// The name from each word start on, except from its first character.
fn for_each_inner_word<'a>(name: &'a [u8], mut take: impl FnMut(&'a [u8])) {
    let mut text = None;
    for at in 1..name.len() {
        // Fast path: no word starts after an ASCII letter or digit.
        if is_char_start(name[at]) && !name[at - 1].is_ascii_alphanumeric() {
            let text = text.get_or_insert_with(|| std::str::from_utf8(name).unwrap_or_default());
            if text.is_char_boundary(at) && is_word_start(text, at) {
                take(&name[at..]);
            }
        }
    }
}

/// The number of bytes of a suffix that its key contains.
pub const KEY_BYTES: usize = 8;

/// The start of a suffix as a number with the same sort order. Missing bytes count as zero.
pub fn key(suffix: &[u8]) -> u64 {
    match suffix.first_chunk::<KEY_BYTES>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => suffix.iter().enumerate().fold(0, |key, (i, &byte)| key | u64::from(byte) << (56 - 8 * i)),
    }
}

/// The first and the last key of the suffixes that start with `prefix`.
pub fn key_range(prefix: &[u8]) -> (u64, u64) {
    let first = key(prefix);
    let free_bits = u64::MAX.checked_shr(8 * prefix.len() as u32).unwrap_or(0);
    (first, first | free_bits)
}
