//! The first `count` rows of a sort order as a bit set. Filters such as "at least" and "at most" use it.

use rollcall_search::BitSet;

/// Stores the set of the first rows at regular steps of an order. Any other prefix is the nearest stored set and a short
/// scan.
#[derive(Debug, Default)]
pub struct PrefixSets {
    /// `sets[i]` contains the first `i * step` rows.
    sets: Vec<BitSet>,
    step: usize,
}

const MAX_SETS: usize = 32;
/// Shorter steps would not save enough time for their memory.
const MIN_STEP: usize = 512;

impl PrefixSets {
    pub fn new(order: &[u32]) -> Self {
        let step = order.len().div_ceil(MAX_SETS).max(MIN_STEP);
        let len = order.iter().max().map_or(0, |&row| row as usize + 1);
        let mut set = BitSet::empty(len);
        let mut sets = vec![set.clone()];
        for chunk in order.chunks(step) {
            chunk.iter().for_each(|&row| set.set(row, true));
            sets.push(set.clone());
        }
        Self { sets, step }
    }

    /// The first `count` rows of `order`, which must be the order that the sets were built from.
    pub fn first(&self, order: &[u32], count: usize) -> BitSet {
        if self.step == 0 {
            return BitSet::default();
        }
        let nearest = ((count + self.step / 2) / self.step).min(self.sets.len() - 1);
        let (mut set, at) = (self.sets[nearest].clone(), (nearest * self.step).min(order.len()));
        order[at.min(count)..at].iter().for_each(|&row| set.set(row, false));
        order[at..count.max(at)].iter().for_each(|&row| set.set(row, true));
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
        fn first_returns_a_prefix_of_the_order(len in 0usize..5000, share in 0.0f64..=1.0) {
            let order: Vec<u32> = (0..len as u32).rev().collect();
            let count = (len as f64 * share) as usize;
            let first = PrefixSets::new(&order).first(&order, count);
            let expected: BTreeSet<u32> = order[..count].iter().copied().collect();
            prop_assert_eq!(first.iter().collect::<BTreeSet<u32>>(), expected);
        }
    }
}
