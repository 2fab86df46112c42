//! The rows that a search found: a list if they are few, a bit set if they are many.

use crate::bit_set::BitSet;

#[derive(Clone, Debug)]
pub enum Hits {
    /// Ascending and unique.
    Few(Vec<u32>),
    Many(BitSet),
}

impl Hits {
    /// `rows` may be unsorted and contain duplicates.
    pub fn few(mut rows: Vec<u32>) -> Self {
        rows.sort_unstable();
        rows.dedup();
        Self::Few(rows)
    }

    /// `true` means that there are no rows. `false` says nothing about a bit set, which is not counted.
    pub fn is_known_empty(&self) -> bool {
        matches!(self, Self::Few(rows) if rows.is_empty())
    }

    pub fn iter(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self {
            Self::Few(rows) => Box::new(rows.iter().copied()),
            Self::Many(set) => Box::new(set.iter()),
        }
    }

    pub fn into_bit_set(self, len: usize) -> BitSet {
        match self {
            Self::Many(set) => set,
            few => {
                let mut set = BitSet::empty(len);
                few.add_to(&mut set);
                set
            }
        }
    }

    pub fn add_to(self, found: &mut BitSet) {
        match self {
            Self::Few(rows) => rows.into_iter().for_each(|row| found.set(row, true)),
            Self::Many(set) => found.union_with(&set),
        }
    }

    pub fn intersect_with(&mut self, other: &BitSet) {
        match self {
            Self::Few(rows) => rows.retain(|&row| other.contains(row)),
            Self::Many(set) => set.intersect_with(other),
        }
    }

    pub fn subtract(&mut self, other: &Hits) {
        match (self, other) {
            (Self::Few(rows), other) => rows.retain(|&row| !other.contains(row)),
            (Self::Many(set), Self::Few(rows)) => rows.iter().for_each(|&row| set.set(row, false)),
            (Self::Many(set), Self::Many(other)) => set.subtract(other),
        }
    }

    fn contains(&self, row: u32) -> bool {
        match self {
            Self::Few(rows) => rows.binary_search(&row).is_ok(),
            Self::Many(set) => set.contains(row),
        }
    }
}
