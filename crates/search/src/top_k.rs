//! Picking the first of many: whichever way looks at fewer of them.

use std::cmp::Ordering;

use crate::bit_set::Bits;

/// Looking at a place of a list and comparing it some times costs as much as passing so many places of an order.
const DEARER: usize = 16;
/// A walk through an order that takes so much longer than expected is given up.
const PATIENCE: usize = 4;

/// The first `limit` in order; only those are sorted.
pub fn first<T>(mut items: Vec<T>, limit: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if items.len() > limit {
        items.select_nth_unstable_by(limit, &compare);
        items.truncate(limit);
    }
    items.sort_unstable_by(&compare);
    items
}

/// The first `limit` of the selected along an order, when it is likely to come upon them soon.
pub fn walk(order: &[u32], selected: &Bits, limit: usize) -> Option<Vec<u32>> {
    let total = selected.count();
    if total <= limit {
        return None;
    }
    let expected = order.len() / total * limit;
    if expected > total * DEARER {
        return None;
    }
    let steps = order.iter().take(expected * PATIENCE + limit).copied();
    let found: Vec<u32> = steps.filter(|&place| selected.get(place)).take(limit).collect();
    (found.len() == limit).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_way_gives_the_same(
            values in proptest::collection::vec(0u8..20, 1..200),
            chosen in proptest::collection::vec(any::<u8>(), 200),
            share in 0u8..=255,
            limit in 0usize..12,
        ) {
            let compare = |a: u32, b: u32| values[a as usize].cmp(&values[b as usize]).then(a.cmp(&b));
            let mut order: Vec<u32> = (0..values.len() as u32).collect();
            order.sort_by(|&a, &b| compare(a, b));
            let mut selected = Bits::none(values.len());
            (0..values.len()).for_each(|i| selected.set(i as u32, chosen[i] < share));
            let head: Vec<u32> = order.iter().copied().filter(|&place| selected.get(place)).take(limit).collect();
            if let Some(walked) = walk(&order, &selected, limit) {
                prop_assert_eq!(&walked, &head);
            }
            prop_assert_eq!(first(selected.iter().collect(), limit, |&a, &b| compare(a, b)), head);
        }
    }
}
