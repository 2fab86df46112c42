//! A Bloom filter with one hash function: excludes rows before their texts are compared.

use crate::bit_set::BitSet;
use crate::posting_list::PostingList;

/// Several times more slots than rows are added, so that false positives stay rare.
const SLOTS: u32 = 1 << 13;

pub struct Prefilter(BitSet);

impl Prefilter {
    pub fn new<'a>(lists: impl Iterator<Item = &'a PostingList>) -> Self {
        let mut slots = BitSet::empty(SLOTS as usize);
        lists.flat_map(PostingList::iter).for_each(|row| slots.set(row % SLOTS, true));
        Self(slots)
    }

    /// `false` means that the row is not in the set. `true` may be a false positive.
    pub fn may_contain(&self, row: u32) -> bool {
        self.0.contains(row % SLOTS)
    }
}
