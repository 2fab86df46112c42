//! Whose place in the directory is whose: row numbers of players both ways, in a third of the memory of a hash table.

#[derive(Clone, Debug, Default)]
pub struct Numbers {
    by_place: Vec<i64>,
    /// Places in the order of their numbers.
    rising: Vec<u32>,
}

impl Numbers {
    pub fn len(&self) -> usize {
        self.by_place.len()
    }

    pub fn number(&self, place: u32) -> i64 {
        self.by_place[place as usize]
    }

    pub fn place(&self, n: i64) -> Option<u32> {
        let i = self.rising.partition_point(|&place| self.number(place) < n);
        self.rising.get(i).copied().filter(|&place| self.number(place) == n)
    }

    /// Every place, in the order of their numbers.
    pub fn rising(&self) -> &[u32] {
        &self.rising
    }

    /// Gives a number that is not there yet the next place. Rows come in the order of their numbers, but for a few
    /// whose transactions ended in another order.
    pub fn add(&mut self, n: i64) -> u32 {
        let place = self.by_place.len() as u32;
        let i = match self.rising.last() {
            Some(&last) if self.number(last) > n => self.rising.partition_point(|&other| self.number(other) < n),
            _ => self.rising.len(),
        };
        self.by_place.push(n);
        self.rising.insert(i, place);
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
