//! The text of every row in one run of bytes: a text costs its own length and two numbers.

#[derive(Debug, Default)]
pub struct Run {
    bytes: Vec<u8>,
    /// Where the text of each place begins, and how long it is. What a newer text replaced stays until the next clean-up.
    spans: Vec<(u32, u32)>,
    /// Bytes of texts that were replaced.
    dead: usize,
}

/// Clean up when more than a third is dead, but not for a handful.
const DEAD_AT_LEAST: usize = if cfg!(test) { 16 } else { 16 * 1024 };

impl Run {
    pub fn set(&mut self, place: u32, text: &[u8]) {
        if self.spans.len() <= place as usize {
            self.spans.resize(place as usize + 1, (0, 0));
        }
        self.dead += self.get(place).len();
        self.append(place, text);
        if self.dead > DEAD_AT_LEAST && self.dead > self.bytes.len() / 3 {
            self.clean_up();
        }
    }

    fn append(&mut self, place: u32, text: &[u8]) {
        self.spans[place as usize] = (self.bytes.len() as u32, text.len() as u32);
        self.bytes.extend_from_slice(text);
    }

    /// Moves all together where they are: a copy would weigh as much again.
    fn clean_up(&mut self) {
        let mut places: Vec<u32> = (0..self.places()).collect();
        places.sort_unstable_by_key(|&place| self.spans[place as usize]);
        let mut end = 0;
        for place in places {
            let (start, len) = self.spans[place as usize];
            self.bytes.copy_within(start as usize..(start + len) as usize, end as usize);
            self.spans[place as usize].0 = end;
            end += len;
        }
        self.bytes.truncate(end as usize);
        self.dead = 0;
    }

    pub fn get(&self, place: u32) -> &[u8] {
        let (start, len) = self.spans.get(place as usize).copied().unwrap_or_default();
        &self.bytes[start as usize..(start + len) as usize]
    }

    /// One more than the highest place that was ever set.
    pub fn places(&self) -> u32 {
        self.spans.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_list_of_texts(changes in proptest::collection::vec((0usize..12, "[a-c]{0,9}"), 0..200)) {
            let (mut run, mut plain) = (Run::default(), Vec::new());
            for (place, text) in changes {
                if plain.len() <= place {
                    plain.resize(place + 1, String::new());
                }
                run.set(place as u32, text.as_bytes());
                plain[place] = text;
                let texts: Vec<&[u8]> = (0..run.places()).map(|place| run.get(place)).collect();
                prop_assert_eq!(&texts, &plain.iter().map(String::as_bytes).collect::<Vec<_>>());
                let held: usize = plain.iter().map(String::len).sum();
                prop_assert!(run.bytes.len() <= held + DEAD_AT_LEAST.max(held), "{} for {held}", run.bytes.len());
            }
        }
    }
}
