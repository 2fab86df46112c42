//! A rough set of places: whoever is not in it is surely none of them, and a few others seem to be.

use super::bucket::Bucket;
use crate::Bits;

/// Some times more bits than places are put into it.
const SPOTS: u32 = 1 << 13;

pub struct Sieve(Bits);

impl Sieve {
    pub fn of<'a>(buckets: impl Iterator<Item = &'a Bucket>) -> Self {
        let mut spots = Bits::none(SPOTS as usize);
        buckets.flat_map(Bucket::iter).for_each(|place| spots.set(place % SPOTS, true));
        Self(spots)
    }

    pub fn may_hold(&self, place: u32) -> bool {
        self.0.get(place % SPOTS)
    }
}
