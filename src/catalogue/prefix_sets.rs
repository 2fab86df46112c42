//! Who is among the first so many of a sort order, as a set: what `at least` and `at most` come down to.

use rollcall_search::Bits;

/// Sets of the first of an order, kept at every so many: the one that is asked for is the nearest of them and a short walk.
#[derive(Debug, Default)]
pub struct Ranges {
    first: Vec<Bits>,
    step: usize,
}

/// Sets kept of a long order, and the shortest walk worth saving.
const KEPT: usize = 32;
const SHORT: usize = 512;

impl Ranges {
    pub fn new(order: &[u32]) -> Self {
        let step = order.len().div_ceil(KEPT).max(SHORT);
        let longest = order.iter().max().map_or(0, |&place| place as usize + 1);
        let mut set = Bits::none(longest);
        let mut first = vec![set.clone()];
        for chunk in order.chunks(step) {
            chunk.iter().for_each(|&place| set.set(place, true));
            first.push(set.clone());
        }
        Self { first, step }
    }

    /// The first `count` of the order that this was made of.
    pub fn first(&self, order: &[u32], count: usize) -> Bits {
        if self.step == 0 {
            return Bits::default();
        }
        let nearest = ((count + self.step / 2) / self.step).min(self.first.len() - 1);
        let (mut set, at) = (self.first[nearest].clone(), (nearest * self.step).min(order.len()));
        order[at.min(count)..at].iter().for_each(|&place| set.set(place, false));
        order[at..count.max(at)].iter().for_each(|&place| set.set(place, true));
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
        fn the_first_are_the_first(len in 0usize..5000, share in 0.0f64..=1.0) {
            let order: Vec<u32> = (0..len as u32).rev().collect();
            let count = (len as f64 * share) as usize;
            let first = Ranges::new(&order).first(&order, count);
            let expected: BTreeSet<u32> = order[..count].iter().copied().collect();
            prop_assert_eq!(first.iter().collect::<BTreeSet<u32>>(), expected);
        }
    }
}
