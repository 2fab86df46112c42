//! The text of every row in one run of bytes: a text costs its own length and two numbers.

#[derive(Debug, Default)]
pub struct Run {
    bytes: Vec<u8>,
    /// Where each entry begins in `bytes` and whose it is, in the order of the bytes. An entry that a newer one
    /// replaced stays until the next clean-up.
    entries: Vec<(u32, u32)>,
    /// The entry that counts for each place.
    current: Vec<u32>,
    dead: usize,
}

/// Stands between entries; a line break in a text becomes a space.
pub const END: u8 = b'\n';
const NO_ENTRY: u32 = u32::MAX;
/// Clean up when more than a third is dead, but not for a handful.
const DEAD_AT_LEAST: usize = 1024;

impl Run {
    pub fn set(&mut self, place: u32, text: &[u8]) {
        if self.current.len() <= place as usize {
            self.current.resize(place as usize + 1, NO_ENTRY);
        }
        if self.current[place as usize] != NO_ENTRY {
            self.dead += 1;
        }
        self.append(place, text);
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

    pub fn clean_up(&mut self) {
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

    /// One more than the highest place that was ever set.
    pub fn places(&self) -> u32 {
        self.current.len() as u32
    }
}
