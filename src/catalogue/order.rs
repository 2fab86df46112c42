//! A sort order kept as an array of row places: any page of it costs the same.

use std::cmp::Ordering;

use super::bits::Bits;

#[derive(Clone, Debug, Default)]
pub struct Order {
    places: Vec<u32>,
}

impl Order {
    pub fn build(places: impl Iterator<Item = u32>, compare: impl Fn(u32, u32) -> Ordering) -> Self {
        let mut places: Vec<u32> = places.collect();
        places.sort_unstable_by(|&a, &b| compare(a, b));
        Self { places }
    }

    /// Takes `changed` out and puts back those that are `present`, at their new places. `compare` sees the new values,
    /// which is sound because only unchanged places keep theirs.
    pub fn update(&mut self, changed: &[u32], present: &Bits, compare: impl Fn(u32, u32) -> Ordering) {
        *self = self.updated(changed, present, compare);
    }

    /// The same made aside. What stays is copied, and only what comes is compared: of a million rows, few.
    pub fn updated(&self, changed: &[u32], present: &Bits, compare: impl Fn(u32, u32) -> Ordering) -> Self {
        let mut is_changed = Bits::default();
        for &place in changed {
            is_changed.set(place, true);
        }
        let mut incoming: Vec<u32> = changed.iter().copied().filter(|&place| present.get(place)).collect();
        incoming.sort_unstable_by(|&a, &b| compare(a, b));
        incoming.dedup();
        let stays: Vec<u32> = self.places.iter().copied().filter(|&place| !is_changed.get(place)).collect();
        let mut rest = stays.as_slice();
        let mut merged = Vec::with_capacity(stays.len() + incoming.len());
        for next in incoming {
            let (before, after) = rest.split_at(ahead(rest, |place| compare(place, next) == Ordering::Less));
            merged.extend_from_slice(before);
            merged.push(next);
            rest = after;
        }
        merged.extend_from_slice(rest);
        Self { places: merged }
    }

    pub fn places(&self) -> &[u32] {
        &self.places
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A page of the whole order, or of the part of it that is selected.
    pub fn page(&self, selected: Option<&Bits>, offset: u64, limit: usize) -> Vec<u32> {
        let Ok(offset) = usize::try_from(offset) else { return Vec::new() };
        match selected {
            None => self.places.iter().skip(offset).take(limit).copied().collect(),
            Some(bits) => {
                self.places.iter().copied().filter(|&place| bits.get(place)).skip(offset).take(limit).collect()
            }
        }
    }
}

/// How many places at the beginning pass, all of which come before those that do not: looked for in steps that double, so
/// that many that come are not dearer than a walk, and few not dearer than a search for each.
fn ahead(places: &[u32], passes: impl Fn(u32) -> bool) -> usize {
    let mut step = 1;
    while step < places.len() && passes(places[step - 1]) {
        step *= 2;
    }
    let from = step / 2;
    from + places[from..step.min(places.len())].partition_point(|&place| passes(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_update_equals_building_anew(
            old in proptest::collection::vec(0u8..20, 1..80),
            changes in proptest::collection::vec((0usize..100, 0u8..20, any::<bool>()), 0..30),
        ) {
            let mut values = old.clone();
            let mut present = Bits::all(values.len());
            let by = |values: &Vec<u8>, a: u32, b: u32| values[a as usize].cmp(&values[b as usize]).then(a.cmp(&b));
            let mut order = Order::build(0..values.len() as u32, |a, b| by(&values, a, b));
            let mut changed = Vec::new();
            for (place, value, stays) in changes {
                let place = if place < values.len() { place } else { values.push(0); values.len() - 1 };
                values[place] = value;
                present.set(place as u32, stays);
                changed.push(place as u32);
            }
            order.update(&changed, &present, |a, b| by(&values, a, b));
            let anew = Order::build(present.iter(), |a, b| by(&values, a, b));
            prop_assert_eq!(order.places(), anew.places());
        }
    }
}
