//! A set of row places, one bit each: filters narrow it, sort orders are walked through it.

#[derive(Clone, Debug, Default)]
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

    pub fn intersect(&mut self, other: &Bits) {
        for (i, word) in self.words.iter_mut().enumerate() {
            *word &= other.words.get(i).copied().unwrap_or(0);
        }
    }

    /// What it takes besides itself.
    pub fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
    }

    pub fn unite(&mut self, other: &Bits) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    pub fn subtract(&mut self, other: &Bits) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word &= !other;
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| (i * WORD) as u32 + w.trailing_zeros())
        })
    }

    /// Keeps the places whose value in `column` passes: a plain scan that the compiler can vectorise.
    pub fn retain<T: Copy>(&mut self, column: &[T], keep: impl Fn(T) -> bool) {
        for (word, chunk) in self.words.iter_mut().zip(column.chunks(WORD)) {
            let mut mask = 0;
            for (bit, &value) in chunk.iter().enumerate() {
                mask |= u64::from(keep(value)) << bit;
            }
            *word &= mask;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_a_plain_set(values in proptest::collection::vec(0u8..9, 0..300), least in 0u8..9) {
            let mut bits = Bits::all(values.len());
            bits.retain(&values, |v| v >= least);
            let expected: Vec<u32> = (0..values.len() as u32).filter(|&i| values[i as usize] >= least).collect();
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), expected.clone());
            prop_assert_eq!(bits.count(), expected.len());
            let mut other = Bits::none(values.len());
            for place in expected.iter().step_by(2) {
                other.set(*place, true);
            }
            bits.intersect(&other);
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), expected.into_iter().step_by(2).collect::<Vec<_>>());
        }
    }
}
