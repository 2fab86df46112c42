//! The text of every row in one run of bytes: a text costs its own length and two numbers.

#[derive(Debug, Default)]
pub struct Run {
    bytes: Vec<u8>,
    /// Where the text of each place begins, and how long it is. What a newer text replaced stays until the next clean-up.
    spans: Vec<(u32, u32)>,
    /// Bytes of texts that were replaced.
    dead: usize,
}

/// A line break in a text becomes a space.
pub const END: u8 = b'\n';
/// Clean up when more than a third is dead, but not for a handful.
const DEAD_AT_LEAST: usize = 16 * 1024;

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
        self.bytes.extend(text.iter().map(|&b| if b == END { b' ' } else { b }));
    }

    pub fn clean_up(&mut self) {
        let old = std::mem::take(self);
        self.spans = vec![(0, 0); old.spans.len()];
        (0..old.places()).for_each(|place| self.append(place, old.get(place)));
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
