//! A rough set of places: whoever is not in it is surely none of them, and a few others seem to be.

use super::bucket::Bucket;

/// Some times more bits than places are put into it.
const BITS: usize = 1 << 13;
const WORDS: usize = BITS / 64;

pub struct Sieve([u64; WORDS]);

impl Sieve {
    pub fn of<'a>(buckets: impl Iterator<Item = &'a Bucket>) -> Self {
        let mut words = [0; WORDS];
        for place in buckets.flat_map(Bucket::iter) {
            let (word, bit) = spot(place);
            words[word] |= bit;
        }
        Self(words)
    }

    pub fn may_hold(&self, place: u32) -> bool {
        let (word, bit) = spot(place);
        self.0[word] & bit != 0
    }
}

fn spot(place: u32) -> (usize, u64) {
    let spot = place as usize % BITS;
    (spot / 64, 1 << (spot % 64))
}
