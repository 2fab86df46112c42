//! A sort order kept as an array of row places: any page of it costs the same.

use std::cmp::Ordering;

use super::block_index::Segments;
use rollcall_search::Bits;

#[derive(Clone, Debug, Default)]
pub struct Order {
    places: Vec<u32>,
    segments: Segments,
}

impl Order {
    /// `key` must rise as `compare` does, and tells most apart: to look at it is quicker than to compare two rows. What is
    /// equal by both stays in the order it comes in.
    pub fn build(
        places: impl Iterator<Item = u32>,
        key: impl Fn(u32) -> u64,
        compare: impl Fn(u32, u32) -> Ordering,
    ) -> Self {
        let mut keyed: Vec<(u64, u32)> = places.map(|place| (key(place), place)).collect();
        keyed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| compare(a.1, b.1)));
        Self::of(keyed.into_iter().map(|(_, place)| place).collect())
    }

    fn of(places: Vec<u32>) -> Self {
        Self { segments: Segments::new(&places), places }
    }

    /// The order with `changed` taken out and those that are `present` put back at their new places. `compare` sees the
    /// new values, which is sound because only unchanged places keep theirs. What stays is copied, and only what comes is
    /// compared: of a million rows, few.
    pub fn updated(
        &self,
        changed: &[u32],
        present: impl Fn(u32) -> bool,
        compare: impl Fn(u32, u32) -> Ordering,
    ) -> Self {
        let is_changed: Bits = changed.iter().copied().collect();
        let mut incoming: Vec<u32> = changed.iter().copied().filter(|&place| present(place)).collect();
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
        Self::of(merged)
    }

    pub fn places(&self) -> &[u32] {
        &self.places
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// A page of the whole order, or of the part of it that is selected, and how many there are.
    pub fn page(&self, selected: Option<&Bits>, offset: u64, limit: usize) -> (Vec<u32>, usize) {
        let total = selected.map_or(self.len(), Bits::count);
        let offset = usize::try_from(offset).map_or(total, |offset| offset.min(total));
        let page = match selected {
            None => self.places[offset..].iter().take(limit).copied().collect(),
            Some(bits) => {
                let page = self.segments.page(&self.places, bits, total, offset, limit);
                page.into_iter().map(|i| self.places[i]).collect()
            }
        };
        (page, total)
    }
}

/// Keys for [`Order::build`]: of a text, and of figures of which the highest comes first.
pub mod key {
    pub fn text(text: &[u8]) -> u64 {
        let mut first = [0; 8];
        let len = text.len().min(first.len());
        first[..len].copy_from_slice(&text[..len]);
        u64::from_be_bytes(first)
    }

    pub fn highest_int(value: i64) -> u64 {
        !(value as u64 ^ 1 << 63)
    }

    /// In the order of [`f64::total_cmp`].
    pub fn highest(value: f64) -> u64 {
        let bits = value.to_bits();
        !if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
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
            let half = |values: &Vec<u8>, place: u32| u64::from(values[place as usize] / 2);
            let mut order = Order::build(0..values.len() as u32, |p| half(&values, p), |a, b| by(&values, a, b));
            let mut changed = Vec::new();
            for (place, value, stays) in changes {
                let place = if place < values.len() { place } else { values.push(0); values.len() - 1 };
                values[place] = value;
                present.set(place as u32, stays);
                changed.push(place as u32);
            }
            order = order.updated(&changed, |place| present.get(place), |a, b| by(&values, a, b));
            let anew = Order::build(present.iter(), |place| half(&values, place), |a, b| by(&values, a, b));
            prop_assert_eq!(order.places(), anew.places());
        }

        #[test]
        fn keys_rise_as_what_they_are_made_of(a: f64, b: f64, i: i64, j: i64, x: Vec<u8>, y: Vec<u8>) {
            prop_assert_eq!(key::highest(a).cmp(&key::highest(b)), b.total_cmp(&a));
            prop_assert_eq!(key::highest_int(i).cmp(&key::highest_int(j)), j.cmp(&i));
            let texts = key::text(&x).cmp(&key::text(&y));
            prop_assert!(texts == Ordering::Equal || texts == x.cmp(&y));
        }
    }
}
