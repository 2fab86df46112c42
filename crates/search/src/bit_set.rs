//! A set of row places, one bit each: filters narrow it, sort orders are walked through it.

/// Equal when built alike: one that was longer once may hold more words than another of the same places.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bits {
    words: Vec<u64>,
}

const WORD: usize = 64;

impl Bits {
    /// Every place below `len`.
    pub fn all(len: usize) -> Self {
        let mut words = vec![u64::MAX; len.div_ceil(WORD)];
        if let (Some(last), rest @ 1..) = (words.last_mut(), len % WORD) {
            *last = (1 << rest) - 1;
        }
        Self { words }
    }

    pub fn none(len: usize) -> Self {
        Self { words: vec![0; len.div_ceil(WORD)] }
    }

    pub fn get(&self, place: u32) -> bool {
        self.words.get(place as usize / WORD).is_some_and(|word| word >> (place as usize % WORD) & 1 == 1)
    }

    pub fn set(&mut self, place: u32, on: bool) {
        let (word, bit) = (place as usize / WORD, 1u64 << (place as usize % WORD));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        if on {
            self.words[word] |= bit;
        } else {
            self.words[word] &= !bit;
        }
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Keeps what is in the other, too.
    pub fn intersect(&mut self, other: &Bits) {
        self.words.truncate(other.words.len());
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= other;
        }
    }

    /// Takes out what is in the other.
    pub fn subtract(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    /// Takes in what is in the other.
    pub fn unite(&mut self, other: &Bits) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// What it takes besides itself.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| (i * WORD) as u32 + w.trailing_zeros())
        })
    }
}

impl FromIterator<u32> for Bits {
    fn from_iter<T: IntoIterator<Item = u32>>(places: T) -> Self {
        let mut bits = Self::default();
        places.into_iter().for_each(|place| bits.set(place, true));
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(
            a in proptest::collection::btree_set(0u32..300, 0..200),
            b in proptest::collection::btree_set(0u32..300, 0..200),
        ) {
            let (x, y): (Bits, Bits) = (a.iter().copied().collect(), b.iter().copied().collect());
            let after = |change: fn(&mut Bits, &Bits)| {
                let mut bits = x.clone();
                change(&mut bits, &y);
                bits.iter().collect::<BTreeSet<u32>>()
            };
            prop_assert_eq!(x.iter().collect::<BTreeSet<u32>>(), a.clone());
            prop_assert_eq!(x.count(), a.len());
            prop_assert_eq!(after(Bits::intersect), &a & &b);
            prop_assert_eq!(after(Bits::subtract), &a - &b);
            prop_assert_eq!(after(Bits::unite), &a | &b);
        }

        #[test]
        fn all_are_as_many_as_asked_for(len in 0usize..300) {
            prop_assert_eq!(Bits::all(len).iter().collect::<Vec<_>>(), (0..len as u32).collect::<Vec<_>>());
        }
    }
}
