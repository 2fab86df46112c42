//! Whose place in the directory is whose: row numbers of players both ways, in a third of the memory of a hash table.

use std::borrow::Cow;

#[derive(Clone, Debug, Default)]
pub struct Numbers {
    by_place: Vec<i64>,
    /// Places in the order of their numbers; nothing while that is the order of the places, as it is when all are loaded.
    rising: Option<Vec<u32>>,
}

impl Numbers {
    pub fn len(&self) -> usize {
        self.by_place.len()
    }

    pub fn number(&self, place: u32) -> i64 {
        self.by_place[place as usize]
    }

    pub fn place(&self, n: i64) -> Option<u32> {
        // Who comes while all are loaded is looked for in vain, and comes last.
        if self.last().is_none_or(|last| last < n) {
            return None;
        }
        let i = self.before(n);
        let place = self.rising.as_ref().map_or(i as u32, |rising| rising[i]);
        (self.number(place) == n).then_some(place)
    }

    fn last(&self) -> Option<i64> {
        match &self.rising {
            None => self.by_place.last().copied(),
            Some(rising) => rising.last().map(|&place| self.number(place)),
        }
    }

    /// How many numbers are lower.
    fn before(&self, n: i64) -> usize {
        match &self.rising {
            None => self.by_place.partition_point(|&other| other < n),
            Some(rising) => rising.partition_point(|&place| self.number(place) < n),
        }
    }

    /// Every place, in the order of their numbers.
    pub fn rising(&self) -> Cow<'_, [u32]> {
        match &self.rising {
            None => (0..self.len() as u32).collect(),
            Some(rising) => Cow::Borrowed(rising),
        }
    }

    /// Gives a number that is not there yet the next place. Rows come in the order of their numbers, but for a few
    /// whose transactions ended in another order.
    pub fn add(&mut self, n: i64) -> u32 {
        let place = self.len() as u32;
        if self.last().is_some_and(|last| last > n) {
            let i = self.before(n);
            self.rising.get_or_insert_with(|| (0..place).collect()).insert(i, place);
        } else if let Some(rising) = &mut self.rising {
            rising.push(place);
        }
        self.by_place.push(n);
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_number_is_found_whatever_order_they_came_in(
            numbers in proptest::collection::hash_set(-50i64..50, 0..60),
        ) {
            let mut kept = Numbers::default();
            for &n in &numbers {
                kept.add(n);
            }
            let rising: Vec<i64> = kept.rising().iter().map(|&place| kept.number(place)).collect();
            prop_assert!(rising.is_sorted() && rising.len() == numbers.len());
            for n in -60..60 {
                prop_assert_eq!(kept.place(n).map(|place| kept.number(place)), numbers.get(&n).copied());
            }
        }
    }
}
