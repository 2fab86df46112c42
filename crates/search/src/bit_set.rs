//! A set of rows with one bit each.

/// `==` compares the words: two sets with the same rows can differ if one of them was longer once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BitSet {
    words: Vec<u64>,
}

const WORD_BITS: usize = 64;

impl BitSet {
    /// Every row below `len`.
    pub fn full(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(WORD_BITS)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), len % WORD_BITS) {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    /// No row, with capacity for every row below `len`.
    pub fn empty(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(WORD_BITS)] }
    }

    pub fn contains(&self, row: u32) -> bool {
        self.words.get(row as usize / WORD_BITS).is_some_and(|word| word >> (row as usize % WORD_BITS) & 1 == 1)
    }

    /// Adds or removes a row; grows if needed.
    pub fn set(&mut self, row: u32, on: bool) {
        let (word, bit) = (row as usize / WORD_BITS, 1u64 << (row as usize % WORD_BITS));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        if on {
            self.words[word] |= bit;
        } else {
            self.words[word] &= !bit;
        }
    }

    /// Counts the rows: `O(capacity)`.
    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn intersect_with(&mut self, other: &BitSet) {
        self.words.truncate(other.words.len());
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    pub fn subtract(&mut self, other: &BitSet) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    pub fn union_with(&mut self, other: &BitSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// The rows in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| (i * WORD_BITS) as u32 + w.trailing_zeros())
        })
    }
}

impl FromIterator<u32> for BitSet {
    fn from_iter<T: IntoIterator<Item = u32>>(rows: T) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| set.set(row, true));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn matches_a_btree_set(
            a in proptest::collection::btree_set(0u32..300, 0..200),
            b in proptest::collection::btree_set(0u32..300, 0..200),
        ) {
            let (x, y): (BitSet, BitSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            let after = |change: fn(&mut BitSet, &BitSet)| {
                let mut set = x.clone();
                change(&mut set, &y);
                set.iter().collect::<BTreeSet<u32>>()
            };
            prop_assert_eq!(x.iter().collect::<BTreeSet<u32>>(), a.clone());
            prop_assert_eq!(x.count(), a.len());
            prop_assert_eq!(after(BitSet::intersect_with), &a & &b);
            prop_assert_eq!(after(BitSet::subtract), &a - &b);
            prop_assert_eq!(after(BitSet::union_with), &a | &b);
        }

        #[test]
        fn full_contains_every_row_below_the_length(len in 0usize..300) {
            prop_assert_eq!(BitSet::full(len).iter().collect::<Vec<_>>(), (0..len as u32).collect::<Vec<_>>());
        }
    }
}
