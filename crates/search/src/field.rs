//! What of a text is looked up where: all of its name, the other fields, and where its name and words begin.
//!
//! Everything here works on suffixes: a field from one of its characters up to its end. A needle stands somewhere in a
//! field exactly when one of the field's suffixes begins with it.

use memchr::memmem::Finder;

use crate::match_rank::begins_word;

/// Stands between the fields of one text, so that no match spans two of them. The first field is the name.
pub const FIELD_END: &str = "\u{1f}";
const FIELD_END_BYTE: u8 = FIELD_END.as_bytes()[0];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The name from each of its characters on.
    Name,
    /// The same of the other fields.
    Rest,
    /// The name from its beginning on.
    Start,
    /// The name from the beginning of each word on that is not its first character.
    Word,
}

impl Part {
    pub const ALL: [Part; 4] = [Self::Name, Self::Rest, Self::Start, Self::Word];

    /// The key of every suffix of a text that belongs to this part, in no order.
    pub fn keys(self, text: &[u8], mut take: impl FnMut(u64)) {
        let (name, rest) = fields(text);
        match self {
            Self::Name => every_key(name, &mut take),
            Self::Rest => rest.split(|&byte| byte == FIELD_END_BYTE).for_each(|field| every_key(field, &mut take)),
            Self::Start if name.is_empty() => {}
            Self::Start => take(key(name)),
            Self::Word => words(name, |word| take(key(word))),
        }
    }

    /// Whether one of them begins with the needle.
    pub fn holds(self, text: &[u8], needle: &Finder) -> bool {
        let (name, rest) = fields(text);
        match self {
            Self::Name => needle.find(name).is_some(),
            // No needle reaches over the end of a field.
            Self::Rest => needle.find(rest).is_some(),
            Self::Start => name.starts_with(needle.needle()),
            Self::Word => {
                let mut found = false;
                words(name, |word| found |= word.starts_with(needle.needle()));
                found
            }
        }
    }
}

/// The name, and what follows behind it.
fn fields(text: &[u8]) -> (&[u8], &[u8]) {
    // Names are short: what is quick for long texts takes longer to begin.
    text.iter().position(|&byte| byte == FIELD_END_BYTE).map_or((text, &[]), |end| text.split_at(end))
}

pub fn name(text: &[u8]) -> &[u8] {
    fields(text).0
}

/// A needle begins with a whole character, so nothing needs to be found from the middle of one.
pub fn begins_character(byte: u8) -> bool {
    !(0x80..=0xbf).contains(&byte)
}

/// From the end, where each key follows from the one before.
fn every_key(field: &[u8], take: &mut impl FnMut(u64)) {
    let mut key = 0;
    for &byte in field.iter().rev() {
        key = u64::from(byte) << 56 | key >> 8;
        if begins_character(byte) {
            take(key);
        }
    }
}

/// The name from each word on but the one it begins with.
fn words<'a>(name: &'a [u8], mut take: impl FnMut(&'a [u8])) {
    let mut text = None;
    for at in 1..name.len() {
        // Most characters are plain letters, after which nothing begins.
        if begins_character(name[at]) && !name[at - 1].is_ascii_alphanumeric() {
            let text = text.get_or_insert_with(|| std::str::from_utf8(name).unwrap_or_default());
            if text.is_char_boundary(at) && begins_word(text, at) {
                take(&name[at..]);
            }
        }
    }
}

/// How many bytes of a suffix its key tells.
pub const KEY_BYTES: usize = 8;

/// The beginning of a suffix as a number that sorts alike; what is missing counts as zero bytes.
pub fn key(suffix: &[u8]) -> u64 {
    match suffix.first_chunk::<KEY_BYTES>() {
        Some(whole) => u64::from_be_bytes(*whole),
        None => suffix.iter().enumerate().fold(0, |key, (i, &byte)| key | u64::from(byte) << (56 - 8 * i)),
    }
}

/// The first and the last key of the suffixes that begin with these bytes.
pub fn keys_from(beginning: &[u8]) -> (u64, u64) {
    let first = key(beginning);
    let open = u64::MAX.checked_shr(8 * beginning.len() as u32).unwrap_or(0);
    (first, first | open)
}
