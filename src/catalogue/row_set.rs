//! A set of rows with a count: a sorted list while it is small, a bit set when it is large.

use rollcall_search::BitSet;

/// Most facet values belong to few rows, and a bit set for each of them would take too much memory.
#[derive(Clone, Debug)]
pub enum RowSet {
    /// Ascending.
    Few(Vec<u32>),
    Many {
        bits: BitSet,
        count: usize,
    },
}

/// The longest list. A longer one takes about as much memory as a bit set.
const MAX_LIST_LEN: usize = 256;

impl Default for RowSet {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl RowSet {
    pub fn count(&self) -> usize {
        match self {
            Self::Few(rows) => rows.len(),
            Self::Many { count, .. } => *count,
        }
    }

    /// Adds or removes a row.
    pub fn set(&mut self, row: u32, on: bool) {
        match self {
            Self::Few(rows) => match (rows.binary_search(&row), on) {
                (Err(i), true) => rows.insert(i, row),
                (Ok(i), false) => drop(rows.remove(i)),
                _ => {}
            },
            Self::Many { bits, count } => {
                if bits.contains(row) != on {
                    bits.set(row, on);
                    *count = if on { *count + 1 } else { *count - 1 };
                }
            }
        }
        match self {
            Self::Few(rows) if rows.len() > MAX_LIST_LEN => {
                *self = Self::Many { count: rows.len(), bits: rows.iter().copied().collect() };
            }
            // Half of the limit: a set that alternates around the limit must not be converted each time.
            Self::Many { bits, count } if *count < MAX_LIST_LEN / 2 => *self = Self::Few(bits.iter().collect()),
            _ => {}
        }
    }

    /// Removes the rows from `set` that are not in this one.
    pub fn restrict(&self, set: &mut BitSet) {
        match self {
            Self::Few(rows) => *set = rows.iter().copied().filter(|&row| set.contains(row)).collect(),
            Self::Many { bits, .. } => set.intersect_with(bits),
        }
    }

    pub fn to_bit_set(&self) -> BitSet {
        match self {
            Self::Few(rows) => rows.iter().copied().collect(),
            Self::Many { bits, .. } => bits.clone(),
        }
    }

    pub fn add_to(&self, set: &mut BitSet) {
        match self {
            Self::Few(rows) => rows.iter().for_each(|&row| set.set(row, true)),
            Self::Many { bits, .. } => set.union_with(bits),
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
        fn matches_a_btree_set(
            first in proptest::collection::btree_set(0u32..2000, 0..600),
            changes in proptest::collection::vec((0u32..2000, any::<bool>()), 0..900),
            other in proptest::collection::btree_set(0u32..2000, 0..600),
        ) {
            let (mut plain, mut rows) = (first.clone(), RowSet::default());
            first.iter().for_each(|&row| rows.set(row, true));
            for (row, on) in changes {
                rows.set(row, on);
                if on { plain.insert(row); } else { plain.remove(&row); }
            }
            prop_assert_eq!(rows.count(), plain.len());
            prop_assert_eq!(rows.to_bit_set().iter().collect::<BTreeSet<u32>>(), plain.clone());
            let mut set: BitSet = other.iter().copied().collect();
            rows.restrict(&mut set);
            prop_assert_eq!(set.iter().collect::<BTreeSet<u32>>(), &plain & &other);
            let mut set: BitSet = other.iter().copied().collect();
            rows.add_to(&mut set);
            prop_assert_eq!(set.iter().collect::<BTreeSet<u32>>(), &plain | &other);
        }
    }
}
