//! Picking the first of many: whichever way looks at fewer of them.

use std::cmp::Ordering;

use super::bits::Bits;
use super::order::Order;

/// Looking at a place of a list and comparing it some times costs as much as passing so many places of an order.
const DEARER: usize = 16;
/// A walk through an order that takes so much longer than expected is given up.
const PATIENCE: usize = 4;

/// The first `limit` in order.
pub fn first<T>(items: Vec<T>, limit: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    slice(items, 0, limit, compare)
}

/// What a sorted list would have from `offset` on; only that is sorted.
fn slice<T>(mut items: Vec<T>, offset: usize, limit: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if offset >= items.len() || limit == 0 {
        return Vec::new();
    }
    if offset > 0 {
        items.select_nth_unstable_by(offset, &compare);
        items.drain(..offset);
    }
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

/// A page of the selected, `total` of them, in order. An order is passed until the page is full; few are rather sorted
/// themselves.
pub fn page(
    order: &Order,
    selected: &Bits,
    total: usize,
    offset: u64,
    limit: usize,
    compare: impl Fn(u32, u32) -> Ordering,
) -> Vec<u32> {
    let Some(from) = usize::try_from(offset).ok().filter(|&from| from < total) else { return Vec::new() };
    let limit = limit.min(total - from);
    // Counted from the nearer end.
    let behind = total - from - limit;
    let passed = order.len() / total * (from.min(behind) + limit);
    if total * DEARER < passed.min(order.len()) {
        return slice(selected.iter().collect(), from, limit, |&a, &b| compare(a, b));
    }
    if from <= behind {
        return order.page(Some(selected), offset, limit);
    }
    let back = order.places().iter().rev().copied().filter(|&place| selected.get(place));
    let mut page: Vec<u32> = back.skip(behind).take(limit).collect();
    page.reverse();
    page
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
            offset in 0u64..40,
            limit in 0usize..12,
        ) {
            let compare = |a: u32, b: u32| values[a as usize].cmp(&values[b as usize]).then(a.cmp(&b));
            let order = Order::build(0..values.len() as u32, compare);
            let mut selected = Bits::none(values.len());
            (0..values.len()).for_each(|i| selected.set(i as u32, chosen[i] < share));
            let plain: Vec<u32> = order.places().iter().copied().filter(|&place| selected.get(place)).collect();
            let expected: Vec<u32> = plain.iter().copied().skip(offset as usize).take(limit).collect();
            prop_assert_eq!(page(&order, &selected, plain.len(), offset, limit, compare), expected);
            let head: Vec<u32> = plain.iter().copied().take(limit).collect();
            if let Some(walked) = walk(order.places(), &selected, limit) {
                prop_assert_eq!(&walked, &head);
            }
            prop_assert_eq!(first(selected.iter().collect(), limit, |&a, &b| compare(a, b)), head);
        }
    }
}
