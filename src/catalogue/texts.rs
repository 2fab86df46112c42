//! The searchable text of every row in one run of bytes, so that a search is one scan at memory speed.

use memchr::memmem;

use super::bits::Bits;

#[derive(Debug, Default)]
pub struct Texts {
    bytes: Vec<u8>,
    /// Where each entry begins in `bytes` and whose it is, in the order of the bytes. An entry that a newer one
    /// replaced stays until the next clean-up.
    entries: Vec<(u32, u32)>,
    /// The entry that counts for each place.
    current: Vec<u32>,
    dead: usize,
}

/// Stands between entries; a line break in a text becomes a space.
const END: u8 = b'\n';
/// Stands between the fields of one text, so that no match spans two of them.
pub const FIELD_END: &str = "\u{1f}";
const NO_ENTRY: u32 = u32::MAX;
/// Clean up when more than a third is dead, but not for a handful.
const DEAD_AT_LEAST: usize = 1024;

impl Texts {
    /// `text` is folded already.
    pub fn set(&mut self, place: u32, text: &str) {
        if self.current.len() <= place as usize {
            self.current.resize(place as usize + 1, NO_ENTRY);
        }
        if self.current[place as usize] != NO_ENTRY {
            if self.get(place) == text.as_bytes() {
                return;
            }
            self.dead += 1;
        }
        self.append(place, text.as_bytes());
        if self.dead > DEAD_AT_LEAST && self.dead > self.entries.len() / 3 {
            self.clean_up();
        }
    }

    fn append(&mut self, place: u32, text: &[u8]) {
        self.current[place as usize] = self.entries.len() as u32;
        self.entries.push((self.bytes.len() as u32, place));
        self.bytes.extend(text.iter().map(|&b| if b == END { b' ' } else { b }));
        self.bytes.push(END);
    }

    fn clean_up(&mut self) {
        let old = std::mem::take(self);
        self.current = vec![NO_ENTRY; old.current.len()];
        for place in 0..old.current.len() as u32 {
            if old.current[place as usize] != NO_ENTRY {
                self.append(place, old.get(place));
            }
        }
    }

    pub fn get(&self, place: u32) -> &[u8] {
        let Some(&entry) = self.current.get(place as usize).filter(|&&entry| entry != NO_ENTRY) else {
            return &[];
        };
        let start = self.entries[entry as usize].0 as usize;
        let end = self.entries.get(entry as usize + 1).map_or(self.bytes.len(), |next| next.0 as usize);
        &self.bytes[start..end - 1]
    }

    /// The places whose text holds `needle`, folded already, anywhere. Nothing holds a needle that folds to nothing,
    /// or one that reaches from field to field.
    pub fn containing(&self, needle: &str) -> Bits {
        let mut found = Bits::none(self.current.len());
        if needle.is_empty() || needle.contains(FIELD_END) {
            return found;
        }
        let needle = needle.replace(char::from(END), " ");
        let finder = memmem::Finder::new(needle.as_bytes());
        let (mut at, mut entry) = (0, 0);
        while let Some(offset) = self.bytes.get(at..).and_then(|rest| finder.find(rest)) {
            let hit = at + offset;
            entry += self.entries[entry..].partition_point(|&(start, _)| start as usize <= hit) - 1;
            let place = self.entries[entry].1;
            if self.current[place as usize] == entry as u32 {
                found.set(place, true);
            }
            // One hit is enough for an entry.
            at = self.entries.get(entry + 1).map_or(self.bytes.len(), |next| next.0 as usize);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_plain_search_finds(
            sets in proptest::collection::vec((0u32..40, "[ab\n]{0,6}"), 0..120),
            needle in "[ab\n]{1,3}",
        ) {
            let mut texts = Texts::default();
            let mut plain = std::collections::BTreeMap::new();
            for (place, text) in sets {
                texts.set(place, &text);
                plain.insert(place, text.replace('\n', " "));
            }
            texts.clean_up();
            let spaced = needle.replace('\n', " ");
            let expected: Vec<u32> = plain.iter().filter(|(_, t)| t.contains(&spaced)).map(|(p, _)| *p).collect();
            prop_assert_eq!(texts.containing(&needle).iter().collect::<Vec<_>>(), expected);
            for (place, text) in plain {
                prop_assert_eq!(texts.get(place), text.as_bytes());
            }
        }
    }
}
