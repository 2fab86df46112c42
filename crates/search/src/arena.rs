//! Stores the text of every row in one buffer: a text costs its own length and a span.

#[derive(Debug, Default)]
pub struct TextArena {
    bytes: Vec<u8>,
    /// Start and length of each row's text. Replaced texts stay in `bytes` until the next compaction.
    spans: Vec<(u32, u32)>,
    /// Bytes of replaced texts.
    dead_bytes: usize,
}

/// Compaction starts when more than a third of the buffer is dead, and at least this many bytes.
const MIN_DEAD_BYTES: usize = if cfg!(test) { 16 } else { 16 * 1024 };

impl TextArena {
    pub fn set(&mut self, row: u32, text: &[u8]) {
        if self.spans.len() <= row as usize {
            self.spans.resize(row as usize + 1, (0, 0));
        }
        self.dead_bytes += self.get(row).len();
        self.append(row, text);
        if self.dead_bytes > MIN_DEAD_BYTES && self.dead_bytes > self.bytes.len() / 3 {
            self.compact();
        }
    }

    fn append(&mut self, row: u32, text: &[u8]) {
        self.spans[row as usize] = (self.bytes.len() as u32, text.len() as u32);
        self.bytes.extend_from_slice(text);
    }

    /// Compacts in place: a copy would double the memory.
    fn compact(&mut self) {
        let mut rows: Vec<u32> = (0..self.row_count()).collect();
        rows.sort_unstable_by_key(|&row| self.spans[row as usize]);
        let mut end = 0;
        for row in rows {
            let (start, len) = self.spans[row as usize];
            self.bytes.copy_within(start as usize..(start + len) as usize, end as usize);
            self.spans[row as usize].0 = end;
            end += len;
        }
        self.bytes.truncate(end as usize);
        self.dead_bytes = 0;
    }

    pub fn get(&self, row: u32) -> &[u8] {
        let (start, len) = self.spans.get(row as usize).copied().unwrap_or_default();
        &self.bytes[start as usize..(start + len) as usize]
    }

    /// One more than the highest row that was ever set.
    pub fn row_count(&self) -> u32 {
        self.spans.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn matches_a_plain_list_of_texts(changes in proptest::collection::vec((0usize..12, "[a-c]{0,9}"), 0..200)) {
            let (mut arena, mut plain) = (TextArena::default(), Vec::new());
            for (row, text) in changes {
                if plain.len() <= row {
                    plain.resize(row + 1, String::new());
                }
                arena.set(row as u32, text.as_bytes());
                plain[row] = text;
                let texts: Vec<&[u8]> = (0..arena.row_count()).map(|row| arena.get(row)).collect();
                prop_assert_eq!(&texts, &plain.iter().map(String::as_bytes).collect::<Vec<_>>());
                let live: usize = plain.iter().map(String::len).sum();
                prop_assert!(arena.bytes.len() <= live + MIN_DEAD_BYTES.max(live), "{} for {live}", arena.bytes.len());
            }
        }
    }
}
