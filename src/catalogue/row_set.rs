//! The places that have something in common: few of them as a list, many as bits.

use rollcall_search::Bits;

/// A word that one server has must not cost as much as one that all have.
#[derive(Clone, Debug)]
pub enum Places {
    /// Rising.
    Few(Vec<u32>),
    Many {
        bits: Bits,
        count: usize,
    },
}

/// From here on bits are smaller than a list, or not much larger.
const MANY: usize = 256;

impl Default for Places {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl Places {
    pub fn count(&self) -> usize {
        match self {
            Self::Few(places) => places.len(),
            Self::Many { count, .. } => *count,
        }
    }

    pub fn set(&mut self, place: u32, on: bool) {
        match self {
            Self::Few(places) => match (places.binary_search(&place), on) {
                (Err(i), true) => places.insert(i, place),
                (Ok(i), false) => drop(places.remove(i)),
                _ => {}
            },
            Self::Many { bits, count } => {
                if bits.get(place) != on {
                    bits.set(place, on);
                    *count = if on { *count + 1 } else { *count - 1 };
                }
            }
        }
        match self {
            Self::Few(places) if places.len() > MANY => {
                *self = Self::Many { count: places.len(), bits: places.iter().copied().collect() };
            }
            // Not at once: who goes to and fro at the border would pay each time.
            Self::Many { bits, count } if *count < MANY / 2 => *self = Self::Few(bits.iter().collect()),
            _ => {}
        }
    }

    /// Narrows a set to these.
    pub fn narrow(&self, set: &mut Bits) {
        match self {
            Self::Few(places) => *set = places.iter().copied().filter(|&place| set.get(place)).collect(),
            Self::Many { bits, .. } => set.intersect(bits),
        }
    }

    pub fn to_bits(&self) -> Bits {
        match self {
            Self::Few(places) => places.iter().copied().collect(),
            Self::Many { bits, .. } => bits.clone(),
        }
    }

    pub fn add_to(&self, set: &mut Bits) {
        match self {
            Self::Few(places) => places.iter().for_each(|&place| set.set(place, true)),
            Self::Many { bits, .. } => set.unite(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn few_and_many_are_the_same_set(
            first in proptest::collection::btree_set(0u32..2000, 0..600),
            changes in proptest::collection::vec((0u32..2000, any::<bool>()), 0..900),
            other in proptest::collection::btree_set(0u32..2000, 0..600),
        ) {
            let (mut plain, mut places) = (first.clone(), Places::default());
            first.iter().for_each(|&place| places.set(place, true));
            for (place, on) in changes {
                places.set(place, on);
                if on { plain.insert(place); } else { plain.remove(&place); }
            }
            prop_assert_eq!(places.count(), plain.len());
            prop_assert_eq!(places.to_bits().iter().collect::<BTreeSet<u32>>(), plain.clone());
            let mut set: Bits = other.iter().copied().collect();
            places.narrow(&mut set);
            prop_assert_eq!(set.iter().collect::<BTreeSet<u32>>(), &plain & &other);
            let mut set: Bits = other.iter().copied().collect();
            places.add_to(&mut set);
            prop_assert_eq!(set.iter().collect::<BTreeSet<u32>>(), &plain | &other);
        }
    }
}
