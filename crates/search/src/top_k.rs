//! Selects the first `k` items in sort order. The caller picks the function that reads fewer items.

use std::cmp::Ordering;

use crate::bit_set::BitSet;

/// Sorting one candidate costs about as much as passing this many rows of a sorted order.
const SORT_COST: usize = 16;
/// A scan is abandoned after this many times the expected steps.
const MAX_OVERRUN: usize = 4;

/// The first `limit` items, sorted. The other items are not sorted.
pub fn partial_sort<T>(mut items: Vec<T>, limit: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    if items.len() > limit {
        items.select_nth_unstable_by(limit, &compare);
        items.truncate(limit);
    }
    items.sort_unstable_by(&compare);
    items
}

/// The first `limit` selected rows of a sorted order, or `None` if [`partial_sort`] is likely to be faster.
pub fn scan_sorted_order(order: &[u32], selected: &BitSet, limit: usize) -> Option<Vec<u32>> {
    let total = selected.count();
    if total <= limit {
        return None;
    }
    let expected_steps = order.len() / total * limit;
    if expected_steps > total * SORT_COST {
        return None;
    }
    let steps = order.iter().take(expected_steps * MAX_OVERRUN + limit).copied();
    let found: Vec<u32> = steps.filter(|&row| selected.contains(row)).take(limit).collect();
    (found.len() == limit).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn both_functions_return_the_same_rows(
            values in proptest::collection::vec(0u8..20, 1..200),
            chosen in proptest::collection::vec(any::<u8>(), 200),
            share in 0u8..=255,
            limit in 0usize..12,
        ) {
            let compare = |a: u32, b: u32| values[a as usize].cmp(&values[b as usize]).then(a.cmp(&b));
            let mut order: Vec<u32> = (0..values.len() as u32).collect();
            order.sort_by(|&a, &b| compare(a, b));
            let mut selected = BitSet::empty(values.len());
            (0..values.len()).for_each(|i| selected.set(i as u32, chosen[i] < share));
            let expected: Vec<u32> = order.iter().copied().filter(|&row| selected.contains(row)).take(limit).collect();
            if let Some(scanned) = scan_sorted_order(&order, &selected, limit) {
                prop_assert_eq!(&scanned, &expected);
            }
            prop_assert_eq!(partial_sort(selected.iter().collect(), limit, |&a, &b| compare(a, b)), expected);
        }
    }
}
